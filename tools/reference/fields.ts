import { idOf, type JsonSchema } from "../openapi/json_schema.ts";
import { type OpenApi, resolve } from "../openapi/read_document.ts";
import type { Words } from "./words.ts";

/** A row of the table of a body's fields. */
export interface Field {
  /** `company.name`, `items[].email`. */
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** Depth to which the fields of objects are listed; deeper objects show only their type. */
const DEPTH = 4;

/** Every field of a body, each followed by the fields inside it. */
export function fieldsOf(document: OpenApi, schema: JsonSchema, words: Words): Field[] {
  return rows(document, schema, words, "", []);
}

function rows(document: OpenApi, schema: JsonSchema, words: Words, prefix: string, open: string[]): Field[] {
  const { properties, required } = objectOf(document, schema);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix + name;
    const field = {
      name: path,
      type: typeOf(document, property, words),
      required: required.includes(name),
      description: textOf(document, property),
    };
    const { inner, suffix } = contentOf(document, property);
    const named = idOf(inner) ?? path;
    // Ends the recursion, because an object can contain an object of its own type.
    if (open.includes(named) || open.length >= DEPTH) return [field];
    return [field, ...rows(document, inner, words, `${path}${suffix}.`, [...open, named])];
  });
}

/** The schema of a property; for a list, the schema of its items, and the suffix `[]` for the field's name. */
function contentOf(document: OpenApi, property: JsonSchema): { inner: JsonSchema; suffix: string } {
  const inner = alternativesOf(document, property);
  const items = inner.flatMap<JsonSchema>((one) => resolve(document, one).items ?? []);
  return items.length > 0
    ? { inner: oneOf(items.flatMap((item) => alternativesOf(document, item))), suffix: "[]" }
    : { inner: oneOf(inner), suffix: "" };
}

function oneOf(schemas: JsonSchema[]): JsonSchema {
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
}

type Members = Required<Pick<JsonSchema, "properties" | "required">>;

/** The fields of an object, also those in `allOf` and in each alternative of `anyOf`. */
function objectOf(document: OpenApi, schema: JsonSchema): Members {
  const { properties, required = [], allOf = [], anyOf = [] } = resolve(document, schema);
  if (!properties && anyOf.length > 0) return eitherOf(anyOf.map((one) => objectOf(document, one)));
  const parts = allOf.map((part) => objectOf(document, part));
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
    required: [...parts.flatMap((part) => part.required), ...required],
  };
}

/** The fields of all alternatives. A field is required if every alternative requires it. */
function eitherOf(forms: Members[]): Members {
  const names = [...new Set(forms.flatMap(({ properties }) => Object.keys(properties)))];
  return {
    properties: Object.fromEntries(names.map((name) => [
      name,
      oneOf(forms.flatMap<JsonSchema>(({ properties }) => properties[name] ?? [])),
    ])),
    required: names.filter((name) => forms.every(({ required }) => required.includes(name))),
  };
}

/** The alternatives in a schema, without null. */
function alternativesOf(document: OpenApi, schema: JsonSchema): JsonSchema[] {
  const { anyOf, properties } = resolve(document, schema);
  // Beside properties, anyOf says only which of them are required together.
  const forms = anyOf && !properties ? anyOf.flatMap((one) => alternativesOf(document, one)) : [schema];
  return forms.filter((one) => resolve(document, one).type !== "null");
}

function isNullable(document: OpenApi, schema: JsonSchema): boolean {
  const { type, anyOf = [] } = resolve(document, schema);
  return [type].flat().includes("null") || anyOf.some((one) => resolve(document, one).type === "null");
}

/** A schema's type in words: `string (uuid)`, `aberto | ganho`, `list of string`. */
export function typeOf(document: OpenApi, schema: JsonSchema, words: Words): string {
  const types = alternativesOf(document, schema).map((one) => oneType(document, one, words));
  return [...new Set(types), ...(isNullable(document, schema) ? ["null"] : [])].join(" | ");
}

function oneType(document: OpenApi, schema: JsonSchema, words: Words): string {
  const { type, format, items, oneOf, allOf, ...rest } = resolve(document, schema);
  if (rest.enum) return rest.enum.map((value) => `\`${value}\``).join(" | ");
  if (rest.const !== undefined) return `\`${rest.const}\``;
  if (oneOf) return oneOf.map((one) => idOf(one) ?? typeOf(document, one, words)).join(" | ");
  if (items) return `${words.listOf} ${typeOf(document, items, words)}`;
  const name = [type].flat().filter((one) => one !== undefined && one !== "null").join(" | ");
  if (name === "" && (allOf || rest.properties)) return "object";
  return format ? `${name} (${format})` : name || words.anything;
}

/** The description of a property or of the schema that it refers to. */
function textOf(document: OpenApi, property: JsonSchema): string {
  return property.description ??
    alternativesOf(document, property).map((one) => one.description ?? resolve(document, one).description)
      .find((text) => text !== undefined) ??
    "";
}

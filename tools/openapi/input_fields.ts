// The fields of a form that calls an operation, for clients whose forms have no fields inside fields.
import type { JsonSchema } from "./json_schema.ts";
import { type OpenApi, type Operation, parametersOf, resolve } from "./read_document.ts";

export interface InputField {
  /** Unique in its form: `email`, or `address_city` for a member of an object. */
  name: string;
  /** Where the value belongs in the body: `["address", "city"]`. */
  path: string[];
  type: "string" | "number" | "integer" | "boolean" | "object" | "array";
  /** `uuid`, `date`, `date-time`, `email` or `uri`, if the document says one. */
  format?: string | undefined;
  required: boolean;
  /** Whether null is accepted, which clears the field. */
  nullable: boolean;
  /** The type of an array's items. */
  items?: string | undefined;
  /** The beginning of the description without its article, up to the first punctuation mark; or the name. */
  label: string;
  description: string;
  /** The only accepted values, or the only values of an array's items. */
  choices?: string[] | undefined;
  /** The longest text, in characters. */
  maxLength?: number | undefined;
  /** The smallest number. */
  minimum?: number | undefined;
}

/**
 * The fields of an operation's body. A member of an object is a field of its own, unless the body has a field with that
 * name. An object without known members, like `custom_fields`, stays one field.
 */
export function bodyFields(document: OpenApi, { requestBody }: Operation): InputField[] {
  const body = requestBody?.content["application/json"].schema;
  return body === undefined ? [] : membersOf(document, body, []);
}

export function queryFields(document: OpenApi, operation: Operation): InputField[] {
  return parametersOf(document, operation).filter((parameter) => parameter.in === "query").map((parameter) =>
    fieldOf(document, [parameter.name], {
      ...known(document, parameter.schema),
      ...(parameter.description !== undefined && { description: parameter.description }),
    }, { required: parameter.required ?? false, nullable: false })
  );
}

function membersOf(document: OpenApi, schema: JsonSchema, path: string[]): InputField[] {
  const { properties = {}, required = [] } = known(document, schema);
  const here = Object.keys(properties).map((name) => [...path, name].join("_"));
  return Object.entries(properties).flatMap(([name, given]) => {
    const member = known(document, given);
    const own = [...path, name];
    if (member.properties !== undefined) {
      return membersOf(document, member, own).filter((field) => !here.includes(field.name))
        .map((field) => ({ ...field, required: field.required && required.includes(name) }));
    }
    return [
      fieldOf(document, own, member, {
        required: required.includes(name),
        nullable: acceptsNull(document, given),
      }),
    ];
  });
}

function fieldOf(
  document: OpenApi,
  path: string[],
  schema: JsonSchema,
  presence: Pick<InputField, "required" | "nullable">,
): InputField {
  const name = path.join("_");
  const { description = name } = schema;
  const items = schema.items && known(document, schema.items);
  const label = description.replaceAll(/ \([^)]*\)/g, "").replace(/[,;:.]\s.*$/s, "").replace(
    /^(The|An?) /,
    "",
  );
  const choices = (schema.enum ?? items?.enum) as string[] | undefined;
  return {
    name,
    path,
    type: schema.type as InputField["type"],
    format: schema.format ?? items?.format,
    ...presence,
    items: items?.type as string | undefined,
    // A description that begins with the values, like "note: …", names no field.
    label: choices?.includes(label) ? name : label,
    description,
    choices,
    maxLength: schema.maxLength,
    minimum: schema.minimum,
  };
}

/** Resolves a reference, takes the first of several alternatives, and leaves out null. */
function known(document: OpenApi, schema: JsonSchema): JsonSchema {
  const { anyOf, ...others } = schema;
  const first = anyOf?.find(({ type }) => type !== "null");
  if (first !== undefined && schema.properties === undefined) return { ...known(document, first), ...others };
  const found = resolve(document, schema);
  return Array.isArray(found.type) ? { ...found, type: found.type.find((type) => type !== "null")! } : found;
}

function acceptsNull(document: OpenApi, schema: JsonSchema): boolean {
  const { type, anyOf = [] } = resolve(document, schema);
  return [type].flat().includes("null") || anyOf.some((part) => acceptsNull(document, part));
}

import { type Doc, doc, type FieldDocs } from "../../supabase/functions/_shared/contract/doc.ts";
import { COMMON_FIELDS } from "./common_fields.ts";
import { enumOf } from "./enums.ts";
import { type JsonSchema, mapParts, refTo } from "./json_schema.ts";

/** Formats for which zod also writes a long pattern, which is redundant. */
const FORMATS = ["uuid", "email", "date", "date-time", "uri"];

/** Stores an enumeration under its name, and returns a reference to it. */
type NameEnum = (id: string, schema: JsonSchema) => JsonSchema;

/** Removes redundant keywords from zod's JSON Schema, names its enumerations, and adds the texts of its fields. */
export function tidy(schema: JsonSchema, inherited: FieldDocs, path: string, nameEnum: NameEnum): JsonSchema {
  const { fields: own, propertyNames: _, ...rest } = schema;
  const named = nameWords(nullable(rest), path, nameEnum);
  if (named) return named;
  const tidied = nullable(rest);
  const fields: FieldDocs = { ...inherited, ...own as FieldDocs | undefined };

  if (tidied.$ref) tidied.$ref = refTo(tidied.$ref.replace("#/$defs/", "")).$ref;
  if (tidied.format && FORMATS.includes(tidied.format) || tidied.type === "integer") delete tidied.pattern;
  if (tidied["minimum"] === Number.MIN_SAFE_INTEGER) delete tidied["minimum"];
  if (tidied["maximum"] === Number.MAX_SAFE_INTEGER) delete tidied["maximum"];
  // A reply can get new fields without a new version of the API (spec 9.3), so no schema is closed.
  if (tidied["additionalProperties"] === false) delete tidied["additionalProperties"];

  return mapParts(tidied, (part, place) => {
    const inner = tidy(part, fields, path + place, nameEnum);
    if (!place.startsWith(".")) return inner;
    const name = place.slice(1);
    return addText(inner, fields[name], COMMON_FIELDS[name], path + place);
  });
}

/** Converts `anyOf` with null to an equivalent list of types. */
function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf, ...outer } = schema;
  if (anyOf?.length !== 2 || anyOf[1]?.type !== "null" || typeof anyOf[0]?.type !== "string") return schema;
  const [inner] = anyOf;
  return {
    ...inner,
    ...outer,
    type: [inner.type as string, "null"],
    ...(inner.enum && { enum: [...inner.enum, null] }),
  };
}

/** Replaces an enumeration of several words by a reference to its name; returns null for any other schema. */
function nameWords(schema: JsonSchema, path: string, nameEnum: NameEnum): JsonSchema | null {
  const { enum: values, type, ...about } = schema;
  const words = values?.filter((value) => value !== null) ?? [];
  // An enumeration with an id of its own keeps that name.
  const isDefinition = /^\w+$/.test(path);
  if (words.length < 2 || isDefinition || ![type].flat().includes("string")) return null;
  const named = enumOf(words);
  if (named === null) {
    throw new Error(`The words of "${path}" have no name: add one to tools/openapi/enums.ts`);
  }
  const reference = nameEnum(named.name, { type: "string", enum: words, ...named.text });
  return values!.includes(null)
    ? { ...about, anyOf: [reference, { type: "null" }] }
    : { ...about, ...reference };
}

/** @param own the field's text; @param common the text that fields of this name share */
function addText(
  property: JsonSchema,
  own: Doc | undefined,
  common: Doc | undefined,
  path: string,
): JsonSchema {
  if (property.description) return property;
  // A named schema has examples, and a text that says as much as the common one.
  if (property.$ref || property.anyOf) {
    return { ...property, ...(own && doc(own.description, own.description_en)) };
  }
  const text = own ?? common;
  if (text === undefined) throw new Error(`The field "${path}" has no text for the OpenAPI documents`);
  const { examples, ...description } = text;
  return { ...property, ...description, ...(examples && { examples: [...examples] }) };
}

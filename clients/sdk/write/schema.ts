// Writes schemas of the OpenAPI document as TypeScript.
import { idOf, type JsonSchema } from "../../../tools/openapi/json_schema.ts";

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/**
 * Writes a type.
 *
 * @throws Error for a schema that it does not know, so that no field becomes `unknown` unnoticed
 */
export function typeOf(schema: JsonSchema): string {
  const id = idOf(schema);
  if (id !== null) return id;
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const union = schema.oneOf ?? schema.anyOf;
  if (union) return union.map(typeOf).join(" | ");
  if (schema.allOf) return schema.allOf.map(typeOf).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  if (schema.type === "array") return arrayOf(schema.items!);
  if (schema.type === "object") return schema.properties ? `{\n${membersOf(schema)}}` : recordOf(schema);
  const primitive = PRIMITIVES[schema.type ?? ""];
  if (primitive) return primitive;
  if (Object.keys(schema).every((keyword) => keyword === "description")) return "unknown";
  throw new Error(`No type for ${JSON.stringify(schema)}`);
}

function arrayOf(items: JsonSchema): string {
  const isUnion = !items.$ref &&
    (items.enum ?? items.oneOf ?? items.anyOf ?? items.allOf ?? Array.isArray(items.type));
  return isUnion ? `(${typeOf(items)})[]` : `${typeOf(items)}[]`;
}

function recordOf({ additionalProperties }: JsonSchema): string {
  return typeof additionalProperties === "object"
    ? `Record<string, ${typeOf(additionalProperties)}>`
    : "Record<string, unknown>";
}

/** Writes the members of an object. Optional ones may be undefined, as the fields of a form often are. */
export function membersOf({ properties = {}, required = [] }: JsonSchema): string {
  return Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema);
    const isRequired = required.includes(name);
    return `${docstring(schema.description)}${name}${isRequired ? "" : "?"}: ${type}${
      isRequired || type === "unknown" ? "" : " | undefined"
    };\n`;
  }).join("");
}

/** Writes the declaration of a named schema: an interface where it is an object, so that an editor shows its name. */
export function declarationOf(name: string, schema: JsonSchema): string {
  const doc = docstring(schema.description);
  if (schema.properties) return `${doc}export interface ${name} {\n${membersOf(schema)}}\n`;
  const [base, added] = schema.allOf ?? [];
  if (schema.allOf?.length === 2 && base?.$ref && added?.properties) {
    return `${doc}export interface ${name} extends ${idOf(base)} {\n${membersOf(added)}}\n`;
  }
  return `${doc}export type ${name} = ${typeOf(schema)};\n`;
}

/** Characters of a line of a docstring; at most 16 more are its indentation and its asterisk. */
const DOC_WIDTH = 94;

/** Writes a docstring; nothing where there is no text. */
export function docstring(text: string | undefined): string {
  if (!text) return "";
  if (text.includes("*/")) throw new Error(`A docstring cannot have ${text}`);
  if (text.length <= DOC_WIDTH) return `/** ${text} */\n`;
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length > DOC_WIDTH) lines.push(` ${word}`);
    else lines[lines.length - 1] = line;
  }
  return `/**\n${lines.map((line) => ` *${line}\n`).join("")} */\n`;
}

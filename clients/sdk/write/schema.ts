// Converts schemas of the OpenAPI document to TypeScript.
import { idOf, type JsonSchema } from "../../../tools/openapi/json_schema.ts";

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/**
 * Returns the TypeScript type of a schema.
 *
 * @param scope the prefix of named schemas: `T.` outside `types.ts`
 * @throws Error for an unsupported schema, so that no field becomes `unknown` unnoticed
 */
export function typeOf(schema: JsonSchema, scope = ""): string {
  const of = (part: JsonSchema) => typeOf(part, scope);
  const id = idOf(schema);
  if (id !== null) return scope + id;
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const union = schema.oneOf ?? schema.anyOf;
  if (union) return union.map(of).join(" | ");
  if (schema.allOf) return schema.allOf.map(of).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => of({ ...schema, type })).join(" | ");
  if (schema.type === "array") return arrayOf(schema.items!, scope);
  if (schema.type === "object") {
    return schema.properties ? `{\n${membersOf(schema, scope)}}` : recordOf(schema, scope);
  }
  const primitive = PRIMITIVES[schema.type ?? ""];
  if (primitive) return primitive;
  if (Object.keys(schema).every((keyword) => keyword === "description")) return "unknown";
  throw new Error(`No type for ${JSON.stringify(schema)}`);
}

function arrayOf(items: JsonSchema, scope: string): string {
  const isUnion = !items.$ref &&
    (items.enum ?? items.oneOf ?? items.anyOf ?? items.allOf ?? Array.isArray(items.type));
  return isUnion ? `(${typeOf(items, scope)})[]` : `${typeOf(items, scope)}[]`;
}

function recordOf({ additionalProperties }: JsonSchema, scope: string): string {
  return typeof additionalProperties === "object"
    ? `Record<string, ${typeOf(additionalProperties, scope)}>`
    : "Record<string, unknown>";
}

/** Returns the members of an object type. Optional members may be undefined, as the fields of a form often are. */
export function membersOf({ properties = {}, required = [] }: JsonSchema, scope = ""): string {
  return Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema, scope);
    const isRequired = required.includes(name);
    return member(
      schema.description,
      `${name}${isRequired ? "" : "?"}: ${type}${isRequired || type === "unknown" ? "" : " | undefined"};\n`,
    );
  }).join("");
}

/** Maximum characters of a line without its indentation. */
const WIDTH = 104;

/** Returns a member of an interface, on one line with its docstring if both fit. */
export function member(description: string | undefined, text: string): string {
  const doc = docstring(description);
  return doc.length + text.length <= WIDTH ? doc.replace("\n", " ") + text : doc + text;
}

/** Returns a docstring on one line of any length; "" if there is no text. */
export function docstring(text: string | undefined): string {
  if (!text) return "";
  if (text.includes("*/")) throw new Error(`A docstring cannot have ${text}`);
  return `/** ${text.replace(/\s+/g, " ")} */\n`;
}

// Describes a parameter or a field of a body as n8n does.
import type { JsonSchema } from "../openapi/json_schema.ts";
import { type OpenApi, resolve } from "../openapi/read_document.ts";
import { described, titled } from "./words.ts";

/** What n8n calls a property: a field of a node's form, and where its value goes in the request. */
export interface Property {
  displayName: string;
  name: string;
  type: string;
  default: unknown;
  [key: string]: unknown;
}

/** A field of an operation, from a parameter or from its body. */
export interface Field {
  name: string;
  in: "body" | "query";
  required: boolean;
  description: string | undefined;
  schema: JsonSchema;
}

/** The shape of a value without null, as n8n shows it: the type of its form field, its default, its options. */
interface Shape {
  type: string;
  default: unknown;
  /** The expression that makes the request's value; the value itself if absent. */
  value?: string;
  options?: { name: string; value: unknown }[];
  typeOptions?: Record<string, unknown>;
}

/** A text with commas, or a list from an expression. */
const LIST =
  'Array.isArray($value) ? $value : String($value).split(",").map((x) => x.trim()).filter(Boolean)';
const JSON_VALUE = 'typeof $value === "string" ? JSON.parse($value) : $value';
/** n8n's picker gives times without a zone, which are in the workflow's. Other texts are left to the API to refuse. */
const TIME = "DateTime.fromISO(String($value)).toISO() ?? $value";
const DATE = "String($value).slice(0, 10)";

/** Returns the property of a field. What n8n leaves empty becomes null where the API accepts null. */
export function propertyOf(document: OpenApi, { name, required, schema, ...field }: Field): Property {
  const { schema: inner, nullable } = withoutNull(document, schema);
  const { value, ...shape } = shapeOf(document, inner, field.in);
  const sent = nullable ? `$value === "" || $value === null ? null : ${value ?? "$value"}` : value;
  return {
    displayName: titled(name),
    name,
    ...shape,
    // As n8n's linter wants it; every list of the API accepts it.
    ...(name === "limit" && { default: 50 }),
    ...(required && { required }),
    ...described(name, field.description ?? inner.description ?? "", shape.type),
    ...(inner.format === "email" && { placeholder: "name@email.com" }),
    routing: {
      send: { type: field.in, property: name, ...(sent !== undefined && { value: `={{ ${sent} }}` }) },
    },
  };
}

/** The schema without its null, and whether it had one. */
function withoutNull(document: OpenApi, schema: JsonSchema): { schema: JsonSchema; nullable: boolean } {
  const { type, anyOf, ...others } = schema;
  if (Array.isArray(type) && type.includes("null")) {
    const rest = type.filter((name) => name !== "null");
    return { schema: { ...others, type: rest.length === 1 ? rest[0]! : rest }, nullable: true };
  }
  const isNull = (part: JsonSchema) => part.type === "null";
  if (anyOf?.length === 2 && anyOf.some(isNull)) {
    const part = anyOf.find((part) => !isNull(part))!;
    return { schema: { ...resolve(document, part), ...others }, nullable: true };
  }
  return { schema: { ...resolve(document, schema), ...others }, nullable: false };
}

/** @throws Error for an unsupported schema, so that no field gets a wrong type unnoticed */
function shapeOf(document: OpenApi, schema: JsonSchema, place: Field["in"]): Shape {
  const { type, format, minimum, maximum } = schema;
  const choices = (values: unknown[]) =>
    values.map((value) => ({ name: titled(String(value)), value })).sort((a, b) =>
      a.name.localeCompare(b.name)
    );
  if (type === "boolean") return { type, default: false };
  if (schema.enum) return { type: "options", options: choices(schema.enum), default: schema.enum[0] };
  if (type === "number" || type === "integer") {
    const minValue = (minimum as number | undefined) ?? 0;
    const limits = { minValue, ...(maximum !== undefined && { maxValue: maximum }) };
    return {
      type: "number",
      default: minValue,
      typeOptions: { ...limits, numberPrecision: type === "number" ? 2 : 0 },
    };
  }
  if (type === "array") {
    const items = resolve(document, schema.items!);
    const joined = (list: string) => place === "query" ? `(${list}).join(",")` : list;
    if (items.enum) {
      return { type: "multiOptions", options: choices(items.enum), default: [], value: joined("$value") };
    }
    if (items.type === "string") return { type: "string", default: "", value: joined(LIST) };
    return { type: "json", default: "[]", value: JSON_VALUE };
  }
  if (type === "object") return { type: "json", default: "{}", value: JSON_VALUE };
  if (type === "string" && format === "date-time") return { type: "dateTime", default: "", value: TIME };
  if (type === "string" && format === "date") return { type: "dateTime", default: "", value: DATE };
  if (type === "string") return { type, default: "" };
  throw new Error(`No field of n8n for ${JSON.stringify(schema)}`);
}

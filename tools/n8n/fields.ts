// Describes a field of the document as n8n does.
import type { InputField } from "../openapi/input_fields.ts";
import { described, titled } from "./words.ts";

/** What n8n calls a property: a field of a node's form, and where its value goes in the request. */
export interface Property {
  displayName: string;
  name: string;
  type: string;
  default: unknown;
  required?: boolean;
  displayOptions?: { show: Record<string, unknown[]> };
  [key: string]: unknown;
}

/** How n8n's form shows a value. `value`: the expression that converts the value for the request, if needed. */
interface Shape {
  type: string;
  default: unknown;
  value?: string;
  options?: { name: string; value: unknown }[];
  typeOptions?: Record<string, unknown>;
}

/** Accepts a text with commas, or a list from an expression. */
const LIST =
  'Array.isArray($value) ? $value : String($value).split(",").map((x) => x.trim()).filter(Boolean)';
const JSON_VALUE = 'typeof $value === "string" ? JSON.parse($value) : $value';
/**
 * Adds the workflow's time zone to a time from n8n's picker, which has none. Sends a text that is not a time unchanged,
 * so that the API refuses it.
 */
const TIME = "DateTime.fromISO(String($value)).toISO() ?? $value";
const DATE = "String($value).slice(0, 10)";

/** The property for a field. An empty value becomes null if the API accepts null. */
export function propertyOf(field: InputField, place: "body" | "query"): Property {
  const { name, path, required, nullable, format, description } = field;
  const { value, ...shape } = shapeOf(field, place);
  const sent = nullable ? `$value === "" || $value === null ? null : ${value ?? "$value"}` : value;
  return {
    displayName: titled(name),
    name,
    ...shape,
    // n8n's linter requires this default, and every list of the API accepts it.
    ...(name === "limit" && { default: 50 }),
    ...(required && { required }),
    ...described(name, description, shape.type),
    ...(format === "email" && { placeholder: "name@email.com" }),
    routing: {
      send: { type: place, property: path.join("."), ...(sent !== undefined && { value: `={{ ${sent} }}` }) },
    },
  };
}

function shapeOf({ type, format, items, choices, minimum = 0 }: InputField, place: "body" | "query"): Shape {
  // In a query parameter, the API takes the items of a list separated by commas.
  const listed = (list: string) => place === "query" ? `(${list}).join(",")` : list;
  if (type === "boolean") return { type, default: false };
  const options = choices?.map((value) => ({ name: titled(value), value }))
    .sort((a, b) => a.name.localeCompare(b.name));
  if (type === "integer" || type === "number") {
    const numberPrecision = type === "number" ? 2 : 0;
    return { type: "number", default: minimum, typeOptions: { minValue: minimum, numberPrecision } };
  }
  if (type === "object" || items === "object") {
    return { type: "json", default: type === "object" ? "{}" : "[]", value: JSON_VALUE };
  }
  if (type === "array" && options) {
    return { type: "multiOptions", options, default: [], value: listed("$value") };
  }
  if (type === "array") return { type: "string", default: "", value: listed(LIST) };
  if (options) return { type: "options", options, default: choices![0] };
  if (format === "date-time") return { type: "dateTime", default: "", value: TIME };
  if (format === "date") return { type: "dateTime", default: "", value: DATE };
  return { type, default: "" };
}

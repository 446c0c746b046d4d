// Values on both sides of each field's limits, derived from the body's schema, so that a new field needs no new test.
import type { z } from "zod";
import type { JsonSchema } from "../../tools/openapi/json_schema.ts";
import { inputSchema } from "./input_schema.ts";

/** Valid and invalid values of a field. */
export interface FieldLimits {
  /** If null is valid, it comes last. Empty for a UUID, because a valid UUID must be the id of a record. */
  good: unknown[];
  bad: unknown[];
}

/** Limits that the schema cannot express: values in place of the derived values, and more invalid values. */
export type OwnLimits = Record<string, Partial<FieldLimits> & { alsoBad?: unknown[] }>;

export function fieldLimits(body: z.ZodType, own: OwnLimits = {}): Record<string, FieldLimits> {
  const { properties = {} } = inputSchema(body);
  return Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => {
      const { alsoBad = [], ...limits } = own[field] ?? {};
      const read = { ...readLimits(field, schema), ...limits };
      const good = read.good.filter((value) => !alsoBad.includes(value));
      return [field, { good, bad: [...read.bad, ...alsoBad] }];
    }),
  );
}

/** Whether null is valid for a field. */
export function isNullable({ type, anyOf = [] }: JsonSchema): boolean {
  return type === "null" || (Array.isArray(type) && type.includes("null")) || anyOf.some(isNullable);
}

function readLimits(field: string, schema: JsonSchema): FieldLimits {
  const value = schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
  const limits = limitsOfType(field, value);
  if (value.format === "uuid" || !isNullable(schema)) return limits;
  return { ...limits, good: [...limits.good, null] };
}

function limitsOfType(field: string, schema: JsonSchema): FieldLimits {
  const type = Array.isArray(schema.type) ? schema.type.find((type) => type !== "null") : schema.type;
  if (schema.enum) return limitsOfEnum(schema.enum);
  switch (type) {
    case "string":
      return limitsOfText(schema);
    case "number":
    case "integer":
      return limitsOfNumber(schema, type === "integer");
    case "boolean":
      return { good: [true, false], bad: ["true", 1] };
    case "object":
      return schema.properties ? limitsOfObject(schema.properties) : limitsOfFreeObject(schema);
    case "array":
      return limitsOfTexts(schema);
    default:
      throw new Error(`No values are known for ${field} (${JSON.stringify(schema)}): add them here`);
  }
}

function limitsOfEnum(values: unknown[]): FieldLimits {
  return { good: values, bad: ["", `${values[0]}x`, `${values[0]}`.toUpperCase(), 1] };
}

/**
 * Good and bad values of a text field, by its format. Lengths are counted in code points, so an emoji is one character.
 */
function limitsOfText({ format, minLength = 0, maxLength }: JsonSchema): FieldLimits {
  const noText = [5, true, [], ["a"], {}];
  const tooLong = (before: string) => maxLength === undefined ? [] : [before + "a".repeat(maxLength)];
  switch (format) {
    case "uuid":
      return { good: [], bad: ["", "x", "00000000-0000-7000-8000-00000000000", ...noText] };
    case "email":
      return {
        good: [
          ...["a@b.co", "o'neil&filhos!#$%*/=?^_`{|}~+x@b.co", "a@xn--80ak6aa92e.xn--p1ai"],
          `${"a".repeat(64)}@${"b.".repeat(93)}com`,
        ],
        bad: [
          ...["", "a", "a@", "a b@c.de", "a..b@c.de", "a@b", "a@b-.co", "\u212aate@b.co"],
          ...[`${"a".repeat(65)}@b.co`, `a@${"b.".repeat(125)}com`],
          ...noText,
        ],
      };
    case "uri":
      return {
        good: ["https://x.com", "http://x.com/a?b#c"],
        bad: ["x.com", "", "javascript:alert(1)", ...tooLong("https://x.com/"), ...noText],
      };
    case "date":
      return {
        good: ["2028-02-29", "0001-01-01", "9999-12-31"],
        bad: ["2027-02-29", "2027-1-1", "0000-01-01", "2027-01-01T00:00:00Z", "", ...noText],
      };
    case "date-time":
      return {
        good: [
          "2030-01-31T12:00:00Z",
          "2030-01-31T12:00:00.123456789+20:00",
          "0001-01-01T00:00:00Z",
          "9999-12-31T23:59:59.9999999Z",
          "2030-01-31",
        ],
        bad: ["2030-02-30T12:00:00Z", "amanhã", "", "9999-12-31T23:59:59-01:00", ...noText],
      };
    case undefined: {
      if (maxLength === undefined) throw new Error("A text without a limit could fill the disk");
      const full = ["é", "😀"].map((character) => character.repeat(maxLength));
      const [good, bad] = minLength > 0 ? [[], [""]] : [["", " a "], []];
      return { good: ["a", ...full, ...good], bad: ["a".repeat(maxLength + 1), ...bad, ...noText] };
    }
    default:
      throw new Error(`No values are known for the format ${format}: add them here`);
  }
}

function limitsOfNumber({ minimum, maximum }: JsonSchema, isInteger: boolean): FieldLimits {
  if (minimum === undefined || maximum === undefined) throw new Error("A number without limits may not fit");
  const fractions = isInteger ? [] : [0.1, 123456789.99];
  return {
    good: [3, ...fractions, minimum, maximum],
    bad: [
      minimum - 1,
      isInteger ? 1.5 : minimum - 0.01,
      isInteger ? maximum + 1 : maximum * 10,
      1e300,
      "5",
      true,
      [1],
    ],
  };
}

function limitsOfObject(properties: Record<string, JsonSchema>): FieldLimits {
  const lines = Object.entries(properties).map(([name, schema]) => ({ name, ...readLimits(name, schema) }));
  return {
    good: [Object.fromEntries(lines.map(({ name, good }) => [name, good[0]])), {}].concat(
      lines.flatMap(({ name, good }) => good.map((value) => ({ [name]: value }))),
    ),
    bad: ["a", 1, [], ...lines.flatMap(({ name, bad }) => bad.map((value) => ({ [name]: value })))],
  };
}

/** Good and bad values of a list of distinct short texts, such as tags. */
function limitsOfTexts({ items = {}, maxItems = 0 }: JsonSchema): FieldLimits {
  const texts = (count: number) => ["a", ...Array.from({ length: count - 1 }, (_, index) => `t${index}`)];
  return {
    good: [["a"], [], texts(maxItems)],
    bad: ["a", 1, {}, texts(maxItems + 1), ...limitsOfText(items).bad.map((text) => [text])],
  };
}

/** Good and bad free objects, such as custom_fields (spec 8): at most `maxProperties` keys, and 10 KB as JSON. */
function limitsOfFreeObject({ maxProperties = 0 }: JsonSchema): FieldLimits {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [i, i]));
  return {
    good: [{ a: [1, { b: null }] }, {}, keys(maxProperties), { a: "x".repeat(10 * 1024 - 8) }],
    bad: ["a", [], 1, keys(maxProperties + 1), { a: "x".repeat(10 * 1024 - 7) }, { a: "é".repeat(5 * 1024) }],
  };
}

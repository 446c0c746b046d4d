import fc from "fast-check";
import type { z } from "zod";
import { writtenMoments } from "./datetimes.ts";
import type { JsonSchema } from "../../tools/openapi/json_schema.ts";
import { inputSchema } from "./input_schema.ts";

const EDGE_TEXTS = [
  ...["", " ", "\u0000", "\ud800", "\ufffe", "a'; drop schema crm cascade; --", "%", "\\", "${jndi}", "{}"],
  ...["a".repeat(256), "😀".repeat(130), "ａ@ｂ.co", "null", "1e400", "NaN"],
  ...["2026-02-30", "0000-01-01", "9999-12-31", "294277-01-01T00:00:00Z", "-infinity"],
  ...["2026-01-01T00:00:00+14:00", "0001-01-01T00:00:00+23:59"],
];
const EDGE_NUMBERS = [-1, -0, 0.1, 1e15, 1e16, 1e308, -1e308, 2 ** 31, 2 ** 53, 5e-324, 123456789.99];

/** Any JSON value, including those that Postgres cannot store. */
export function anything(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom<unknown>(...EDGE_TEXTS, ...EDGE_NUMBERS, null, true, [], {}),
    fc.string({ unit: "binary" }),
    fc.jsonValue({ maxDepth: 3 }),
    fc.double(),
    fc.maxSafeInteger(),
  );
}

/** Values that mostly satisfy a schema; UUIDs are taken from `ids`. */
export function fitting(schema: z.ZodType, ids: string[]): fc.Arbitrary<unknown> {
  return fromJsonSchema(inputSchema(schema), ids);
}

function fromJsonSchema(schema: JsonSchema, ids: string[]): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((option) => fromJsonSchema(option, ids)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => fromJsonSchema({ ...schema, type }, ids)));
  }
  switch (schema.type) {
    case "string":
      return text(schema, ids);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -10, max: Math.min(schema.maximum ?? 1000, 1000) });
    case "number":
      return fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.double({ min: 0, max: 1e12, noNaN: true }));
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(fromJsonSchema(schema.items ?? {}, ids), { maxLength: 4 });
    case "object":
      return object(schema, ids);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function text({ format, maxLength = 300 }: JsonSchema, ids: string[]): fc.Arbitrary<string> {
  switch (format) {
    case "uuid":
      return fc.constantFrom(...ids);
    case "email":
      return fc.constantFrom("a@x.com", "B@X.com.br", "nome+marca@exemplo.co");
    case "date":
      return fc.constantFrom("2026-11-20", "2028-02-29", "0001-01-01", "9999-12-31");
    case "date-time":
      return fc.oneof(
        fc.constantFrom("2026-11-20T12:00:00Z", "2026-11-20"),
        writtenMoments().map(({ text }) => text),
      );
    case "uri":
      return fc.constantFrom("https://example.com/hook", "https://127.0.0.1/", "http://example.com");
    default:
      return fc.string({ unit: "grapheme", maxLength: Math.min(maxLength, 40) });
  }
}

function object({ properties, additionalProperties }: JsonSchema, ids: string[]): fc.Arbitrary<unknown> {
  if (properties === undefined) {
    const value = typeof additionalProperties === "object"
      ? fromJsonSchema(additionalProperties, ids)
      : fc.jsonValue();
    return fc.dictionary(fc.string(), value, { maxKeys: 5 });
  }
  const fields = Object.entries(properties).map(([name, schema]) =>
    [
      name,
      fc.oneof({ weight: 9, arbitrary: fromJsonSchema(schema, ids) }, { weight: 1, arbitrary: anything() }),
    ] as const
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

/** The text of a body: mostly valid JSON, sometimes with one character removed or replaced. */
export function bodyText(body: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const whole = body.map((value) => JSON.stringify(value) ?? "");
  const broken = fc.tuple(
    whole,
    fc.nat(),
    fc.constantFrom("", "{", '"', ",", "\\u0000", "1e400", "\u0007", "]"),
  )
    .map(([text, at, inserted]) => {
      const index = at % (text.length + 1);
      return text.slice(0, index) + inserted + text.slice(index + 1);
    });
  return fc.oneof({ weight: 8, arbitrary: whole }, { weight: 2, arbitrary: broken });
}

import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { FieldDocs } from "../supabase/functions/_shared/contract/doc.ts";
import { COMMON_FIELDS } from "./common_fields.ts";
import { type JsonSchema, SCHEMAS } from "./json_schema.ts";

/** Whether a schema describes a request (`input`) or a reply (`output`). */
export type Side = "input" | "output";

/** Formats whose patterns are long and redundant. */
const FORMATS = ["uuid", "email", "date", "date-time", "uri"];

/** The schemas of one document. A schema with an id (`.meta({ id })`) is stored once, under `components`. */
export class Schemas {
  readonly named: Record<string, JsonSchema> = {};

  /**
   * Converts a zod schema to JSON Schema.
   *
   * @param fields texts that take precedence over the common ones, but not over those of the schema
   * @returns the schema, or a reference to it where it has an id
   * @throws Error for a field without a text, or for an id of two different schemas
   */
  add(schema: z.ZodType, side: Side, fields: FieldDocs = {}): JsonSchema {
    const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io: side, override: keepDefaults }) as
      & JsonSchema
      & {
        $defs?: Record<string, JsonSchema>;
      };
    for (const [id, definition] of Object.entries($defs ?? {})) {
      const tidied = tidy(definition, {}, id);
      if (this.named[id] && !isDeepStrictEqual(this.named[id], tidied)) {
        throw new Error(
          `The schema "${id}" is not the same in requests and in replies, or belongs to two schemas`,
        );
      }
      this.named[id] = tidied;
    }
    return tidy(root, fields, "");
  }

  /** Returns the target of a reference; any other schema unchanged. */
  resolve(schema: JsonSchema): JsonSchema {
    return schema.$ref ? this.named[schema.$ref.slice(SCHEMAS.length)]! : schema;
  }
}

/** Adds `default` and `examples` to the input of a schema that transforms, because zod adds them to the output only. */
function keepDefaults({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }): void {
  const { default: value, examples } = z.globalRegistry.get(zodSchema) ?? {};
  Object.assign(
    jsonSchema,
    value !== undefined && { default: value },
    examples !== undefined && { examples },
  );
}

/** Removes redundant keywords from the JSON Schema of zod, and adds the texts of the fields. */
function tidy(schema: JsonSchema, inherited: FieldDocs, path: string): JsonSchema {
  const { fields: own, propertyNames: _, ...tidied } = nullable(schema);
  const fields: FieldDocs = { ...inherited, ...own as FieldDocs | undefined };

  if (tidied.$ref) tidied.$ref = tidied.$ref.replace("#/$defs/", SCHEMAS);
  if (tidied.format && FORMATS.includes(tidied.format) || tidied.type === "integer") delete tidied.pattern;
  if (tidied["minimum"] === Number.MIN_SAFE_INTEGER) delete tidied["minimum"];
  if (tidied["maximum"] === Number.MAX_SAFE_INTEGER) delete tidied["maximum"];
  // A reply can get new fields without a new version of the API (spec 9.3), so no schema is closed.
  if (tidied["additionalProperties"] === false) delete tidied["additionalProperties"];

  if (tidied.items) tidied.items = tidy(tidied.items, fields, `${path}[]`);
  if (tidied.anyOf) tidied.anyOf = tidied.anyOf.map((option) => tidy(option, fields, path));
  if (tidied.properties) {
    tidied.properties = Object.fromEntries(
      Object.entries(tidied.properties).map(([name, property]) => [
        name,
        addText(
          tidy(property, fields, `${path}.${name}`),
          fields[name] ?? COMMON_FIELDS[name],
          `${path}.${name}`,
        ),
      ]),
    );
  }
  return tidied;
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

function addText(property: JsonSchema, text: FieldDocs[string] | undefined, path: string): JsonSchema {
  if (property.description || property.$ref || property.anyOf) return property;
  if (text === undefined) throw new Error(`The field "${path}" has no text for the OpenAPI documents`);
  const { examples, ...description } = text;
  return { ...property, ...description, ...(examples && { examples: [...examples] }) };
}

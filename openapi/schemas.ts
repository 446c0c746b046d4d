import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { FieldDocs } from "../supabase/functions/_shared/contract/doc.ts";
import { COMMON_FIELDS } from "./common_fields.ts";
import { type JsonSchema, SCHEMAS } from "./json_schema.ts";

/** Which side of a schema: what a client sends, or what it gets. */
export type Side = "input" | "output";

/** Formats that make the long patterns beside them redundant. */
const FORMATS = ["uuid", "email", "date", "date-time", "uri"];

/** The schemas of one document; those with an id (`.meta({ id })`) stand once, under `components`. */
export class Schemas {
  readonly named: Record<string, JsonSchema> = {};

  /**
   * @param fields texts that go before the common ones, after the schema's own
   * @returns the schema, or a reference to it where it has an id
   * @throws Error for a field without a text, or an id that means two things
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
        throw new Error(`The schema "${id}" is not the same in requests and in replies, or has a namesake`);
      }
      this.named[id] = tidied;
    }
    return tidy(root, fields, "");
  }

  /** The schema that a reference stands for; any other schema itself. */
  resolve(schema: JsonSchema): JsonSchema {
    return schema.$ref ? this.named[schema.$ref.slice(SCHEMAS.length)]! : schema;
  }
}

/** Adds default and examples to the input of a schema that transforms: zod shows them in the output alone. */
function keepDefaults({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }): void {
  const { default: value, examples } = z.globalRegistry.get(zodSchema) ?? {};
  Object.assign(
    jsonSchema,
    value !== undefined && { default: value },
    examples !== undefined && { examples },
  );
}

/** zod's JSON Schema without what it adds for machines, with the texts of the fields. */
function tidy(schema: JsonSchema, inherited: FieldDocs, path: string): JsonSchema {
  const { fields: own, propertyNames: _, ...tidied } = nullable(schema);
  const fields: FieldDocs = { ...inherited, ...own as FieldDocs | undefined };

  if (tidied.$ref) tidied.$ref = tidied.$ref.replace("#/$defs/", SCHEMAS);
  if (tidied.format && FORMATS.includes(tidied.format) || tidied.type === "integer") delete tidied.pattern;
  if (tidied["minimum"] === Number.MIN_SAFE_INTEGER) delete tidied["minimum"];
  if (tidied["maximum"] === Number.MAX_SAFE_INTEGER) delete tidied["maximum"];
  // New fields may be added to a reply without a new version (spec 9.3): no schema of it is closed.
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

/** `anyOf` with null as a list of types, where the two mean the same. */
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

/** A schema of an OpenAPI document (JSON Schema 2020-12): the keywords that these tools use. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  maxProperties?: number;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  description?: string;
  description_en?: string;
  needed?: boolean;
  examples?: readonly unknown[];
  [keyword: string]: unknown;
}

/**
 * Changes the schemas directly inside a schema: its items, alternatives and properties.
 *
 * @param change gets each inner schema with its place: `[]` for items, `.name` for a property, else an empty text
 */
export function mapParts(
  schema: JsonSchema,
  change: (part: JsonSchema, place: string) => JsonSchema,
): JsonSchema {
  const { items, anyOf, oneOf, properties } = schema;
  return {
    ...schema,
    ...(items && { items: change(items, "[]") }),
    ...(anyOf && { anyOf: anyOf.map((option) => change(option, "")) }),
    ...(oneOf && { oneOf: oneOf.map((option) => change(option, "")) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, change(property, `.${name}`)]),
      ),
    }),
  };
}

/** Prefix of a reference to a named schema. */
export const SCHEMAS = "#/components/schemas/";

/** Creates a reference to a named schema. */
export function refTo(id: string): { $ref: string } {
  return { $ref: SCHEMAS + id };
}

/** The name in a reference to a named schema; null for any other schema. */
export function idOf({ $ref }: JsonSchema): string | null {
  return $ref?.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : null;
}

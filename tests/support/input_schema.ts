import { z } from "zod";
import type { JsonSchema } from "../../tools/openapi/json_schema.ts";

/** The input of a schema as JSON Schema, with every reference replaced by its definition. */
export function inputSchema(schema: z.ZodType): JsonSchema {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...rest } = value as JsonSchema;
    if ($ref !== undefined) return inline($defs[$ref.slice("#/$defs/".length)]);
    return Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, inline(part)]));
  };
  return inline(root) as JsonSchema;
}

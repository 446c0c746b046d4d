import { z } from "zod";

/** The parts of a JSON Schema that the tests read. */
export interface InputSchema {
  type?: string | string[];
  anyOf?: InputSchema[];
  enum?: unknown[];
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxProperties?: number;
  maxItems?: number;
  items?: InputSchema;
  properties?: Record<string, InputSchema>;
  required?: string[];
  additionalProperties?: InputSchema | boolean;
  $ref?: string;
  $defs?: Record<string, InputSchema>;
}

/** The input of a schema as JSON Schema, with every reference replaced by its definition. */
export function inputSchema(schema: z.ZodType): InputSchema {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  }) as InputSchema;
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...rest } = value as InputSchema;
    if ($ref !== undefined) return inline($defs[$ref.slice("#/$defs/".length)]);
    return Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, inline(part)]));
  };
  return inline(root) as InputSchema;
}

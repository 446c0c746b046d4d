// Writes a named object that extends another, such as `DealDetail`, as `allOf`.
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { type JsonSchema, refTo } from "./json_schema.ts";

/**
 * Finds the object that this object extends (`.extend`), or null: the largest object whose fields this object has too,
 * with the same schema instances. Equality alone does not count, because it may be a coincidence.
 */
export function findBase(
  id: string,
  objects: ReadonlyMap<string, z.ZodObject>,
  named: Record<string, JsonSchema>,
): string | null {
  const own = objects.get(id)?.shape;
  if (!own) return null;
  let found: { id: string; size: number } | null = null;
  for (const [other, { shape }] of objects) {
    const fields = Object.entries(shape);
    const isBase = other !== id && other in named && fields.length < Object.keys(own).length &&
      fields.every(([name, field]) => own[name] === field);
    if (isBase && fields.length > (found?.size ?? 0)) found = { id: other, size: fields.length };
  }
  return found?.id ?? null;
}

/** Writes an object as its base and what it adds. */
export function extendBase(
  baseId: string,
  base: JsonSchema,
  { type, properties = {}, required = [], ...about }: JsonSchema,
): JsonSchema {
  const added = Object.entries(properties).filter(([name, property]) =>
    !isDeepStrictEqual(property, base.properties![name])
  );
  const names = added.map(([name]) => name);
  const needed = required.filter((name) => names.includes(name) || !base.required?.includes(name));
  return {
    ...about,
    allOf: [
      refTo(baseId),
      {
        type: type!,
        properties: Object.fromEntries(added),
        ...(needed.length > 0 && { required: needed }),
      },
    ],
  };
}

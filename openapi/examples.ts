import type { JsonSchema } from "./json_schema.ts";
import type { Schemas, Side } from "./schemas.ts";

const BY_FORMAT: Record<string, unknown> = {
  "uuid": "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
  "date-time": "2026-09-30T14:05:00.000Z",
  "date": "2026-10-15",
  "email": "ana@padariasol.com.br",
  "uri": "https://exemplo.com.br",
};

/**
 * Composes an example of a body from the examples of its fields. A reply has every field; a request has the required
 * fields and those with an example.
 *
 * @throws Error for a required text or number without an example
 */
export function exampleOf(schema: JsonSchema, schemas: Schemas, side: Side, path = ""): unknown {
  const found = ownExample(schema);
  if (found !== undefined) return found;
  const resolved = schemas.resolve(schema);
  const inside = ownExample(resolved);
  if (inside !== undefined) return inside;

  if (resolved.anyOf) return exampleOf(resolved.anyOf[0]!, schemas, side, path);
  if (resolved.properties) {
    const { properties, required = [] } = resolved;
    const shown = Object.entries(properties).filter(([name, property]) =>
      side === "output" || required.includes(name) || hasExample(property, schemas)
    );
    return Object.fromEntries(
      shown.map(([name, property]) => [name, exampleOf(property, schemas, side, `${path}.${name}`)]),
    );
  }
  if (resolved.items) return [exampleOf(resolved.items, schemas, side, `${path}[]`)];
  const types = [resolved.type].flat();
  // A nullable time is null, as for an event that has not happened: an open deal has no closed_at.
  if (types.includes("null") && resolved.format === "date-time") return null;
  const byFormat = BY_FORMAT[resolved.format ?? ""];
  if (byFormat !== undefined) return byFormat;
  if (types.includes("null")) return null;
  if (types.includes("boolean")) return false;
  if (types.includes("object")) return {};
  throw new Error(`The field "${path}" has no example for the OpenAPI documents`);
}

/** Returns the example that the schema itself has, or undefined; null can be an example. */
function ownExample(schema: JsonSchema): unknown {
  if (schema.examples?.length) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  return schema.enum?.[0];
}

function hasExample(property: JsonSchema, schemas: Schemas): boolean {
  const inner = schemas.resolve(property.anyOf?.[0] ?? property);
  return property.examples !== undefined ||
    Object.values(inner.properties ?? {}).some(({ examples }) => examples);
}

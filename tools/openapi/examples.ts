import { idOf, type JsonSchema, refTo } from "./json_schema.ts";
import type { Schemas, Side } from "./schemas.ts";
import { madeUpId } from "./story/ids.ts";
import { fieldOfStory, recordOfStory } from "./story/story.ts";

/** Values of fields that the caller of `exampleOf` gives. */
export type Known = Readonly<Record<string, unknown>>;

const BY_FORMAT: Record<string, unknown> = {
  "date-time": "2026-10-01T13:00:00.000Z",
  "date": "2026-10-30",
  "email": "ana@padariasol.com.br",
  "uri": "https://padariasol.com.br",
};

/**
 * Composes an example of a body. The value of a field comes from the story (`story/`) or, if the story lacks the field,
 * from the field's example. The body has its required fields and the fields in the story. A request whose object is not
 * in the story has its required fields and the fields with an example.
 *
 * @param known values that take precedence over the story, also inside inner objects
 * @throws Error for a required text or number without an example, and for a known field that the schema does not have
 */
export function exampleOf(schema: JsonSchema, schemas: Schemas, side: Side, known?: Known): unknown {
  return new Composer(schemas, side).compose(schema, "", known);
}

class Composer {
  constructor(readonly schemas: Schemas, readonly side: Side) {}

  compose(schema: JsonSchema, path: string, known?: unknown): unknown {
    const resolved = this.schemas.resolve(schema);
    const name = path.slice(path.lastIndexOf(".") + 1);
    const option = (resolved.anyOf ?? resolved.oneOf)?.[0];
    if (known === null) return null;
    if (resolved.properties) return this.#object(schema, resolved, path, known as Known | undefined);
    if (Array.isArray(known) && resolved.items) {
      return known.map((item) => this.compose(resolved.items!, `${path}[]`, item));
    }
    // Known values decide which schema of a `oneOf` is meant. Without them, take the first.
    if (option && !(known && resolved.oneOf)) return this.compose(option, path, known);
    if (known !== undefined) return known;
    const own = ownExample(schema) ?? ownExample(resolved);
    if (own !== undefined) return own;
    if (resolved.items) return [this.compose(resolved.items, `${path}[]`)];
    return this.#value(resolved, name, path);
  }

  #object(schema: JsonSchema, resolved: JsonSchema, path: string, known?: Known): unknown {
    const { properties = {}, required = [] } = resolved;
    const id = idOf(schema);
    const own = ownExample(schema) ?? ownExample(resolved);
    if (own !== undefined && Object.keys(known ?? {}).length === 0) return own;
    const name = path.slice(path.lastIndexOf(".") + 1).replace("[]", "");
    const story = { ...this.#story(id, name, properties), ...known };
    for (const field of Object.keys(known ?? {})) {
      if (!properties[field]) {
        throw new Error(`The example of "${path || id}" has an unknown field "${field}"`);
      }
    }
    const isTold = Object.keys(story).length > 0;
    const shown = Object.entries(properties).filter(([field, property]) =>
      required.includes(field) || field in story ||
      this.side === "input" && !isTold && this.#hasExample(property)
    );
    const inside = id ?? path;
    return Object.fromEntries(
      shown.map(([field, property]) => [field, this.compose(property, `${inside}.${field}`, story[field])]),
    );
  }

  /** The story's values for an object and for the object that it extends. */
  #story(id: string | null, name: string, properties: Record<string, JsonSchema>): Known {
    if (id === null) return {};
    const base = this.schemas.baseOf(id);
    const inherited = base === null
      ? {}
      : this.#story(base, name, this.schemas.resolve(refTo(base)).properties ?? {});
    return { ...inherited, ...recordOfStory(id, name, Object.keys(properties)) };
  }

  #value(schema: JsonSchema, name: string, path: string): unknown {
    const told = fieldOfStory(name);
    const types = [schema.type].flat();
    if (schema.format === "uuid") {
      // An optional id without a record in the story is null.
      return told ?? (types.includes("null") ? null : madeUpId(path));
    }
    // A nullable time is null: an open deal has no closed_at.
    if (types.includes("null")) return null;
    const byFormat = BY_FORMAT[schema.format ?? ""];
    if (byFormat !== undefined) return byFormat;
    if (types.includes("boolean")) return false;
    if (types.includes("object")) return {};
    throw new Error(`The field "${path}" has no example for the OpenAPI documents`);
  }

  #hasExample(property: JsonSchema): boolean {
    const inner = this.schemas.resolve(property.anyOf?.[0] ?? property);
    return property.examples !== undefined ||
      Object.values(inner.properties ?? {}).some(({ examples }) => examples);
  }
}

/** Returns the example that the schema itself has, or undefined; null can be an example. */
function ownExample(schema: JsonSchema): unknown {
  if (schema.examples?.length) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  return schema.enum?.[0];
}

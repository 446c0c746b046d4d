import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { FieldDocs } from "../../supabase/functions/_shared/contract/doc.ts";
import { extendBase, findBase } from "./inheritance.ts";
import { idOf, type JsonSchema, refTo } from "./json_schema.ts";
import { tidy } from "./tidy.ts";

/** Whether a schema describes a request (`input`) or a reply (`output`). */
export type Side = "input" | "output";

/** What a document adds to the functions' zod schemas, which cannot import the schemas of other resources. */
export interface Replacements {
  /** Schemas that replace the schemas with the same id. */
  readonly schemas?: Readonly<Record<string, z.ZodType>>;
  /** Keywords to add to a property, as `Schema.property`. */
  readonly keywords?: Readonly<Record<string, JsonSchema>>;
}

/** The schemas of one document. A schema with an id (`.meta({ id })`) is stored once, under `components`. */
export class Schemas {
  readonly #named: Record<string, JsonSchema> = {};
  readonly #objects = new Map<string, z.ZodObject>();
  readonly #bodies = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() };

  constructor(readonly replacements: Replacements = {}) {}

  /**
   * Converts a zod schema to JSON Schema.
   *
   * @param fields texts for fields without a text in the schema; they take precedence over the common texts
   * @returns the schema, or a reference to it if it has an id
   * @throws Error for a field without a text, for an enumeration without a name, or for an id of two different schemas
   */
  add(schema: z.ZodType, side: Side, fields: FieldDocs = {}): JsonSchema {
    const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, {
      io: side,
      override: (context) => {
        this.#rememberObject(context.zodSchema);
        keepDefaults(context);
      },
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [id, definition] of Object.entries($defs ?? {})) {
      const replacement = this.replacements.schemas?.[id];
      if (replacement === undefined || replacement === schema) this.#store(id, definition);
      else if (!this.#named[id]) this.add(replacement, side);
    }
    return tidy(root, fields, "", this.nameEnum);
  }

  /**
   * Adds the schema of a whole body. A list without a name gets a name: `ContactPage` for a paginated list,
   * `PipelineList` for a list without pages.
   */
  addBody(schema: z.ZodType, side: Side): JsonSchema {
    const known = this.#bodies[side].get(schema);
    if (known !== undefined) return known;
    const added = this.#addBody(schema, side);
    this.#bodies[side].set(schema, added);
    return added;
  }

  #addBody(schema: z.ZodType, side: Side): JsonSchema {
    const added = this.add(schema, side);
    const record = added.properties?.["data"]?.items && idOf(added.properties["data"].items);
    if (!record) return added;
    // A list is named for its record, even if its items have more fields (`Expanded…`).
    const id = record.replace(/^Expanded/, "") + (added.properties!["meta"] ? "Page" : "List");
    this.#keep(id, added);
    return refTo(id);
  }

  /** Returns the target of a reference; any other schema unchanged. */
  resolve(schema: JsonSchema): JsonSchema {
    const id = idOf(schema);
    return id === null ? schema : this.#named[id]!;
  }

  /** The schema that the named schema extends; null if it extends none. */
  baseOf(id: string): string | null {
    return findBase(id, this.#objects, this.#named);
  }

  /** Every named schema, for `components`. A schema that extends another refers to it (`allOf`). */
  get named(): Record<string, JsonSchema> {
    return Object.fromEntries(
      Object.entries(this.#named).map(([id, schema]) => {
        const base = this.baseOf(id);
        return [id, base === null ? schema : extendBase(base, this.#named[base]!, schema)];
      }),
    );
  }

  /** Stores an enumeration under its name, and returns a reference to it. */
  readonly nameEnum = (id: string, schema: JsonSchema): JsonSchema => {
    this.#keep(id, schema);
    return refTo(id);
  };

  #rememberObject(schema: z.core.$ZodTypes): void {
    const id = z.globalRegistry.get(schema)?.id;
    if (id !== undefined && schema instanceof z.ZodObject) this.#objects.set(id, schema);
  }

  #store(id: string, definition: JsonSchema): void {
    const tidied = tidy(definition, {}, id, this.nameEnum);
    for (const [name, property] of Object.entries(tidied.properties ?? {})) {
      Object.assign(property, this.replacements.keywords?.[`${id}.${name}`]);
    }
    this.#keep(id, tidied);
  }

  #keep(id: string, schema: JsonSchema): void {
    if (this.#named[id] && !isDeepStrictEqual(this.#named[id], schema)) {
      throw new Error(
        `The schema "${id}" differs between requests and replies, or two schemas have this id`,
      );
    }
    this.#named[id] = schema;
  }
}

/** Adds `default` and `examples` to the input of a schema that transforms: zod adds them only to the output. */
function keepDefaults({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }): void {
  const { default: value, examples } = z.globalRegistry.get(zodSchema) ?? {};
  Object.assign(
    jsonSchema,
    value !== undefined && { default: value },
    examples !== undefined && { examples },
  );
}

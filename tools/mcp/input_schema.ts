import { idOf, type JsonSchema, mapParts } from "../openapi/json_schema.ts";
import { type OpenApi, type Operation, parametersOf } from "../openapi/read_document.ts";

/** The arguments of a tool, as one flat object. */
export interface Input {
  properties: Record<string, JsonSchema>;
  required: string[];
  /** The names of the properties that are sent in the query. */
  query: string[];
  /** The description of the body, such as which fields must be sent together. */
  about: string | undefined;
}

/**
 * Puts the parameters of path and query, and the fields of the body, into one object. The object has no references,
 * because not every client resolves them.
 *
 * @throws Error if two arguments have the same name
 */
export function inputOf(document: OpenApi, operation: Operation): Input {
  const { components } = document;
  const { requestBody } = operation;
  const all = parametersOf(document, operation).filter((parameter) => parameter.in !== "header");
  const body = requestBody && inline(requestBody.content["application/json"].schema, components.schemas);
  const properties: Record<string, JsonSchema> = {};
  const add = (name: string, schema: JsonSchema) => {
    if (Object.hasOwn(properties, name)) throw new Error(`Two arguments are named "${name}"`);
    properties[name] = schema;
  };
  for (const { name, description, schema } of all) {
    add(name, { ...inline(schema, components.schemas), ...(description && { description }) });
  }
  for (const [name, schema] of Object.entries(body?.properties ?? {})) add(name, schema);
  return {
    properties,
    required: [...all.flatMap(({ name, required }) => required ? name : []), ...body?.required ?? []],
    query: all.flatMap((parameter) => parameter.in === "query" ? parameter.name : []),
    about: body?.description,
  };
}

/** Replaces references with the schemas to which they refer, and joins an object with the object that it extends. */
function inline(schema: JsonSchema, named: Record<string, JsonSchema>): JsonSchema {
  const { $ref: _, allOf, ...own } = schema;
  const id = idOf(schema);
  const inside = (part: JsonSchema) => inline(part, named);
  const merged: JsonSchema = { ...(id && inside(named[id]!)), ...own };
  for (const { properties, required, ...rest } of (allOf ?? []).map(inside)) {
    Object.assign(merged, rest, own);
    merged.properties = { ...merged.properties, ...properties };
    merged.required = [...merged.required ?? [], ...required ?? []];
  }
  return mapParts(merged, inside);
}

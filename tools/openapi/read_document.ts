// Reads an OpenAPI document for the writers of the reference, the collections, the SDK's types and the tools.
import type { JsonSchema } from "./json_schema.ts";

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  "x-needed"?: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

interface Content {
  "application/json": { schema: JsonSchema; example?: unknown };
}

export interface Reply {
  description: string;
  content?: Content;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  deprecated?: boolean;
  security: Record<string, string[]>[];
  parameters?: (Parameter | Ref)[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Reply | Ref>;
}

export interface OpenApi {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string; "x-displayName": string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Reply>;
  };
}

interface Ref {
  $ref: string;
}

/** An operation: a call with its method and path, or a delivery with its event. */
export interface ListedOperation {
  /** `GET`, `POST`, … */
  method: string;
  /** `/api-v1-contacts/{id}`; null for a delivery, which goes to the address of a subscription. */
  path: string | null;
  /** The event's type; null for a call. */
  event: string | null;
  operation: Operation;
}

/** Every call of the API, then every delivery of a webhook, in the order of the document. */
export function operationsOf({ paths, webhooks }: OpenApi): ListedOperation[] {
  const listed = (items: Record<string, Record<string, Operation>>, isCall: boolean) =>
    Object.entries(items).flatMap(([name, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: isCall ? name : null,
        event: isCall ? null : name,
        operation,
      }))
    );
  return [...listed(paths, true), ...listed(webhooks, false)];
}

/** Follows a reference into the document. Returns anything else unchanged. */
export function resolve<T extends object>(document: OpenApi, node: T | Ref): T {
  const { $ref } = node as Partial<Ref>;
  if ($ref === undefined) return node as T;
  let found: unknown = document;
  for (const part of $ref.slice("#/".length).split("/")) found = (found as Record<string, unknown>)[part];
  if (found === undefined) throw new Error(`The document has no ${$ref}`);
  return found as T;
}

export function parametersOf(document: OpenApi, { parameters = [] }: Operation): Parameter[] {
  return parameters.map((parameter) => resolve(document, parameter));
}

/** The replies of an operation, by their status (`2XX` for a range). */
export function repliesOf(document: OpenApi, { responses }: Operation): [status: string, reply: Reply][] {
  return Object.entries(responses).map(([status, reply]) => [status, resolve(document, reply)]);
}

/** The name of one object of a resource: `companies` → `company`. */
export function singular(resource: string): string {
  return resource.replace(/ies$/, "y").replace(/s$/, "");
}

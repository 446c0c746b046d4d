// Writes the operations of the OpenAPI document: a table for the client, and the types of what each takes and returns.
import type { JsonSchema } from "../../../tools/openapi/json_schema.ts";
import {
  type OpenApi,
  type Operation,
  type Parameter,
  parametersOf,
  repliesOf,
} from "../../../tools/openapi/read_document.ts";
import { docstring, typeOf } from "./schema.ts";

interface Described {
  id: string;
  method: string;
  path: string;
  /** Whether a repetition with the same `Idempotency-Key` creates nothing more. */
  keyed: boolean;
  /** Whether it is called without an API key. */
  open: boolean;
  query: Parameter[];
  body: string | null;
  reply: string;
}

/** Writes `operations.ts`. */
export function operationsText(document: OpenApi): string {
  const operations = describe(document);
  const queries = operations.filter(({ query }) => query.length > 0);
  const body = [
    ...queries.map(({ id, query }) =>
      `${docstring(`The query of \`${id}\``)}export interface ${queryName(id)} {\n${
        query.map(member).join("")
      }}\n`
    ),
    docstring("What each operation takes and returns"),
    "export interface Operations {\n",
    ...operations.map(({ id, query, body, reply }) =>
      `"${id}": { query: ${query.length > 0 ? queryName(id) : "undefined"}; body: ${
        body ?? "undefined"
      }; reply: ${reply} };\n`
    ),
    "}\n",
    docstring("The name of an operation, as in the OpenAPI documents"),
    "export type OperationId = keyof Operations;\n",
    docstring("An operation: its address below `baseUrl`, and how it may be called"),
    `export interface Operation {
      readonly method: "GET" | "POST" | "PATCH" | "DELETE";
      readonly path: string;
      /** Whether a repetition with the same \`Idempotency-Key\` creates nothing more. */
      readonly keyed?: true;
      /** Whether it is called without an API key. */
      readonly open?: true;
    }\n`,
    docstring("Every operation of the API"),
    "export const OPERATIONS: Readonly<Record<OperationId, Operation>> = {\n",
    ...operations.map(({ id, method, path, keyed, open }) =>
      `"${id}": { method: "${method}", path: "${path}"${keyed ? ", keyed: true" : ""}${
        open ? ", open: true" : ""
      } },\n`
    ),
    "};\n",
  ].join("");
  const schemas = Object.keys(document.components.schemas).filter((name) =>
    new RegExp(`\\b${name}\\b`).test(body)
  );
  return `import type {\n${schemas.map((name) => `${name},\n`).join("")}} from "./types.ts";\n\n${body}`;
}

/** Lists the operations of the document, in its order. */
function describe(document: OpenApi): Described[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = parametersOf(document, operation);
      const content = operation.requestBody?.content["application/json"].schema;
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        keyed: parameters.some(({ name }) => name === "Idempotency-Key"),
        open: operation.security.length === 0,
        query: parameters.filter((parameter) => parameter.in === "query"),
        body: content === undefined
          ? null
          : `${bodyOf(content)}${operation.requestBody?.required ? "" : " | undefined"}`,
        reply: replyOf(document, operation),
      };
    })
  );
}

/** An object without a field, such as the body of archiving, takes nothing. */
function bodyOf(schema: JsonSchema): string {
  return schema.$ref || Object.keys(schema.properties ?? {}).length > 0
    ? typeOf(schema)
    : "Record<string, never>";
}

function replyOf(document: OpenApi, operation: Operation): string {
  const types = repliesOf(document, operation)
    .filter(([status]) => status.startsWith("2"))
    .map(([, { content }]) => content ? typeOf(content["application/json"].schema) : "undefined");
  const [type, ...others] = new Set(types);
  if (type === undefined || others.length > 0) {
    throw new Error(`${operation.operationId} has ${types.length} types of reply`);
  }
  return type;
}

function queryName(id: string): string {
  return id.split(/[._]/).map((part) => part[0]!.toUpperCase() + part.slice(1)).join("") + "Query";
}

/** A moment may be a Date, and of several values a single one may stand alone. */
function member({ name, required, description, schema }: Parameter): string {
  const type = schema.type === "array"
    ? `${typeOf(schema.items!)} | ${typeOf({ type: "array", items: schema.items! })}`
    : schema.format === "date-time"
    ? "string | Date"
    : schema.type === "boolean"
    ? "boolean"
    : typeOf(schema);
  return `${docstring(description)}${name}${required ? "" : "?"}: ${type}${
    required ? "" : " | undefined"
  };\n`;
}

import {
  type ListedOperation,
  type OpenApi,
  type Parameter,
  parametersOf,
  resolve,
} from "../openapi/read_document.ts";

/** A sample call: required parameters and the document's example of the body. */
export interface ExampleCall {
  method: string;
  /** The path, with its parameters as placeholders such as `{id}`. */
  path: string;
  /** The required parameters, each with its example or null. */
  query: { name: string; value: string | null }[];
  needsKey: boolean;
  /** Undefined where no body is sent. */
  body?: unknown;
}

/** The sample call of an operation; null for a delivery, which clients do not send. */
export function exampleCall(
  document: OpenApi,
  { method, path, operation }: ListedOperation,
): ExampleCall | null {
  if (path === null) return null;
  const body = operation.requestBody?.content["application/json"].example;
  return {
    method,
    path,
    query: parametersOf(document, operation)
      .filter((parameter) => parameter.in === "query" && (parameter.required || parameter["x-needed"]))
      .map((parameter) => ({ name: parameter.name, value: exampleOf(document, parameter) })),
    needsKey: operation.security.some((requirement) => "apiKey" in requirement),
    ...(body !== undefined && { body }),
  };
}

/** The example of a parameter; null for ids of records, which differ in each workspace. */
function exampleOf(document: OpenApi, { schema, example }: Parameter): string | null {
  const value = example ?? schema.examples?.[0] ?? resolve(document, schema).enum?.[0];
  return value === undefined ? null : String(value);
}

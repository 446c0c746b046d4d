import { openApiDocument } from "./document.ts";
import type { OpenApi } from "./read_document.ts";

type Example = Record<string, unknown>;

/** Built at the first call, because building it takes longer than most tests. */
let paths: OpenApi["paths"] | undefined;

/** The path of an endpoint in the OpenAPI document, or with these ids instead of its parameters. */
export function pathOf(
  name: string,
  path: string,
  id = "{id}",
  { deliveryId = "{delivery_id}", contactId = "{contact_id}" } = {},
): string {
  const filled = path.replace(":delivery_id", deliveryId).replace(":contact_id", contactId)
    .replace(":token", id === "{id}" ? "{token}" : id);
  return `/${name}${filled.replace(":id", id).replace(/\/$/, "")}`;
}

/** The example of an endpoint's body in the OpenAPI documents; undefined if the endpoint takes no body. */
export function exampleBody(method: string, name: string, path: string): Example | undefined {
  const pathsOf = (audience: "api" | "app") => (openApiDocument(audience, "en") as unknown as OpenApi).paths;
  paths ??= { ...pathsOf("api"), ...pathsOf("app") };
  const operation = paths[pathOf(name, path)]![method.toLowerCase()]!;
  return operation.requestBody?.content["application/json"].example as Example | undefined;
}

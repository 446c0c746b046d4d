import assert from "node:assert/strict";
import type { Route } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { REPLY_HEADERS } from "../../supabase/functions/_shared/http/reply.ts";
import type { Audience } from "../../tools/openapi/audience.ts";
import { openApiDocument } from "../../tools/openapi/document.ts";
import { pathOf } from "../../tools/openapi/example_body.ts";
import type { Reply } from "./client.ts";

/** The Portuguese OpenAPI documents. */
// deno-lint-ignore no-explicit-any -- read without types, as an integrator's tool reads it
export const documents: Record<Audience, any> = {
  api: openApiDocument("api", "pt"),
  app: openApiDocument("app", "pt"),
};

const documentOf = (resource: string) => documents[resource.startsWith("app-") ? "app" : "api"];

/** Returns the description of a resource's operation. */
export function operationOf(resource: string, { method, path }: Route) {
  return documentOf(resource).paths[pathOf(resource, path)][method.toLowerCase()];
}

/** Asserts that the document declares the reply's status, code and headers for a resource's operation. */
export function assertDocumented(resource: string, route: Route, reply: Reply): void {
  const { operationId, responses } = operationOf(resource, route);
  // 2XX stands for 201 and for the 200 of a repeated creation.
  const named = responses[reply.status] ?? (reply.status === 200 && responses["2XX"]);
  assert.ok(named, `${operationId} documents no ${reply.status}: ${reply.text}`);
  const response = named.$ref
    ? documentOf(resource).components.responses[named.$ref.split("/").pop()]
    : named;
  for (const header of REPLY_HEADERS) {
    if (!reply.headers.has(header)) continue;
    assert.ok(response.headers && header in response.headers, `${operationId} ${reply.status}: ${header}`);
  }
  if (reply.status < 400) return;
  const codes = response.content["application/json"].schema.allOf[1].properties.error.properties.code.enum;
  assert.ok(codes.includes(reply.body.error.code), `${operationId}: ${reply.body.error.code}`);
}

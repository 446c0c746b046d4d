import { openApiDocument } from "../openapi/document.ts";
import { bodyFields } from "../openapi/input_fields.ts";
import type { OpenApi } from "../openapi/read_document.ts";
import { actionProperties } from "./actions.ts";
import { propertyOf } from "./fields.ts";

/** The text of the node's generated module, in English. Keys have no quotes, because n8n's linter skips quoted keys. */
export function writtenProperties(): string {
  const document = openApiDocument("api", "en") as OpenApi;
  const create = document.paths["/api-v1-webhooks"]!["post"]!;
  const field = bodyFields(document, create).find(({ name }) => name === "event_types")!;
  const { routing: _, ...events } = propertyOf(field, "body");
  const exported = { actions: actionProperties(document), eventTypes: events };
  const literal = (value: unknown) => JSON.stringify(value, null, 2).replaceAll(/^( *)"(\w+)":/gm, "$1$2:");
  return [
    "// Written by `deno task n8n` from the OpenAPI document: do not edit.",
    'import type { INodeProperties } from "n8n-workflow";',
    "",
    `export const actions: INodeProperties[] = ${literal(exported.actions)};`,
    "",
    `export const eventTypes: INodeProperties = ${literal(exported.eventTypes)};`,
    "",
  ].join("\n");
}

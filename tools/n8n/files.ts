import { openApiDocument } from "../openapi/document.ts";
import { type OpenApi, resolve } from "../openapi/read_document.ts";
import { actionProperties } from "./actions.ts";
import { propertyOf } from "./fields.ts";

/** The text of the node's written module, in English. n8n's linter reads only keys without quotes. */
export function writtenProperties(): string {
  const document = openApiDocument("api", "en") as OpenApi;
  const { event_types: schema } = resolve(document, document.components.schemas.NewSubscription!).properties!;
  const { routing: _, ...events } = propertyOf(document, {
    ...{ name: "event_types", in: "body", required: true, schema: schema!, description: schema!.description },
  });
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

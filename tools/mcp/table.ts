import type { JsonSchema } from "../openapi/json_schema.ts";
import { openApiDocument } from "../openapi/document.ts";
import { operationId, pathOf } from "../openapi/operation_id.ts";
import type { OpenApi, Operation } from "../openapi/read_document.ts";
import {
  FORMAT_ARGUMENT,
  IDEMPOTENCY_ARGUMENT,
  type Toolset,
  type WrittenTool,
} from "../../supabase/functions/mcp/tools.ts";
import { deprecationText } from "../../supabase/functions/_shared/contract/deprecation.ts";
import type { KeyEndpoint } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { keyEndpoints, type ListedEndpoint } from "../resources.ts";
import { annotationsOf } from "./annotations.ts";
import { brief } from "./brief.ts";
import { inputOf } from "./input_schema.ts";
import { NOT_TOOLS } from "./not_tools.ts";
import { OTHER_TOOLSETS } from "./toolsets.ts";

/** The name of an endpoint's tool: the id of its operation with `_`, such as `deals_move_stage`. */
export function toolName({ resource, route }: ListedEndpoint): string {
  return operationId(resource, route).replace(".", "_");
}

export const toolEndpoints = keyEndpoints.filter(({ route }) =>
  !Object.hasOwn(NOT_TOOLS, route.endpoint.operation)
);

/** The table of tools, from the tables of endpoints and the texts of the Portuguese document. */
export function toolTable(): WrittenTool[] {
  const document = openApiDocument("api", "pt") as OpenApi;
  return toolEndpoints.map((listed) => withToolNames(toolOf(listed, document)));
}

function toolOf(listed: ListedEndpoint<KeyEndpoint>, document: OpenApi): WrittenTool {
  const { resource, route } = listed;
  const { method, path, endpoint } = route;
  // An upsert sends no idempotency key: with a key, a repeated upsert would get the stored first reply and write
  // nothing. Without a key it writes its values again, also if somebody else has changed the record since.
  const idempotent = endpoint.idempotent && !("match_by" in endpoint.query.shape);
  const operation = operationOf(listed, document);
  const { properties: { expand, ...properties }, required, query, about } = inputOf(document, operation);
  for (const name of [IDEMPOTENCY_ARGUMENT, FORMAT_ARGUMENT]) {
    if (Object.hasOwn(properties, name)) throw new Error(`A field of ${listed.title} is named "${name}"`);
  }
  // A tool's batch is for imports, so it takes only upserts. The other operations have tools of their own.
  const upsert = properties["items"]?.items?.anyOf?.find(({ properties }) => "match_by" in properties!);
  if (upsert) properties["items"] = { type: "array", items: upsert };
  // In a PATCH and in an upsert null clears a field.
  const clears = method === "PATCH" || "match_by" in endpoint.query.shape;
  const fields = Object.entries(properties)
    // Leaves out utm_source and the like beside utm, whose fields have the same meaning.
    .filter(([name]) => !("utm" in properties && name.startsWith("utm_")))
    .map(([name, schema]) => [name, brief(name, schema, clears)]);
  return {
    name: toolName(listed),
    title: operation.summary,
    description: descriptionOf(listed, operation, about),
    toolset: toolsetOf(endpoint.operation),
    scope: endpoint.scope,
    required,
    properties: {
      ...Object.fromEntries(fields),
      ...(expand && { [FORMAT_ARGUMENT]: { type: "string", enum: ["concise", "detailed"] } }),
      ...(idempotent && { [IDEMPOTENCY_ARGUMENT]: IDEMPOTENCY_SCHEMA }),
    },
    annotations: annotationsOf(route),
    request: {
      resource: resource.name,
      method,
      path,
      query: query.filter((name) => name !== "expand"),
      body: endpoint.body !== undefined,
      idempotent,
      ...(expand && { expand: expand.items!.enum as string[] }),
    },
  };
}

const IDEMPOTENCY_SCHEMA: JsonSchema = {
  type: "string",
  description: "Só para criar de propósito outro registro igual",
};

function toolsetOf(operation: string): Toolset {
  const found = Object.entries(OTHER_TOOLSETS).find(([, operations]) => operations.includes(operation));
  return found ? found[0] as Toolset : "sales";
}

function operationOf({ resource, route }: ListedEndpoint, { paths }: OpenApi): Operation {
  return paths[pathOf(resource, route)]![route.method.toLowerCase()]!;
}

/**
 * Joins the summary, the description of the resource (only for a list) and the description of the body. This text is
 * the only place for conditions between fields, because clients accept no `anyOf` beside the properties of a tool.
 */
function descriptionOf({ resource, route }: ListedEndpoint, { summary }: Operation, about?: string): string {
  const { path, endpoint } = route;
  return [
    summary,
    ...(path === "/" && endpoint.body === undefined ? [resource.about.description] : []),
    // "Um contato a criar" says nothing that the summary does not say.
    ...(endpoint.operations ? [IMPORTING] : about && !about.endsWith(" a criar") ? [about] : []),
    ...(endpoint.deprecated ? [deprecationText(endpoint.deprecated).description] : []),
  ].map((text) => `${text}.`).join(" ");
}

const IMPORTING = "Para importar: op upsert com match_by; antes, experimente com dry_run";

/** Replaces addresses of endpoints in texts by the names of their tools. */
function withToolNames(tool: WrittenTool): WrittenTool {
  return JSON.parse(
    ENDPOINTS.reduce((text, [title, name]) => text.replaceAll(title, name), JSON.stringify(tool)),
  );
}

/** The address and the tool of each endpoint, longest address first: a short address may begin a longer one. */
const ENDPOINTS = toolEndpoints
  .map((listed): [string, string] => [listed.title.replace(/:(\w+)/g, "<$1>"), toolName(listed)])
  .sort(([a], [b]) => b.length - a.length);

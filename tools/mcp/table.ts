import type { JsonSchema } from "../openapi/json_schema.ts";
import { openApiDocument } from "../openapi/document.ts";
import { operationId } from "../openapi/operation_id.ts";
import type { OpenApi, Operation } from "../openapi/read_document.ts";
import { IDEMPOTENCY_ARGUMENT, type Tool } from "../../supabase/functions/mcp/tools.ts";
import { deprecationText } from "../../supabase/functions/_shared/contract/deprecation.ts";
import type { KeyEndpoint } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { keyEndpoints, type ListedEndpoint } from "../resources.ts";
import { annotationsOf } from "./annotations.ts";
import { inputOf } from "./input_schema.ts";
import { NOT_TOOLS } from "./not_tools.ts";

/** The name of an endpoint's tool: the id of its operation with `_`, such as `deals_move_stage`. */
export function toolName({ resource, route }: ListedEndpoint): string {
  return operationId(resource, route).replace(".", "_");
}

/** The endpoints that are tools. */
export const toolEndpoints = keyEndpoints.filter(({ route }) =>
  !Object.hasOwn(NOT_TOOLS, route.endpoint.operation)
);

/** Makes the table of tools from the tables of endpoints and the texts of the Portuguese document. */
export function toolTable(): Tool[] {
  const document = openApiDocument("api", "pt") as OpenApi;
  return toolEndpoints.map((listed) => withToolNames(toolOf(listed, document)));
}

function toolOf(listed: ListedEndpoint<KeyEndpoint>, document: OpenApi): Tool {
  const { resource, route } = listed;
  const { method, path, endpoint } = route;
  // Not an upsert: it finds the record that it created, and must change it again if somebody else did.
  const idempotent = endpoint.idempotent && !("match_by" in endpoint.query.shape);
  const operation = operationOf(listed, document);
  const { properties, required, query, about } = inputOf(document, operation);
  if (Object.hasOwn(properties, IDEMPOTENCY_ARGUMENT)) {
    throw new Error(`A field of ${listed.title} is named "${IDEMPOTENCY_ARGUMENT}"`);
  }
  return {
    definition: {
      name: toolName(listed),
      title: operation.summary,
      description: descriptionOf(listed, operation, about),
      inputSchema: {
        type: "object",
        properties: {
          ...properties,
          ...(idempotent && { [IDEMPOTENCY_ARGUMENT]: IDEMPOTENCY_SCHEMA }),
        },
        required,
        additionalProperties: false,
      },
      annotations: annotationsOf(route, operation.summary),
    },
    scope: endpoint.scope,
    request: {
      resource: resource.name,
      method,
      path,
      query,
      body: endpoint.body !== undefined,
      idempotent,
    },
  };
}

const IDEMPOTENCY_SCHEMA: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description:
    "Só para criar de propósito um segundo registro com os mesmos argumentos: um texto qualquer, outro a " +
    "cada registro. Sem ela, repetir a chamada dentro de 24 horas devolve a primeira resposta e não cria nada",
};

function operationOf({ resource, route }: ListedEndpoint, { paths }: OpenApi): Operation {
  const path = `/${resource.name}${route.path.replace(/:(\w+)/g, "{$1}").replace(/\/$/, "")}`;
  return paths[path]![route.method.toLowerCase()]!;
}

/**
 * The summary, what the resource is, and what the body must have: conditions between fields stand in the text alone, because
 * clients take no `anyOf` beside the properties of a tool.
 */
function descriptionOf({ resource, route }: ListedEndpoint, { summary }: Operation, about?: string): string {
  const isPage = "cursor" in route.endpoint.query.shape;
  return [
    summary,
    resource.about.description,
    ...(about ? [about] : []),
    ...(route.endpoint.deprecated ? [deprecationText(route.endpoint.deprecated).description] : []),
    ...(isPage ? ["Uma página por chamada: com meta.has_more, passe meta.next_cursor em cursor"] : []),
  ].map((text) => `${text}.`).join(" ");
}

/** Replaces addresses of endpoints in texts by the names of their tools. */
function withToolNames(tool: Tool): Tool {
  return JSON.parse(
    ENDPOINTS.reduce((text, [title, name]) => text.replaceAll(title, name), JSON.stringify(tool)),
  );
}

/** Longest first, because one address may be the beginning of another. */
const ENDPOINTS = toolEndpoints
  .map((listed): [string, string] => [listed.title.replace(/:(\w+)/g, "<$1>"), toolName(listed)])
  .sort(([a], [b]) => b.length - a.length);

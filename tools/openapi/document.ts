import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import type { Resource } from "../../supabase/functions/_shared/contract/endpoint.ts";
import type { ErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";
import { errorCodes, sortCodes } from "../errors/error_codes.ts";
import { SERVICE_VERSION } from "../../supabase/functions/_shared/runtime/service.ts";
import { type Audience, AUDIENCES } from "./audience.ts";
import { ErrorReplies } from "./error_replies.ts";
import { headersFor } from "./headers.ts";
import { type Language, selectLanguage } from "./language.ts";
import { refTo } from "./json_schema.ts";
import { appParameters, commonParameters, operation } from "./operation.ts";
import { COLLECTIONS, pathOf, tagOf, tagOfCollection } from "./operation_id.ts";
import { AnyDelivery, AnyEvent, DeliveryEnvelope, EventEnvelope } from "./events.ts";
import { type Replacements, Schemas } from "./schemas.ts";
import { titled } from "./tags.ts";
import { DELIVERIES, deliveryHeaders, webhooks } from "./webhooks.ts";

/** In the functions, an event's `data` is an open object, so that they start without the schemas of all objects. */
const WITH_EVENTS: Replacements = {
  schemas: { Event: AnyEvent },
  keywords: {
    "DeliveryDetail.body": {
      contentMediaType: "application/json",
      contentSchema: refTo("WebhookDelivery"),
    },
  },
};

/**
 * Creates the OpenAPI 3.1 document for an audience from the endpoint tables and their schemas.
 *
 * @throws Error if a declaration lacks a text or an example
 */
export function openApiDocument(audience: Audience, language: Language): unknown {
  const { title, introduction, resources, gate, securitySchemes } = AUDIENCES[audience];
  const schemas = new Schemas(audience === "api" ? WITH_EVENTS : {});
  if (audience === "api") {
    for (const schema of [DeliveryEnvelope, EventEnvelope, AnyDelivery]) schemas.add(schema, "output");
  }
  // Adds all schemas before any example: the example of an object needs the schema that the object extends.
  for (const { routes } of resources) {
    for (const { endpoint } of routes) {
      if (endpoint.body) schemas.addBody(endpoint.body, "input");
      if (endpoint.reply) schemas.addBody(endpoint.reply, "output");
    }
  }
  const errors = new ErrorReplies(schemas, gate, codesOf(resources));
  const paths = Object.assign({}, ...resources.map((resource) => pathsOf(resource, errors)));
  return selectLanguage({
    openapi: "3.1.0",
    info: {
      title,
      version: SERVICE_VERSION,
      ...introduction,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [
      { url: "http://127.0.0.1:54321/functions/v1", ...doc("A pilha local", "The local stack") },
      {
        url: "https://{project}.supabase.co/functions/v1",
        ...doc("O serviço", "The service"),
        variables: { project: { default: "project", ...doc("Projeto no Supabase", "The Supabase project") } },
      },
    ],
    tags: titled([
      ...resources.map((resource) => ({ name: tagOf(resource), ...resource.about })),
      ...Object.entries(COLLECTIONS).map(([name, about]) => ({ name: tagOfCollection(name), ...about })),
      ...(audience === "api"
        ? [{
          name: DELIVERIES,
          ...doc("Os eventos que as assinaturas recebem", "The events that subscriptions get"),
        }]
        : []),
    ]),
    paths,
    ...(audience === "api" && { webhooks: webhooks(schemas) }),
    components: {
      securitySchemes,
      parameters: audience === "api"
        ? { ...commonParameters(schemas), ...deliveryHeaders() }
        : appParameters(schemas),
      headers: headersFor(audience),
      responses: sorted(errors.named),
      schemas: sorted(schemas.named),
    },
  }, language);
}

/** Every error code that an operation of these resources returns, in the order of the table of errors. */
function codesOf(resources: readonly Resource[]): ErrorCode[] {
  return sortCodes(resources.flatMap(({ routes }) => routes.flatMap(errorCodes)));
}

function pathsOf(resource: Resource, errors: ErrorReplies): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of resource.routes) {
    (paths[pathOf(resource, route)] ??= {})[route.method.toLowerCase()] = operation(resource, route, errors);
  }
  return paths;
}

function sorted(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => a < b ? -1 : 1));
}

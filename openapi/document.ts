import { doc } from "../supabase/functions/_shared/contract/doc.ts";
import type { Resource } from "../supabase/functions/_shared/contract/endpoint.ts";
import { SERVICE_VERSION } from "../supabase/functions/_shared/runtime/service.ts";
import { type Audience, AUDIENCES } from "./audience.ts";
import { ErrorReplies } from "./error_replies.ts";
import { headersFor } from "./headers.ts";
import { type Language, selectLanguage } from "./language.ts";
import { appParameters, commonParameters, operation, tagOf } from "./operation.ts";
import { Schemas } from "./schemas.ts";
import { deliveryHeaders, webhooks } from "./webhooks.ts";

/**
 * Creates the OpenAPI 3.1 document for an audience from the endpoint tables and their schemas.
 *
 * @throws Error if a declaration lacks a text or an example
 */
export function openApiDocument(audience: Audience, language: Language): unknown {
  const { title, introduction, resources, gate, securitySchemes } = AUDIENCES[audience];
  const schemas = new Schemas();
  const errors = new ErrorReplies(schemas, gate);
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
      {
        url: "https://{project}.supabase.co/functions/v1",
        ...doc("O serviço", "The service"),
        variables: { project: { default: "project", ...doc("Projeto no Supabase", "The Supabase project") } },
      },
      { url: "http://127.0.0.1:54321/functions/v1", ...doc("A pilha local", "The local stack") },
    ],
    tags: [
      ...resources.map((resource) => ({ name: tagOf(resource), ...resource.about })),
      ...(audience === "api"
        ? [{
          name: "events",
          ...doc("Os eventos que as assinaturas recebem", "The events that subscriptions get"),
        }]
        : []),
    ],
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

function pathsOf(resource: Resource, errors: ErrorReplies): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of resource.routes) {
    const path = `/${resource.name}${route.path.replace(/:(\w+)/g, "{$1}").replace(/\/$/, "")}`;
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(resource, route, errors);
  }
  return paths;
}

function sorted(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => a < b ? -1 : 1));
}

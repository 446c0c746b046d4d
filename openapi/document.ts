import { doc } from "../supabase/functions/_shared/contract/doc.ts";
import type { Resource } from "../supabase/functions/_shared/contract/endpoint.ts";
import { SERVICE_VERSION } from "../supabase/functions/_shared/runtime/service.ts";
import { ErrorReplies } from "./error_replies.ts";
import { HEADERS } from "./headers.ts";
import { type Language, selectLanguage } from "./language.ts";
import { commonParameters, operation, tagOf } from "./operation.ts";
import { Schemas } from "./schemas.ts";
import { deliveryHeaders, webhooks } from "./webhooks.ts";

const INTRODUCTION = doc(
  [
    "API pública do CRM: leads, negócios, atividades, notas, contatos, empresas, pipelines e webhooks.",
    "Toda chamada leva a chave no cabeçalho `X-API-Key`; a chave pertence a um workspace e só alcança os dados dele.",
    "Datas e horas das respostas são ISO 8601 em UTC, com milissegundos e `Z`. Nas chamadas valem as formas comuns de " +
    "ISO 8601: `2026-01-31T12:00:00Z`, `2026-01-31T09:00-03:00`, `20260131T120000Z`, ou só a data; sem fuso, são UTC.",
    "Dinheiro é um número JSON sem símbolo de moeda.",
    "Novos campos opcionais podem surgir nas respostas sem mudança de versão: ignore os que não conhece.",
    "Nas listas com filtros, parâmetros de consulta desconhecidos são recusados; em outras chamadas são ignorados, " +
    "como os campos desconhecidos do corpo.",
    "Ainda não estão no ar, e respondem 404 `not_found`: `/api-v1/webhooks`, `/api-v1-owners`, `/api-v1-lead-sources`, " +
    "`/api-v1-loss-reasons`, `/api-v1-activity-types` e `/api-v1-custom-fields`.",
  ].join("\n\n"),
  [
    "The CRM's public API: leads, deals, activities, notes, contacts, companies, pipelines and webhooks.",
    "Every call carries the key in the header `X-API-Key`; a key belongs to one workspace and reaches only its data.",
    "Datetimes of replies are ISO 8601 in UTC, with milliseconds and `Z`. Calls may use the common forms of ISO 8601: " +
    "`2026-01-31T12:00:00Z`, `2026-01-31T09:00-03:00`, `20260131T120000Z`, or a date alone; without an offset they are UTC.",
    "Money is a JSON number without a currency symbol.",
    "New optional fields may appear in replies without a new version: ignore those that you do not know.",
    "Lists with filters refuse unknown query parameters; other calls ignore them, as unknown fields of a body are.",
    "Not live yet, and answering 404 `not_found`: `/api-v1/webhooks`, `/api-v1-owners`, `/api-v1-lead-sources`, " +
    "`/api-v1-loss-reasons`, `/api-v1-activity-types` and `/api-v1-custom-fields`.",
  ].join("\n\n"),
);

/**
 * Creates the OpenAPI 3.1 document of the whole service from the endpoint tables and their schemas.
 *
 * @throws Error if a declaration lacks a text or an example
 */
export function openApiDocument(resources: readonly Resource[], language: Language): unknown {
  const schemas = new Schemas();
  const errors = new ErrorReplies(schemas);
  const paths = Object.assign({}, ...resources.map((resource) => pathsOf(resource, errors)));
  return selectLanguage({
    openapi: "3.1.0",
    info: {
      title: "CRM API",
      version: SERVICE_VERSION,
      ...INTRODUCTION,
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
      {
        name: "events",
        ...doc("Os eventos que as assinaturas recebem", "The events that subscriptions get"),
      },
    ],
    paths,
    webhooks: webhooks(schemas),
    components: {
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          ...doc("A chave de API; começa com `svc_`", "The API key; it begins with `svc_`"),
        },
      },
      parameters: { ...commonParameters(schemas), ...deliveryHeaders() },
      headers: HEADERS,
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

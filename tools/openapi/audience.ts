import { apiResources, appResources } from "../resources.ts";
import { doc } from "../../supabase/functions/_shared/contract/doc.ts";

/** Whom a document is for: integrators with an API key, or the console of the people who are signed in. */
export type Audience = "api" | "app";

const API_INTRODUCTION = doc(
  [
    "API pública do CRM: leads, negócios, atividades, anotações, contatos, empresas, pipelines e webhooks.",
    "Toda chamada leva a chave no cabeçalho `X-API-Key`; a chave pertence a um workspace e só alcança os dados dele. " +
    "Um aplicativo que age por uma pessoa envia o token dele em `Authorization: Bearer`, em vez de uma chave.",
    "Datas e horas das respostas são ISO 8601 em UTC, com milissegundos e `Z`. As chamadas aceitam os formatos comuns " +
    "de ISO 8601: `2026-01-31T12:00:00Z`, `2026-01-31T09:00-03:00`, `20260131T120000Z`, ou só a data. Sem fuso, vale UTC.",
    "Dinheiro é um número JSON sem símbolo de moeda.",
    "Novos campos opcionais podem surgir nas respostas sem mudança de versão: ignore os que não conhece.",
    "Listas com filtros, a busca, os resumos, os upserts e os lotes recusam parâmetros de consulta desconhecidos; as " +
    "outras chamadas os ignoram. Campos desconhecidos do corpo são ignorados, a não ser com `Prefer: handling=strict`.",
    "Estes endereços ainda não estão disponíveis e respondem 404 `not_found`: `/api-v1/webhooks`, `/api-v1-owners`, " +
    "`/api-v1-lead-sources`, `/api-v1-loss-reasons`, `/api-v1-activity-types` e `/api-v1-custom-fields`.",
    "Assistentes de IA usam as mesmas operações como ferramentas pelo MCP, em `/mcp`.",
    "O site do serviço tem guias: a primeira chamada, importação, sincronização, receptores de webhooks, SDK e MCP.",
  ].join("\n\n"),
  [
    "The CRM's public API: leads, deals, activities, notes, contacts, companies, pipelines and webhooks.",
    "Every call carries the key in the header `X-API-Key`; a key belongs to one workspace and reaches only its data. " +
    "An app that acts for a person sends its token in `Authorization: Bearer` instead of a key.",
    "Dates and times in replies are ISO 8601 in UTC, with milliseconds and `Z`. Calls may use the common ISO 8601 " +
    "formats: `2026-01-31T12:00:00Z`, `2026-01-31T09:00-03:00`, `20260131T120000Z`, or a date alone. Without an " +
    "offset, they are in UTC.",
    "Money is a JSON number without a currency symbol.",
    "New optional fields may appear in replies without a new version: ignore those that you do not know.",
    "Lists with filters, the search, summaries, upserts and batches refuse unknown query parameters; other calls " +
    "ignore them. Unknown fields of a body are ignored, unless the call has `Prefer: handling=strict`.",
    "These paths are not live yet and answer 404 `not_found`: `/api-v1/webhooks`, `/api-v1-owners`, " +
    "`/api-v1-lead-sources`, `/api-v1-loss-reasons`, `/api-v1-activity-types` and `/api-v1-custom-fields`.",
    "AI assistants use the same operations as tools over MCP, at `/mcp`.",
    "The service's site has guides: the first call, imports, synchronisation, receivers of webhooks, SDK and MCP.",
  ].join("\n\n"),
);

const APP_INTRODUCTION = doc(
  [
    "As funções do console: chaves de API, aplicativos, webhooks, entregas, membros, atividade e funil de um workspace.",
    "Toda chamada leva o token de acesso do Supabase Auth em `Authorization: Bearer`. Quem é membro de vários " +
    "workspaces escolhe um no cabeçalho `X-Workspace-Id`.",
    "Integrações usam a API pública, com chave de API: veja `openapi.json`. Estas funções seguem o console e podem " +
    "mudar com ele.",
  ].join("\n\n"),
  [
    "The functions of the console: API keys, apps, webhooks, deliveries, members, activity and funnel of a workspace.",
    "Every call carries the access token of Supabase Auth in `Authorization: Bearer`. A person who is a member of " +
    "several workspaces chooses one in the header `X-Workspace-Id`.",
    "Integrations use the public API with an API key: see `openapi.json`. These functions follow the console, and may " +
    "change with it.",
  ].join("\n\n"),
);

/** What differs between the documents for each audience. */
export const AUDIENCES = {
  api: {
    title: "CRM API",
    introduction: API_INTRODUCTION,
    resources: apiResources,
    gate: "key",
    securitySchemes: {
      apiKey: {
        type: "apiKey",
        in: "header",
        name: "X-API-Key",
        ...doc("A chave de API; começa com `svc_`", "The API key; it begins with `svc_`"),
      },
      appToken: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        ...doc(
          "O token que o Supabase Auth emite (OAuth 2.1) a um aplicativo que age por uma pessoa",
          "The token that Supabase Auth issues (OAuth 2.1) to an app that acts for a person",
        ),
      },
    },
  },
  app: {
    title: "CRM app",
    introduction: APP_INTRODUCTION,
    resources: appResources,
    gate: "session",
    securitySchemes: {
      session: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        ...doc("O token de acesso do Supabase Auth", "The access token of Supabase Auth"),
      },
    },
  },
} as const;

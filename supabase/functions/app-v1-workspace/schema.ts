import { z } from "zod";
import { doc, named } from "../_shared/contract/doc.ts";
import { email, name, search, timestamp, uuid } from "../_shared/contract/fields.ts";
import { field, object, textsOf } from "../_shared/contract/object.ts";
import { ROLES } from "../_shared/contract/roles.ts";

const NAME = ["Nome da empresa", "The workspace's name", "Padaria Sol"] as const;
const ROLE = ["Papel da pessoa nesta empresa", "The person's role in it", "admin"] as const;
const WORKSPACES = ["As empresas de quem entrou", "The workspaces of the signed-in person"] as const;

const id = field(uuid(), [
  "Identificador da empresa",
  "The workspace's id",
  "019a2b3c-0000-7000-8000-000000000001",
]);

/** A workspace that the signed-in person may choose. */
const WorkspaceChoice = object({ id, name: field(name(), NAME), role: field(z.enum(ROLES), ROLE) }).meta(
  named(
    "WorkspaceChoice",
    "Uma empresa da qual a pessoa é membro",
    "A workspace in which the person is a member",
  ),
);

/** An invitation that the signed-in person has not answered. */
const Invitation = object({
  id: field(uuid(), [
    "Identificador do convite",
    "The invitation's id",
    "019a2b3c-0000-7000-8000-000000000003",
  ]),
  workspace_id: uuid(),
  workspace_name: field(name(), NAME),
  role: field(z.enum(ROLES), ["Papel que a pessoa terá", "The role that the person will have", "vendedor"]),
  invited_at: field(timestamp(), ["Quando foi convidada", "When the person was invited"]),
}).meta(named("OpenInvitation", "Um convite que espera resposta", "An invitation that waits for an answer"));

/** The reply to GET /choices, and to a call that answers an invitation. */
export const WorkspaceChoices = object({
  data: field(z.array(WorkspaceChoice), WORKSPACES),
  invitations: field(z.array(Invitation), [
    "Os convites que esperam resposta, até 100",
    "The invitations that wait for an answer, 100 at most",
  ]),
}).meta(
  named(
    "WorkspaceChoices",
    "As empresas e os convites de uma pessoa",
    "The workspaces and the invitations of a person",
  ),
);

const Session = object({
  id: field(uuid(), ["Identificador da sessão", "The session's id", "019a2b3c-0000-4000-8000-000000000004"]),
  is_current: field(z.boolean(), ["Se é a sessão que chama", "Whether it is the calling session", true]),
  user_agent: field(z.string().nullable(), [
    "O navegador, como ele se apresenta",
    "The browser, as it names itself",
    "Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0",
  ]),
  ip: field(z.string().nullable(), [
    "Endereço IP do último uso",
    "IP address of the last use",
    "203.0.113.7",
  ]),
  created_at: timestamp(),
  last_used_at: field(timestamp(), [
    "Última entrada ou renovação, que acontece a cada hora de uso",
    "Last sign-in or renewal, which happens in every hour of use",
  ]),
}).meta(named("PersonSession", "Uma sessão da pessoa", "A session of the person"));

export const SessionList = object({
  data: field(z.array(Session), [
    "As sessões da pessoa que entrou, até 100",
    "The sessions of the signed-in person, 100 at most",
  ]),
}).meta(named("SessionList", "As sessões de uma pessoa", "The sessions of a person"));

const CurrentMember = object({
  id: field(uuid(), ["Identificador do membro", "The member's id", "019a2b3c-0000-7000-8000-000000000002"]),
  name: field(name(), ["Nome do membro", "The member's name", "Ana Souza"]),
  email: field(email(), ["E-mail do membro", "The member's e-mail", "ana@exemplo.com.br"]),
  role: field(z.enum(ROLES), ROLE),
}).meta(named("CurrentMember", "Quem entrou", "Who is signed in"));

/** The usage of a workspace. Counting stops at a bound, so a count that equals its bound may be too low. */
const Usage = object({
  calls_today: field(z.int(), [
    "Chamadas à API hoje, no fuso da empresa",
    "Calls to the API today, in the workspace's time zone",
    120,
  ]),
  calls_7_days: field(z.int(), [
    "Chamadas à API em 7 dias, com hoje",
    "Calls to the API in 7 days, including today",
    980,
  ]),
  active_keys: field(z.int(), [
    "Chaves que funcionam; conta até 5.000",
    "Keys that work; counts up to 5,000",
    2,
  ]),
  active_webhooks: field(z.int(), [
    "Webhooks ativos; conta até 1.000",
    "Active webhooks; counts up to 1,000",
    1,
  ]),
  active_members: field(z.int(), [
    "Membros ativos; conta até 5.000",
    "Active members; counts up to 5,000",
    3,
  ]),
  waiting_deliveries: field(z.int(), [
    "Entregas que aguardam uma tentativa; conta até 10.000",
    "Deliveries that wait for an attempt; counts up to 10,000",
    0,
  ]),
}).meta(named("Usage", "O uso da empresa", "What the workspace uses"));

/** The kinds of alerts, the most urgent first (crm.workspace_alerts). */
export const ALERT_KINDS = ["webhook_stopped", "key_expired", "webhook_failing", "key_expiring"] as const;

/** A webhook or key that has stopped, fails or will soon expire, so that somebody must act. */
const Alert = object({
  kind: field(z.enum(ALERT_KINDS), [
    "O que houve: webhook parado por falhas, chave vencida, webhook com falhas, chave que vence em até 14 dias",
    "What happened: webhook stopped by failures, key expired, webhook failing, key that expires within 14 days",
    "webhook_stopped",
  ]),
  id: field(uuid(), ["O webhook ou a chave", "The webhook or the key"]),
  name: field(z.string(), [
    "Nome do webhook ou, sem ele, o host do seu endereço; ou nome da chave",
    "The webhook's name or, without one, the host of its URL; or the key's name",
    "exemplo.com.br",
  ]),
  since: field(timestamp().nullable(), [
    "Desde quando; para um webhook com falhas, a última entrega confirmada, ou a criação",
    "Since when; for a failing webhook, the last confirmed delivery, or its creation",
  ]),
  until: field(timestamp().nullable(), ["Quando a chave vence", "When the key expires", null]),
}).meta(named("Alert", "Algo que alguém precisa resolver", "Something that somebody has to fix"));

const FirstSteps = object({
  key: field(z.boolean(), ["Se há uma chave", "Whether there is a key", true]),
  call: field(z.boolean(), ["Se uma chave já chamou a API", "Whether a key has called the API", true]),
  webhook: field(z.boolean(), ["Se há um webhook", "Whether there is a webhook", false]),
  delivery: field(z.boolean(), [
    "Se um teste ou um evento foi entregue",
    "Whether a test or an event was delivered",
    false,
  ]),
  colleague: field(z.boolean(), [
    "Se há um segundo membro ativo, ou convidado",
    "Whether there is a second active or invited member",
    false,
  ]),
}).meta(named("FirstSteps", "Os primeiros passos de uma empresa", "The first steps of a workspace"));

export const Workspace = object({
  id,
  name: field(name(), NAME),
  suspended: field(z.boolean(), [
    "Se a empresa está suspensa: chaves recusadas, webhooks retidos",
    "Whether the workspace is suspended: keys are refused, webhooks held",
    false,
  ]),
  public_api: field(z.boolean(), [
    "Se o plano inclui a API pública",
    "Whether the plan includes the public API",
    true,
  ]),
  rate_limit_per_minute: field(z.int(), [
    "Chamadas por chave em 60 segundos",
    "Calls with each key in any 60 seconds",
    120,
  ]),
  stale_after_days: field(z.int(), [
    "Dias sem movimento até um negócio ficar parado",
    "Days without movement after which a deal is stale",
    14,
  ]),
  time_zone: field(z.string(), [
    "Fuso em que assistentes leem e escrevem horas",
    "The time zone in which assistants read and write times",
    "America/Sao_Paulo",
  ]),
  refuses_undefined_fields: field(z.boolean(), [
    "Se custom_fields só aceita os campos definidos",
    "Whether custom_fields accepts only defined fields",
    false,
  ]),
  created_at: timestamp(),
  member: field(CurrentMember, ["Quem entrou", "Who is signed in"]),
  workspaces: field(z.array(WorkspaceChoice), WORKSPACES),
  usage: field(Usage, ["O uso da empresa", "What the workspace uses"]),
  alerts: field(z.array(Alert), [
    "O que é preciso resolver, o mais urgente primeiro; vazia para vendedores",
    "What has to be fixed, the most urgent first; empty for salespeople",
  ]),
  first_steps: field(FirstSteps.nullable(), [
    "O que já foi feito; null: tudo, ou quem pede não é administrador",
    "What has been done; null: everything, or the caller is not an administrator",
  ]),
}).meta(named("Workspace", "Uma empresa, seu plano e seu uso", "A workspace, its plan and its usage"));

/** The body of PATCH: the properties that an admin may change. Only the operator may change the plan. */
export const WorkspacePatch = z.object({
  name: name().optional(),
  stale_after_days: z.int().min(1).max(3650).optional(),
  // The database checks that the time zone exists.
  time_zone: z.string().max(60).optional(),
  refuses_undefined_fields: z.boolean().optional(),
}).meta({
  ...named("WorkspacePatch", "O que muda na empresa", "What changes in the workspace"),
  fields: textsOf(Workspace),
});

/** The types that the console's search finds, in the order of its list. The last five are found only by id. */
export const SEARCHED_TYPES = [
  "key",
  "webhook",
  "deal",
  "contact",
  "company",
  "activity",
  "note",
  "proposal",
  "event",
  "delivery",
] as const;

export const WorkspaceSearchQuery = z.object({
  q: search(1).meta(doc(
    "Todas estas palavras, em qualquer ordem, sem distinguir acentos e maiúsculas; ou um identificador inteiro",
    "All of these words, in any order, ignoring accents and case; or a whole id",
    "padaria",
  )),
});

const WorkspaceFound = object({
  type: field(z.enum(SEARCHED_TYPES), ["O que é", "What it is", "contact"]),
  id: field(uuid(), ["Identificador", "Id"]),
  name: field(z.string(), [
    "O nome; o título de um negócio, o endereço de um webhook sem nome, o tipo de um evento",
    "The name; the title of a deal, the URL of a webhook without a name, the type of an event",
    "Ana Souza",
  ]),
  detail: field(z.string().nullable(), [
    "O começo da chave, o endereço do webhook, a empresa ou o e-mail do contato, o registro do evento",
    "The beginning of a key, the URL of a webhook, the company or e-mail of a contact, the record of an event",
    "Padaria Sol",
  ]),
  parent_id: field(uuid().nullable(), [
    "O registro de um evento, o webhook de uma entrega; null nos outros",
    "The record of an event, the webhook of a delivery; null for all others",
    null,
  ]),
}).meta(named("WorkspaceFound", "Algo que a busca encontrou", "Something that the search found"));

export const WorkspaceSearchResult = object({
  data: field(z.array(WorkspaceFound), [
    "Até cinco de cada tipo, os de mesmo nome primeiro",
    "At most five of each type, those with this name first",
  ]),
}).meta(named("WorkspaceSearchResult", "O que a busca encontrou", "What the search found"));

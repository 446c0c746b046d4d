import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { datetime, name, timestamp } from "../_shared/contract/fields.ts";
import { extended, field, object, textsOf } from "../_shared/contract/object.ts";
import { isWellFormedScope } from "../_shared/contract/scopes.ts";

const count = () => z.int().min(0);

const DAY = ["O dia, no fuso da empresa", "The day, in the workspace's time zone", "2026-11-21"] as const;
const HOUR = ["O começo da hora", "The beginning of the hour", "2026-11-21T13:00:00.000Z"] as const;

const DayCalls = object({
  day: field(z.iso.date(), DAY),
  calls: field(count(), ["Quantas chamadas", "How many calls", 172]),
}).meta(named("DayCalls", "As chamadas de um dia", "The calls of a day"));

const HourCalls = object({
  hour: field(timestamp(), HOUR),
  calls: field(count(), ["Quantas chamadas", "How many calls", 12]),
}).meta(named("HourCalls", "As chamadas de uma hora", "The calls of an hour"));

/** Counts of requests; null for hours and days before the oldest request that was read. */
const failures = {
  requests: field(count().nullable(), [
    "Quantas requisições; null: não lidas",
    "How many requests; null: not read",
    12,
  ]),
  failures: field(count().nullable(), [
    "Quantas falharam; null: não lidas",
    "How many failed; null: not read",
    3,
  ]),
};

const HourFailures = object({ hour: field(timestamp(), HOUR), ...failures })
  .meta(named("HourFailures", "As falhas de uma hora", "The failures of an hour"));

const DayFailures = object({ day: field(z.iso.date(), DAY), ...failures })
  .meta(named("DayFailures", "As falhas de um dia", "The failures of a day"));

const StatusCount = object({
  status: field(z.int(), ["O status HTTP", "The HTTP status", 422]),
  count: field(count(), ["Quantas vezes", "How many times", 31]),
}).meta(named("StatusCount", "Quantas falhas tiveram um status", "How many failures had a status"));

const CodeCount = extended(StatusCount, {
  code: field(z.string(), ["O código do erro", "The error's code", "validation_error"]),
}).meta(named("CodeCount", "Quantas falhas tiveram um código", "How many failures had a code"));

const BusiestMinute = object({
  minute: field(timestamp(), [
    "O começo do minuto",
    "The beginning of the minute",
    "2026-11-21T13:04:00.000Z",
  ]),
  requests: field(count(), [
    "Quantas requisições, sem as recusadas pelo limite",
    "How many requests, without those that the limit refused",
    97,
  ]),
}).meta(named("BusiestMinute", "O minuto com mais requisições", "The minute with most requests"));

const KeyFailures = object({
  time_zone: field(z.string(), ["O fuso dos dias", "The time zone of the days", "America/Sao_Paulo"]),
  is_partial: field(z.boolean(), [
    "Se há mais requisições que as 5.000 mais novas; só estas foram lidas",
    "Whether there are more requests than the newest 5,000; only these were read",
    false,
  ]),
  since: field(timestamp().nullable(), [
    "Quando começou a mais antiga das requisições lidas; null: todas foram lidas",
    "When the oldest request that was read began; null: all were read",
    null,
  ]),
  hours: field(z.array(HourFailures), [
    "As últimas 48 horas, a mais antiga primeiro",
    "The last 48 hours, oldest first",
  ]),
  days: field(z.array(DayFailures), [
    "Os últimos 7 dias, o mais antigo primeiro",
    "The last 7 days, oldest first",
  ]),
  statuses: field(z.array(StatusCount), [
    "As falhas por status, o mais comum primeiro",
    "The failures by status, the commonest first",
  ]),
  codes: field(z.array(CodeCount), [
    "Os 10 códigos de erro mais comuns, o mais comum primeiro",
    "The 10 commonest error codes, the commonest first",
  ]),
  busiest_minute: field(BusiestMinute.nullable(), [
    "O minuto com mais requisições; null: nenhuma",
    "The minute with most requests; null: none",
  ]),
  limit_per_minute: field(count(), ["O limite da chave", "The key's limit", 120]),
}).meta(
  named(
    "KeyFailures",
    "Quantas requisições de uma chave falharam em 7 dias, e por quê",
    "How many requests of a key failed in 7 days, and why",
  ),
);

const KeyCreator = object({
  id: z.uuid(),
  name: field(z.string(), ["Nome do membro", "The member's name", "Ana Souza"]),
  is_active: field(z.boolean(), [
    "Se ainda é um membro ativo; se não, a chave não cria anotações",
    "Whether the member is still active; if not, the key cannot create notes",
    true,
  ]),
}).meta(named("KeyCreator", "O membro que criou uma chave", "The member who created a key"));

const KeyCalls = object({
  total_7_days: field(count(), ["A soma dos dias", "The sum of the days", 1204]),
  failed_7_days: field(count(), [
    "As requisições que falharam, até 1.000",
    "How many requests failed, up to 1,000",
    3,
  ]),
  days: field(z.array(DayCalls), ["Por dia, o mais antigo primeiro", "By day, oldest first"]),
}).meta(
  named(
    "KeyCalls",
    "As chamadas de uma chave nos últimos 7 dias, até agora",
    "The calls of a key in the last 7 days, up to now",
  ),
);

const NAME = ["Para que serve a chave", "What the key is for", "Site"] as const;
const SCOPES = ["As permissões", "The scopes", ["leads:write"]] as const;

const NETWORKS = [
  "As redes de onde a chave pode ser usada; vazia: de qualquer lugar",
  "The networks from which the key may be used; empty: from everywhere",
  ["203.0.113.0/24", "2001:db8::/32"],
] as const;

export const Key = object({
  id: z.uuid(),
  name: field(z.string(), NAME),
  prefix: field(z.string(), ["O começo da chave", "The first characters of the key", "svc_u8g0YZp1"]),
  scopes: field(z.array(z.string()), SCOPES),
  state: z.enum(["active", "expired", "revoked"]),
  creator: field(KeyCreator, ["Quem a criou", "Who created it"]),
  created_at: timestamp(),
  expires_at: field(timestamp().nullable(), [
    "Quando vence; null: nunca",
    "When it expires; null: never",
    null,
  ]),
  revoked_at: field(timestamp().nullable(), ["Quando foi revogada", "When it was revoked", null]),
  last_used_at: field(timestamp().nullable(), [
    "A última chamada",
    "The last call",
    "2026-11-21T13:04:05.678Z",
  ]),
  active_webhooks: field(count(), [
    "Quantos webhooks ativos ela criou",
    "How many active webhooks it created",
    2,
  ]),
  rotated_at: field(timestamp().nullable(), [
    "Quando o segredo foi trocado",
    "When its secret was replaced",
    null,
  ]),
  old_secret_expires_at: field(timestamp().nullable(), [
    "Até quando o segredo anterior ainda funciona; null: não funciona",
    "Until when the previous secret works; null: it does not",
    null,
  ]),
  allowed_networks: field(z.array(z.string()), NETWORKS),
  calls: field(KeyCalls, ["O uso", "Its use"]),
}).meta(named("Key", "Uma chave de API", "An API key"));

/** The reply to the list: at most 500 keys. */
export const KeyList = z.object({ data: z.array(Key) });

const KeySubscription = object({
  id: z.uuid(),
  target_url: field(z.string(), ["O endereço", "The address", "https://exemplo.com.br/webhooks"]),
  is_active: z.boolean(),
  event_types: field(z.array(z.string()), ["Os eventos", "The events", ["deal.won"]]),
}).meta(named("KeySubscription", "Um webhook que uma chave criou", "A webhook that a key created"));

/** A key with its use and its webhooks. */
export const KeyDetail = extended(Key, {
  hours: field(z.array(HourCalls), [
    "As últimas 48 horas, a mais antiga primeiro",
    "The last 48 hours, oldest first",
  ]),
  days_30: field(z.array(DayCalls), [
    "Os últimos 30 dias, o mais antigo primeiro",
    "The last 30 days, oldest first",
  ]),
  failures: field(KeyFailures, ["O que falhou em 7 dias", "What failed in 7 days"]),
  subscriptions: field(z.array(KeySubscription), [
    "Os webhooks que ela criou",
    "The webhooks that it created",
  ]),
}).meta(named("KeyDetail", "Uma chave de API e o seu uso", "An API key and its use"));

const scope = () =>
  z.string().refine(
    isWellFormedScope,
    "Deve ter a forma <recurso>:read, <recurso>:write ou <recurso>:manage",
  );

// The database validates each network (crm.parse_network), because the operator sets networks too.
const networks = () => field(z.array(z.string().min(1).max(64)).max(20).optional(), NETWORKS);

export const NewKey = object({
  name: field(name(), NAME),
  scopes: field(z.array(scope()).min(1).max(100), SCOPES),
  expires_at: field(datetime().nullish(), [
    "Quando vence; se ausente, nunca",
    "When it expires; if absent, never",
  ]),
  allowed_networks: networks(),
}).meta(named("NewKey", "Uma nova chave", "A new key"));

const wholeKey = () =>
  field(z.string(), [
    "A chave inteira; mostrada só nesta resposta",
    "The whole key; only this reply shows it",
    "svc_exemplo",
  ]);

export const CreatedKey = extended(Key, {
  key: wholeKey(),
  warnings: field(z.array(z.string()), [
    "Uma frase, em português, para cada permissão que não dá acesso a nada",
    "A sentence, in Portuguese, for each scope that grants nothing",
    [],
  ]),
}).meta(named("CreatedKey", "A nova chave", "The new key"));

export const KeyChange = object({
  name: field(name().optional(), NAME),
  allowed_networks: networks(),
  expires_at: field(datetime().nullish(), [
    "Quando vence; null: nunca",
    "When it expires; null: never",
  ]),
})
  .meta(named("KeyChange", "O que muda em uma chave", "What changes in a key"));

export const Rotation = object({
  overlap_seconds: field(z.literal([0, 3600, 86400, 604800]), [
    "Por quantos segundos o segredo atual ainda funciona",
    "For how many seconds the current secret still works",
    86400,
  ]),
}).meta(named("Rotation", "Como trocar o segredo", "How to replace the secret"));

export const RotatedKey = extended(Key, { key: wholeKey() })
  .meta(named("RotatedKey", "A chave com o novo segredo", "The key with its new secret"));

export const Revocation = object({
  keep_webhooks: field(z.boolean().optional(), [
    "Se os webhooks que ela criou continuam; se ausente, eles também param",
    "Whether the webhooks that it created continue; if absent, they end too",
    false,
  ]),
}).meta(named("Revocation", "Como revogar a chave", "How to revoke the key"));

const RevokedSubscription = KeySubscription.pick({ id: true, target_url: true }).meta({
  ...named("RevokedSubscription", "Um webhook de uma chave revogada", "A webhook of a revoked key"),
  fields: textsOf(KeySubscription),
});

/** The reply to revoke: the key, and which of its webhooks ended or continue. */
export const RevokedKey = extended(Key, {
  was_revoked: field(z.boolean(), [
    "Se já estava revogada antes",
    "Whether it had been revoked before",
    false,
  ]),
  ended_subscriptions: field(z.array(RevokedSubscription), [
    "Os webhooks que pararam com ela",
    "Its webhooks that ended with it",
  ]),
  kept_subscriptions: field(z.array(RevokedSubscription), [
    "Os webhooks dela que continuam",
    "Its webhooks that continue",
  ]),
}).meta(named("RevokedKey", "A chave revogada", "The revoked key"));

import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { datetime, name, timestamp } from "../_shared/contract/fields.ts";
import { isWellFormedScope } from "../_shared/contract/scopes.ts";

const count = () => z.int().min(0);

const DayCalls = z.object({ day: z.iso.date(), calls: count() }).meta({
  id: "DayCalls",
  ...doc("As chamadas de um dia", "The calls of a day"),
  fields: {
    day: doc("O dia, em UTC", "The day, in UTC", "2026-11-21"),
    calls: doc("Quantas chamadas", "How many calls", 172),
  },
});

const HourCalls = z.object({ hour: timestamp(), calls: count() }).meta({
  id: "HourCalls",
  ...doc("As chamadas de uma hora", "The calls of an hour"),
  fields: {
    hour: doc("O começo da hora", "The beginning of the hour", "2026-11-21T13:00:00.000Z"),
    calls: doc("Quantas chamadas", "How many calls", 12),
  },
});

const KeyCreator = z.object({ id: z.uuid(), name: z.string(), is_active: z.boolean() }).meta({
  id: "KeyCreator",
  ...doc("O membro que criou uma chave", "The member who created a key"),
  fields: {
    name: doc("Nome do membro", "The member's name", "Ana Souza"),
    is_active: doc(
      "Se ainda é um membro ativo; se não, a chave não cria anotações",
      "Whether the member is still active; if not, the key cannot create notes",
      true,
    ),
  },
});

const KeyCalls = z.object({ total_7_days: count(), days: z.array(DayCalls) }).meta({
  id: "KeyCalls",
  ...doc(
    "As chamadas de uma chave nos últimos 7 dias, até agora",
    "The calls of a key in the last 7 days, up to now",
  ),
  fields: {
    total_7_days: doc("A soma", "Their sum", 1204),
    days: doc("Por dia, o mais antigo primeiro", "By day, oldest first"),
  },
});

const fields = {
  name: doc("Para que serve a chave", "What the key is for", "Site"),
  prefix: doc("Com o que a chave começa", "The first characters of the key", "svc_u8g0YZp1"),
  scopes: doc("As permissões", "The scopes", ["leads:write"]),
  state: doc("Se funciona, venceu ou foi revogada", "Whether it works, has expired or was revoked", "active"),
  creator: doc("Quem a criou", "Who created it"),
  expires_at: doc("Quando vence; null: nunca", "When it expires; null: never", null),
  revoked_at: doc("Quando foi revogada", "When it was revoked", null),
  last_used_at: doc("A última chamada", "The last call", "2026-11-21T13:04:05.678Z"),
  active_webhooks: doc("Quantos webhooks ativos ela criou", "How many active webhooks it created", 2),
  rotated_at: doc("Quando o segredo foi trocado", "When its secret was replaced", null),
  old_secret_expires_at: doc(
    "Até quando o segredo anterior ainda funciona; null: não funciona",
    "Until when the previous secret works; null: it does not",
    null,
  ),
  calls: doc("O uso", "Its use"),
};

/** A key without its secrets. */
export const Key = z.object({
  id: z.uuid(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  state: z.enum(["active", "expired", "revoked"]),
  creator: KeyCreator,
  created_at: timestamp(),
  expires_at: timestamp().nullable(),
  revoked_at: timestamp().nullable(),
  last_used_at: timestamp().nullable(),
  active_webhooks: count(),
  rotated_at: timestamp().nullable(),
  old_secret_expires_at: timestamp().nullable(),
  calls: KeyCalls,
}).meta({ id: "Key", ...doc("Uma chave de API", "An API key"), fields });

/** The reply to the list: at most 500 keys. */
export const KeyList = z.object({ data: z.array(Key) });

const KeySubscription = z.object({
  id: z.uuid(),
  target_url: z.string(),
  is_active: z.boolean(),
  event_types: z.array(z.string()),
}).meta({
  id: "KeySubscription",
  ...doc("Um webhook que uma chave criou", "A webhook that a key created"),
  fields: {
    target_url: doc("O endereço", "The address", "https://exemplo.com.br/webhooks"),
    event_types: doc("Os eventos", "The events", ["deal.won"]),
  },
});

/** A key with its use and its webhooks. */
export const KeyDetail = Key.extend({
  hours: z.array(HourCalls),
  days_30: z.array(DayCalls),
  subscriptions: z.array(KeySubscription),
}).meta({
  id: "KeyDetail",
  ...doc("Uma chave de API e o seu uso", "An API key and its use"),
  fields: {
    ...fields,
    hours: doc("As últimas 48 horas, a mais antiga primeiro", "The last 48 hours, oldest first"),
    days_30: doc("Os últimos 30 dias, o mais antigo primeiro", "The last 30 days, oldest first"),
    subscriptions: doc("Os webhooks que ela criou", "The webhooks that it created"),
  },
});

export const NewKey = z.object({
  name: name(),
  scopes: z.array(
    z.string().refine(
      isWellFormedScope,
      "Deve ter a forma <recurso>:read, <recurso>:write ou <recurso>:manage",
    ),
  ).min(1).max(100),
  expires_at: datetime().nullish(),
}).meta({
  id: "NewKey",
  ...doc("Uma nova chave", "A new key"),
  fields: {
    name: fields.name,
    scopes: fields.scopes,
    expires_at: doc("Quando vence; se ausente, nunca", "When it expires; if absent, never"),
  },
});

const value = doc(
  "A chave inteira; mostrada só nesta resposta",
  "The whole key; only this reply shows it",
  "svc_exemplo",
);

/** The reply to POST, with the whole key. */
export const CreatedKey = Key.extend({ key: z.string(), warnings: z.array(z.string()) }).meta({
  id: "CreatedKey",
  ...doc("A nova chave", "The new key"),
  fields: {
    ...fields,
    key: value,
    warnings: doc(
      "Uma frase, em português, para cada permissão que não dá acesso a nada",
      "A sentence, in Portuguese, for each scope that grants nothing",
      [],
    ),
  },
});

export const KeyName = z.object({ name: name() }).meta({
  id: "KeyName",
  ...doc("O novo nome de uma chave", "A key's new name"),
  fields: { name: fields.name },
});

export const Rotation = z.object({ overlap_seconds: z.literal([0, 3600, 86400, 604800]) }).meta({
  id: "Rotation",
  ...doc("Como trocar o segredo", "How to replace the secret"),
  fields: {
    overlap_seconds: doc(
      "Por quantos segundos o segredo atual ainda funciona",
      "For how many seconds the current secret still works",
      86400,
    ),
  },
});

/** The reply to rotate, with the whole new key. */
export const RotatedKey = Key.extend({ key: z.string() }).meta({
  id: "RotatedKey",
  ...doc("A chave com o novo segredo", "The key with its new secret"),
  fields: { ...fields, key: value },
});

export const Revocation = z.object({ keep_webhooks: z.boolean().optional() }).meta({
  id: "Revocation",
  ...doc("Como revogar a chave", "How to revoke the key"),
  fields: {
    keep_webhooks: doc(
      "Se os webhooks que ela criou continuam; se ausente, eles também param",
      "Whether the webhooks that it created continue; if absent, they end too",
      false,
    ),
  },
});

const RevokedSubscription = KeySubscription.pick({ id: true, target_url: true }).meta({
  id: "RevokedSubscription",
  ...doc("Um webhook de uma chave revogada", "A webhook of a revoked key"),
  fields: { target_url: doc("O endereço", "The address", "https://exemplo.com.br/webhooks") },
});

/** The reply to revoke: the key, and which of its webhooks ended. */
export const RevokedKey = Key.extend({
  was_revoked: z.boolean(),
  ended_subscriptions: z.array(RevokedSubscription),
  kept_subscriptions: z.array(RevokedSubscription),
}).meta({
  id: "RevokedKey",
  ...doc("A chave revogada", "The revoked key"),
  fields: {
    ...fields,
    was_revoked: doc("Se já estava revogada antes", "Whether it had been revoked before", false),
    ended_subscriptions: doc("Os webhooks que pararam com ela", "Its webhooks that ended with it"),
    kept_subscriptions: doc("Os webhooks dela que continuam", "Its webhooks that continue"),
  },
});

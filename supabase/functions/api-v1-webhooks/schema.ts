import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { extended, field, object } from "../_shared/contract/object.ts";
import { Reference } from "../_shared/contract/reference.ts";
import { reactivation } from "./operations.ts";
import { subscription } from "./record.ts";

/** The reply to the list, which has no pages (spec 4.5). */
export const SubscriptionList = z.object({ data: z.array(subscription.reply) });

/** The secret in the reply that creates it. */
export const secret = field(z.string(), [
  "O segredo com que as entregas são assinadas; só esta resposta o mostra",
  "The secret that signs the deliveries; only this reply shows it",
  "whsec_exemplo",
]);

const created = subscription.reply
  .pick({
    id: true,
    event_types: true,
    target_url: true,
    is_active: true,
    created_at: true,
    filters: true,
    payload: true,
    header: true,
    name: true,
  })
  .meta({ fields: subscription.texts() });

export const CreatedSubscription = extended(created, { secret }).meta(
  named("CreatedSubscription", "A nova assinatura, com o segredo", "The new subscription, with its secret"),
);

const Day = object({
  day: field(z.iso.date(), ["O dia", "The day", "2026-11-21"]),
  delivered: field(z.int(), ["Entregues", "Delivered", 12]),
  failed: field(z.int(), ["Falharam de vez", "Failed for good", 0]),
  waiting: field(z.int(), ["Aguardam uma tentativa", "Waiting for an attempt", 1]),
}).meta(
  named(
    "DeliveryDay",
    "As entregas de um dia, no fuso da empresa",
    "The deliveries of a day, in the workspace's time zone",
  ),
);

const MS = (part: string, share: string) =>
  [
    `Tempo em que ${part} das respostas chegaram, em ms; null se não houve nenhuma`,
    `Time within which ${share} of the answers arrived, in ms; null if there were none`,
    81,
  ] as const;

const Recent = object({
  attempts: field(z.int(), ["Quantas foram", "How many there were", 130]),
  success_rate: field(z.number().nullable(), [
    "A parte das tentativas que deu certo, de 0 a 1; null se não houve nenhuma",
    "The part of the attempts that succeeded, from 0 to 1; null if there were none",
    0.985,
  ]),
  median_ms: field(z.int().nullable(), MS("metade", "half")),
  p95_ms: field(z.int().nullable(), MS("95%", "95%")),
}).meta(
  named(
    "RecentAttempts",
    "As tentativas das 200 entregas mais novas dos últimos 7 dias; de menos, se a lista tem mais de 20 webhooks",
    "The attempts of the newest 200 deliveries of the last 7 days; of fewer if the list has more than 20 webhooks",
  ),
);

/** The fields that `crm.subscription_overviews` adds to a subscription. */
export const overview = {
  key: field(Reference.nullable(), [
    "A chave que criou a assinatura, que para se a chave é revogada; null se foi criada no console",
    "The key that created the subscription, which stops if the key is revoked; null if created in the console",
  ]),
  days: field(z.array(Day), [
    "As entregas dos últimos 7 dias, o mais antigo primeiro; conta as 1.000 mais novas, ou menos se há mais de 20 " +
    "webhooks",
    "The deliveries of the last 7 days, oldest first; counts the newest 1,000, or fewer with more than 20 webhooks",
  ]),
  days_are_partial: field(z.boolean(), [
    "Se pode haver mais entregas do que as contadas",
    "Whether there may be more deliveries than were counted",
    false,
  ]),
  recent: field(Recent, ["As tentativas mais novas", "The newest attempts"]),
};

export const SubscriptionDetail = extended(subscription.reply, overview).meta(
  named(
    "SubscriptionDetail",
    "Uma assinatura, e as entregas de 7 dias",
    "A subscription, and the deliveries of 7 days",
  ),
);

export const ReactivatedSubscription = extended(subscription.reply, reactivation)
  .meta(named("ReactivatedSubscription", "A assinatura, ativa", "The subscription, active"));

/** The reply to POST /:id/rotate-secret, with the new secret. */
export const RotatedSubscription = extended(subscription.reply, { secret }).meta(
  named("RotatedSubscription", "A assinatura, com o novo segredo", "The subscription, with its new secret"),
);

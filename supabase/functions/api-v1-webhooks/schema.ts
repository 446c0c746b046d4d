import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { Reference } from "../_shared/contract/reference.ts";
import { reactivation } from "./operations.ts";
import { subscription } from "./record.ts";

/** The reply to the list, which has no pages (spec 4.5). */
export const SubscriptionList = z.object({ data: z.array(subscription.reply) });

const secretText = doc(
  "Segredo das assinaturas; mostrado só nesta resposta",
  "The secret for signatures; only this reply shows it",
  "whsec_exemplo",
);

/** The reply to POST, with the secret. */
export const CreatedSubscription = subscription.reply
  .pick({ id: true, event_types: true, target_url: true, is_active: true, created_at: true })
  .extend({ secret: z.string() })
  .meta({
    id: "CreatedSubscription",
    ...doc("A nova assinatura, com o segredo", "The new subscription, with its secret"),
    fields: { ...subscription.texts(), secret: secretText },
  });

const Day = z.object({ day: z.iso.date(), delivered: z.int(), failed: z.int(), waiting: z.int() }).meta({
  id: "DeliveryDay",
  ...doc("As entregas de um dia, em UTC", "The deliveries of a day, in UTC"),
  fields: {
    day: doc("O dia", "The day", "2026-11-21"),
    delivered: doc("Entregues", "Delivered", 12),
    failed: doc("Falharam de vez", "Failed for good", 0),
    waiting: doc("Aguardam uma tentativa", "Waiting for an attempt", 1),
  },
});

/** The fields that `crm.subscription_overviews` adds to a subscription. */
export const overview = {
  fields: { key: Reference.nullable(), days: z.array(Day), days_are_partial: z.boolean() },
  texts: {
    key: doc(
      "A chave que criou a assinatura, que para com ela; null se foi criada no console",
      "The key that created the subscription, which ends with the key; null if created in the console",
    ),
    days: doc(
      "As entregas dos últimos 7 dias, o mais antigo primeiro; conta as 1.000 mais novas, ou menos numa lista longa",
      "The deliveries of the last 7 days, oldest first; counts the newest 1,000, or fewer in a long list",
    ),
    days_are_partial: doc(
      "Se pode haver mais entregas do que as contadas",
      "Whether there may be more deliveries than were counted",
      false,
    ),
  },
};

/** The reply to GET /:id. */
export const SubscriptionDetail = subscription.reply.extend(overview.fields).meta({
  id: "SubscriptionDetail",
  ...doc("Uma assinatura, e as entregas de 7 dias", "A subscription, and the deliveries of 7 days"),
  fields: { ...subscription.texts(), ...overview.texts },
});

/** The reply to POST /:id/reactivate. */
export const ReactivatedSubscription = subscription.reply.extend(reactivation.fields).meta({
  id: "ReactivatedSubscription",
  ...doc("A assinatura, ativa", "The subscription, active"),
  fields: { ...subscription.texts(), ...reactivation.texts },
});

/** The reply to POST /:id/rotate-secret, with the new secret. */
export const RotatedSubscription = subscription.reply.extend({ secret: z.string() }).meta({
  id: "RotatedSubscription",
  ...doc("A assinatura, com o novo segredo", "The subscription, with its new secret"),
  fields: { ...subscription.texts(), secret: secretText },
});

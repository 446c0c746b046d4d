import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { uuid } from "../_shared/contract/fields.ts";
import { Reference } from "../_shared/contract/reference.ts";
import { subscription } from "../api-v1-webhooks/record.ts";

const Day = z.object({
  day: z.iso.date(),
  delivered: z.int(),
  failed: z.int(),
  waiting: z.int(),
}).meta({
  id: "DeliveryDay",
  ...doc("As entregas de um dia, em UTC", "The deliveries of a day, in UTC"),
  fields: {
    day: doc("O dia", "The day", "2026-11-21"),
    delivered: doc("Entregues", "Delivered", 12),
    failed: doc("Falharam de vez", "Failed for good", 0),
    waiting: doc("Aguardam uma tentativa", "Waiting for an attempt", 1),
  },
});

const fields = {
  ...subscription.texts(),
  key: doc(
    "A chave que criou o webhook, que para com ela; null se foi criado no console",
    "The key that made the webhook, which ends with it; null if it was made in the console",
  ),
  held: doc(
    "Se as entregas aguardam porque a empresa está suspensa ou sem a API pública",
    "Whether deliveries wait because the workspace is suspended or has no public API",
    false,
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
  secret: doc(
    "Segredo das assinaturas; mostrado só nesta resposta",
    "The secret of the signatures; shown in this reply only",
    "whsec_exemplo",
  ),
  revoked_key: doc(
    "A chave que criou o webhook, se está revogada",
    "The key that made the webhook, if it is revoked",
  ),
  resumed: doc("Quantas entregas aguardavam", "How many deliveries were waiting", 3),
};

/** The reply of GET /:id. */
export const Webhook = subscription.reply.extend({
  key: Reference.nullable(),
  held: z.boolean(),
  days: z.array(Day),
  days_are_partial: z.boolean(),
}).meta({ id: "Webhook", ...doc("Um webhook", "A webhook"), fields });

/** The reply of GET /, which is not paginated: 200 webhooks at most. */
export const WebhookList = z.object({ data: z.array(Webhook) });

/** The reply of POST / and of POST /:id/rotate: the only replies that show a secret. */
export const WebhookWithSecret = Webhook.extend({ secret: z.string() }).meta({
  id: "WebhookWithSecret",
  ...doc("O webhook, com o novo segredo", "The webhook, with its new secret"),
  fields,
});

const RevokedMaker = Reference.extend({ prefix: z.string() }).meta({
  id: "RevokedMaker",
  ...doc("Uma chave revogada", "A key that is revoked"),
  fields: {
    name: doc("Nome", "Name", "Site"),
    prefix: doc("Começo da chave", "How the key begins", "svc_u8g0YZp1"),
  },
});

/** The reply of POST /:id/reactivate. */
export const ReactivatedWebhook = Webhook.extend({ resumed: z.int(), revoked_key: RevokedMaker.nullable() })
  .meta({
    id: "ReactivatedWebhook",
    ...doc("O webhook, ativo", "The webhook, active"),
    fields,
  });

/** The reply of POST /:id/test. */
export const TestSent = z.object({ delivery_id: uuid(), held: z.boolean() }).meta({
  id: "TestSent",
  ...doc("A entrega de teste", "The test delivery"),
  fields: {
    delivery_id: doc("A entrega do evento de teste", "The delivery of the test event"),
    held: fields.held,
  },
});

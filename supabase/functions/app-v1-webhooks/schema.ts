import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { reactivation } from "../api-v1-webhooks/operations.ts";
import { subscription } from "../api-v1-webhooks/record.ts";
import { overview } from "../api-v1-webhooks/schema.ts";

const fields = {
  ...subscription.texts(),
  ...overview.texts,
  ...reactivation.texts,
  secret: doc(
    "Segredo das assinaturas; mostrado só nesta resposta",
    "The secret for signatures; only this reply shows it",
    "whsec_exemplo",
  ),
};

/** The reply to GET /:id. */
export const Webhook = subscription.reply.extend(overview.fields)
  .meta({ id: "Webhook", ...doc("Um webhook", "A webhook"), fields });

/** The reply to GET /, without pages: at most 200 webhooks. */
export const WebhookList = z.object({ data: z.array(Webhook) });

/** The reply to POST / and POST /:id/rotate, with the secret. */
export const WebhookWithSecret = Webhook.extend({ secret: z.string() }).meta({
  id: "WebhookWithSecret",
  ...doc("O webhook, com o novo segredo", "The webhook, with its new secret"),
  fields,
});

/** The reply to POST /:id/reactivate. */
export const ReactivatedWebhook = Webhook.extend(reactivation.fields).meta({
  id: "ReactivatedWebhook",
  ...doc("O webhook, ativo", "The webhook, active"),
  fields,
});

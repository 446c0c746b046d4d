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
    "The secret of the signatures; shown in this reply only",
    "whsec_exemplo",
  ),
};

/** The reply of GET /:id. */
export const Webhook = subscription.reply.extend(overview.fields)
  .meta({ id: "Webhook", ...doc("Um webhook", "A webhook"), fields });

/** The reply of GET /, which is not paginated: 200 webhooks at most. */
export const WebhookList = z.object({ data: z.array(Webhook) });

/** The reply of POST / and of POST /:id/rotate: the only replies that show a secret. */
export const WebhookWithSecret = Webhook.extend({ secret: z.string() }).meta({
  id: "WebhookWithSecret",
  ...doc("O webhook, com o novo segredo", "The webhook, with its new secret"),
  fields,
});

/** The reply of POST /:id/reactivate. */
export const ReactivatedWebhook = Webhook.extend(reactivation.fields).meta({
  id: "ReactivatedWebhook",
  ...doc("O webhook, ativo", "The webhook, active"),
  fields,
});

import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { extended } from "../_shared/contract/object.ts";
import { reactivation } from "../api-v1-webhooks/operations.ts";
import { subscription } from "../api-v1-webhooks/record.ts";
import { overview, secret } from "../api-v1-webhooks/schema.ts";

export const Webhook = extended(subscription.reply, overview)
  .meta(named("Webhook", "Um webhook", "A webhook"));

/** The reply to GET /, without pages: at most 200 webhooks. */
export const WebhookList = z.object({ data: z.array(Webhook) });

/** The reply to POST / and POST /:id/rotate, with the secret. */
export const WebhookWithSecret = extended(Webhook, { secret })
  .meta(named("WebhookWithSecret", "O webhook, com o novo segredo", "The webhook, with its new secret"));

export const ReactivatedWebhook = extended(Webhook, reactivation)
  .meta(named("ReactivatedWebhook", "O webhook, ativo", "The webhook, active"));

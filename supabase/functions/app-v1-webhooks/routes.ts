import { doc } from "../_shared/contract/doc.ts";
import type { Json } from "../_shared/contract/json.ts";
import { endpoint, noBody, resource } from "../_shared/contract/endpoint.ts";
import { uuidV7 } from "../_shared/runtime/uuid.ts";
import { createSecret } from "../_shared/webhooks/secret.ts";
import { withSealedHeader } from "../api-v1-webhooks/own_header.ts";
import { subscription } from "../api-v1-webhooks/record.ts";
import { operations, SecretRotation } from "../api-v1-webhooks/operations.ts";
import { ReactivatedWebhook, Webhook, WebhookList, WebhookWithSecret } from "./schema.ts";

/**
 * The arguments of a member's verb. Such a verb refuses an empty `name` and treats null as absent. The name is
 * therefore sent as `webhook_name`; an empty `webhook_name` removes the name.
 */
async function memberArgs({ name, ...body }: Record<string, Json>, id: string) {
  return { ...await withSealedHeader(body, id), ...(name !== undefined && { webhook_name: name ?? "" }) };
}

export const webhooks = resource(
  "app-v1-webhooks",
  {
    "GET /": endpoint({
      summary: doc("Lista os webhooks", "List webhooks"),
      role: "vendedor",
      reply: WebhookList,
      verb: "subscription_list",
    }),
    "GET /:id": endpoint({
      summary: doc("Mostra um webhook", "Show a webhook"),
      role: "vendedor",
      reply: Webhook,
      verb: "subscription_get",
    }),
    "POST /": endpoint({
      summary: doc("Cria um webhook", "Create a webhook"),
      role: "gestor",
      body: subscription.create,
      reply: WebhookWithSecret,
      status: 201,
      verb: "subscription_create",
      errors: ["invalid_reference"],
      prepare: async (body) => {
        const id = uuidV7();
        const { encrypted, reveal } = await createSecret(id);
        return { args: { ...await memberArgs(body, id), new_id: id, secret: encrypted }, reveal };
      },
    }),
    "PATCH /:id": endpoint({
      summary: doc(
        "Muda o nome, os eventos, os filtros, o corpo ou o cabeçalho",
        "Change name, events, filters, body or header",
      ),
      role: "gestor",
      body: subscription.update,
      reply: Webhook,
      verb: "subscription_update",
      errors: ["invalid_reference"],
      prepare: async (body, { id = "" }) => ({
        args: await memberArgs(body as Record<string, Json>, id),
      }),
    }),
    "POST /:id/deliveries/redeliver": endpoint({
      role: "gestor",
      ...operations.redeliver,
      verb: "subscription_redeliver",
    }),
    "POST /:id/test": endpoint({ role: "gestor", ...operations.test, verb: "subscription_test" }),
    "POST /:id/reactivate": endpoint({
      summary: doc("Reativa um webhook parado", "Reactivate a webhook that has stopped"),
      role: "gestor",
      ...noBody,
      reply: ReactivatedWebhook,
      verb: "subscription_reactivate",
    }),
    "POST /:id/recover": endpoint({ role: "gestor", ...operations.recover, verb: "subscription_recover" }),
    "POST /:id/rotate": endpoint({
      summary: doc("Troca o segredo de um webhook", "Replace the secret of a webhook"),
      role: "gestor",
      body: SecretRotation,
      reply: WebhookWithSecret,
      verb: "subscription_rotate",
      prepare: async ({ overlap_seconds }, { id = "" }) => {
        const { encrypted, reveal } = await createSecret(id);
        return { args: { overlap_seconds, secret: encrypted }, reveal };
      },
    }),
    "DELETE /:id": endpoint({
      summary: doc("Desativa um webhook", "Deactivate a webhook"),
      role: "gestor",
      reply: null,
      status: 204,
      verb: "subscription_delete",
    }),
  },
  doc("Os webhooks da empresa", "The webhooks of the workspace"),
);

import { doc } from "../_shared/contract/doc.ts";
import type { Json } from "../_shared/contract/json.ts";
import { endpoint, noBody, resource } from "../_shared/contract/endpoint.ts";
import { uuidV7 } from "../_shared/runtime/uuid.ts";
import { createSecret } from "../_shared/webhooks/secret.ts";
import { DeliveryDetail, DeliveryFilter, DeliveryList, Redelivery } from "./delivery.ts";
import { operations, SecretRotation } from "./operations.ts";
import { withSealedHeader } from "./own_header.ts";
import { subscription } from "./record.ts";
import {
  CreatedSubscription,
  ReactivatedSubscription,
  RotatedSubscription,
  SubscriptionDetail,
  SubscriptionList,
} from "./schema.ts";

export const webhooks = resource(
  "api-v1-webhooks",
  {
    "GET /": endpoint({
      summary: doc("Lista as assinaturas", "List subscriptions"),
      scope: "webhooks:manage",
      reply: SubscriptionList,
      verb: "webhook_list",
    }),
    "POST /": endpoint({
      summary: doc("Assina eventos", "Subscribe to events"),
      scope: "webhooks:manage",
      body: subscription.create,
      reply: CreatedSubscription,
      status: 201,
      verb: "webhook_create",
      errors: ["invalid_reference"],
      prepare: async (body) => {
        const id = uuidV7();
        const { encrypted, reveal } = await createSecret(id);
        return { args: { ...await withSealedHeader(body, id), id, encrypted_secret: encrypted }, reveal };
      },
    }),
    "GET /:id": endpoint({
      summary: doc("Mostra uma assinatura", "Show a subscription"),
      scope: "webhooks:manage",
      reply: SubscriptionDetail,
      verb: "webhook_get",
      etag: true,
    }),
    "PATCH /:id": endpoint({
      summary: doc(
        "Muda o nome, os eventos, os filtros, o corpo ou o cabeçalho",
        "Change name, events, filters, body or header",
      ),
      scope: "webhooks:manage",
      body: subscription.update,
      reply: subscription.reply,
      verb: "webhook_update",
      errors: ["invalid_reference"],
      prepare: async (body, { id = "" }) => ({
        args: await withSealedHeader(body as Record<string, Json>, id),
      }),
    }),
    "GET /:id/deliveries": endpoint({
      summary: doc("Lista as entregas de uma assinatura", "List the deliveries of a subscription"),
      scope: "webhooks:manage",
      query: DeliveryFilter,
      reply: DeliveryList,
      verb: "webhook_deliveries",
    }),
    "GET /:id/deliveries/:delivery_id": endpoint({
      summary: doc("Mostra uma entrega e suas tentativas", "Show a delivery and its attempts"),
      scope: "webhooks:manage",
      reply: DeliveryDetail,
      verb: "webhook_delivery",
    }),
    "POST /:id/deliveries/:delivery_id/redeliver": endpoint({
      summary: doc("Reenvia uma entrega", "Send a delivery again"),
      scope: "webhooks:manage",
      ...noBody,
      reply: Redelivery,
      verb: "webhook_redeliver",
      errors: ["subscription_inactive", "queue_full"],
    }),
    "POST /:id/deliveries/redeliver": endpoint({
      scope: "webhooks:manage",
      ...operations.redeliver,
      verb: "webhook_redeliver_all",
    }),
    "POST /:id/test": endpoint({ scope: "webhooks:manage", ...operations.test, verb: "webhook_test" }),
    "POST /:id/reactivate": endpoint({
      summary: doc("Reativa uma assinatura inativa", "Reactivate an inactive subscription"),
      scope: "webhooks:manage",
      ...noBody,
      reply: ReactivatedSubscription,
      verb: "webhook_reactivate",
    }),
    "POST /:id/recover": endpoint({
      scope: "webhooks:manage",
      ...operations.recover,
      verb: "webhook_recover",
    }),
    "POST /:id/rotate-secret": endpoint({
      summary: doc("Troca o segredo de uma assinatura", "Replace the secret of a subscription"),
      scope: "webhooks:manage",
      body: SecretRotation,
      reply: RotatedSubscription,
      verb: "webhook_rotate_secret",
      prepare: async ({ overlap_seconds }, { id = "" }) => {
        const { encrypted, reveal } = await createSecret(id);
        return { args: { overlap_seconds, encrypted_secret: encrypted }, reveal };
      },
    }),
    "DELETE /:id": endpoint({
      summary: doc("Desativa uma assinatura", "Deactivate a subscription"),
      scope: "webhooks:manage",
      reply: null,
      status: 204,
      verb: "webhook_delete",
    }),
  },
  doc(
    "Assinaturas de eventos, entregues por HTTP e assinadas",
    "Subscriptions to events, delivered over HTTP and signed",
  ),
);

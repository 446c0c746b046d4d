import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { uuidV7 } from "../_shared/runtime/uuid.ts";
import { encryptSecret, generateSecret } from "../_shared/webhooks/secret.ts";
import { subscription } from "./record.ts";
import { CreatedSubscription, SubscriptionList } from "./schema.ts";

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
      errors: ["invalid_event_type", "invalid_target_url"],
      prepare: async (body) => {
        const [id, secret] = [uuidV7(), generateSecret()];
        return {
          args: { ...body, id, encrypted_secret: await encryptSecret(secret, id) },
          reveal: { secret },
        };
      },
    }),
    "DELETE /:id": endpoint({
      summary: doc("Desativa uma assinatura", "Deactivate a subscription"),
      scope: "webhooks:manage",
      reply: null,
      status: 204,
      verb: "webhook_delete",
      errors: ["not_found"],
    }),
  },
  doc(
    "Assinaturas de eventos, entregues por HTTP e assinadas",
    "Subscriptions to events, delivered over HTTP and signed",
  ),
);

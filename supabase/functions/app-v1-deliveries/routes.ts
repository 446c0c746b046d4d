import { doc } from "../_shared/contract/doc.ts";
import { endpoint, noBody, resource } from "../_shared/contract/endpoint.ts";
import { DeliveryDetail, DeliveryFilter, DeliveryList, Redelivery } from "./schema.ts";

export const deliveries = resource(
  "app-v1-deliveries",
  {
    "GET /": endpoint({
      summary: doc("Lista as entregas", "List the deliveries"),
      role: "vendedor",
      query: DeliveryFilter,
      reply: DeliveryList,
      verb: "delivery_list",
      errors: ["not_found"],
    }),
    "GET /:id": endpoint({
      summary: doc("Mostra uma entrega", "Show a delivery"),
      role: "vendedor",
      reply: DeliveryDetail,
      verb: "delivery_get",
    }),
    "POST /:id/redeliver": endpoint({
      summary: doc("Reenvia uma entrega", "Send a delivery again"),
      role: "gestor",
      ...noBody,
      reply: Redelivery,
      verb: "delivery_redeliver",
      errors: ["subscription_inactive", "queue_full"],
    }),
  },
  doc("As entregas dos webhooks", "The deliveries of the webhooks"),
);

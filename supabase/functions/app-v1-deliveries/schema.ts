import { doc } from "../_shared/contract/doc.ts";
import { uuid } from "../_shared/contract/fields.ts";
import { DeliveryFilter as Filter } from "../api-v1-webhooks/delivery.ts";

export { DeliveryDetail, DeliveryList, Redelivery } from "../api-v1-webhooks/delivery.ts";

export const DeliveryFilter = Filter.extend({
  subscription_id: uuid().optional().meta(doc("Só as deste webhook", "Only those of this webhook")),
});

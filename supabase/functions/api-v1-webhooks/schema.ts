import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { subscription } from "./record.ts";

/** The reply of the list, which is not paginated (spec 4.5). */
export const SubscriptionList = z.object({ data: z.array(subscription.reply) });

/** The reply of POST: the only reply that shows the secret. */
export const CreatedSubscription = subscription.reply
  .pick({ id: true, event_types: true, target_url: true, is_active: true, created_at: true })
  .extend({ secret: z.string() })
  .meta({
    id: "CreatedSubscription",
    ...doc("A nova assinatura, com o segredo", "The new subscription, with its secret"),
    fields: {
      ...subscription.texts(),
      secret: doc(
        "Segredo das assinaturas; mostrado só nesta resposta",
        "The secret of the signatures; shown in this reply only",
        "whsec_exemplo",
      ),
    },
  });

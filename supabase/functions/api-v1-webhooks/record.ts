import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { EVENT_TYPES, isEventType } from "../_shared/contract/events.ts";
import { MAX_URL_LENGTH, text as textOf } from "../_shared/contract/fields.ts";
import { record } from "../_shared/contract/record.ts";
import {
  autoTimestamp,
  eventTypes,
  flag,
  readOnlyDatetime,
  readOnlyId,
  readOnlyNumber,
  textWith,
} from "../_shared/contract/record_fields.ts";
import { withCode } from "../_shared/http/validation.ts";
import { checkTarget } from "../_shared/webhooks/target.ts";

const knownEvent = () =>
  z.string()
    .refine(isEventType, withCode("invalid_event_type", `Deve ser um de ${EVENT_TYPES.join(", ")}`))
    .meta({ enum: [...EVENT_TYPES] });

const publicTarget = () =>
  textOf(MAX_URL_LENGTH, 1)
    .refine((url) => checkTarget(url).ok, {
      params: { code: "invalid_target_url" },
      error: ({ input }) => {
        const target = checkTarget(String(input));
        return target.ok ? undefined : target.message;
      },
    })
    .meta({ minLength: 1, maxLength: MAX_URL_LENGTH, format: "uri" });

/** A webhook subscription (spec 2.6). Its signing secret is stored in another table, and shown once (schema.ts). */
export const subscription = record("subscription", {
  table: "webhook_subscriptions",
  sql: ["insert"],
  // The key that made it. When the key is revoked, the subscription ends.
  hidden: ["key_id"],
  schema: "Subscription",
  text: doc("Uma assinatura de webhook", "A webhook subscription"),
  create: doc("Uma assinatura a criar", "A subscription to create"),
}, {
  // Made by the function, because the secret is sealed for this id (routes.ts).
  id: readOnlyId({ written: "by the verb" }),
  event_types: eventTypes(
    // Duplicates are removed, so that an event makes one delivery.
    z.array(knownEvent()).min(1).transform((events) => [...new Set(events)]),
    z.array(z.enum(EVENT_TYPES)),
    {
      text: doc("Os eventos assinados", "The events subscribed to", ["lead.received", "deal.won"]),
      presence: "required",
      written: "on create",
    },
  ),
  target_url: textWith(publicTarget(), {
    text: doc(
      "Endereço que recebe as entregas: https e público",
      "The address that deliveries go to: https and public",
      "https://example.com/hooks/crm",
    ),
    presence: "required",
    written: "on create",
  }),
  is_active: flag({
    text: doc(
      "Se recebe entregas; deixa de receber na 5ª falha de uma entrega, ou quando removida",
      "Whether it gets deliveries; it becomes inactive after the 5th failure of a delivery, or when it is deleted",
      true,
    ),
    presence: "required",
    written: "by the database",
  }),
  failure_count: readOnlyNumber({
    text: doc("Tentativas que falharam desde o último sucesso", "Failed attempts since the last success", 0),
  }),
  last_success_at: readOnlyDatetime({
    text: doc("A última tentativa que deu certo", "The last attempt that succeeded"),
  }),
  last_failure_at: readOnlyDatetime({
    text: doc("A última tentativa que falhou", "The last attempt that failed"),
  }),
  created_at: autoTimestamp(),
});

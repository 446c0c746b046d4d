import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { EVENT_TYPES } from "../_shared/contract/events.ts";
import { timestamp, uuid } from "../_shared/contract/fields.ts";

const fields = {
  id: doc(
    "Identificador da entrega, o delivery_id do corpo",
    "The delivery's id, the delivery_id of the body",
  ),
  subscription_id: doc("O webhook", "The webhook"),
  target_url: doc("Para onde vai", "Where it goes", "https://example.com/hooks/crm"),
  event: doc("O evento", "The event", "deal.won"),
  state: doc("Situação da entrega", "State of the delivery", "delivered"),
  attempts: doc("Tentativas feitas, de 5", "Attempts made, of 5", 1),
  last_status: doc("Status HTTP da última resposta", "HTTP status of the last response", 204),
  last_reason: doc("Por que a última tentativa falhou", "Why the last attempt failed"),
  last_duration_ms: doc("Duração da última tentativa, em ms", "Duration of the last attempt, in ms", 81),
  last_attempt_at: doc("Quando foi a última tentativa", "When the last attempt was"),
  next_attempt_at: doc("Quando será a próxima tentativa", "When the next attempt will be"),
  attempts_made: doc("As tentativas, a mais antiga primeiro", "The attempts, oldest first"),
  body: doc(
    "O corpo que seria enviado agora; null se não pode ser montado",
    "The body that would be sent now; null if it cannot be built",
    '{"event": "deal.won"}',
  ),
  headers: doc("Os cabeçalhos de uma tentativa", "The headers of an attempt"),
  held: doc(
    "Se a entrega aguarda porque a empresa está suspensa ou sem a API pública",
    "Whether the delivery waits because the workspace is suspended or has no public API",
    false,
  ),
};

const Delivery = z.object({
  id: uuid(),
  subscription_id: uuid(),
  target_url: z.string(),
  event: z.enum(EVENT_TYPES),
  state: z.enum(["pending", "delivered", "failed"]),
  attempts: z.int(),
  last_status: z.int().nullable(),
  last_reason: z.string().nullable(),
  last_duration_ms: z.int().nullable(),
  last_attempt_at: timestamp().nullable(),
  next_attempt_at: timestamp().nullable(),
  created_at: timestamp(),
}).meta({ id: "Delivery", ...doc("Uma entrega", "A delivery"), fields });

/** The query of GET /. */
export const DeliveryFilter = z.object({
  subscription_id: uuid().optional().meta(doc("Só as deste webhook", "Only those of this webhook")),
});

/** The reply of GET /: the last 50 deliveries. */
export const DeliveryList = z.object({ data: z.array(Delivery) });

const Attempt = z.object({
  series: z.int(),
  number: z.int(),
  status: z.int().nullable(),
  reason: z.string().nullable(),
  duration_ms: z.int(),
  finished_at: timestamp(),
}).meta({
  id: "Attempt",
  ...doc("Uma tentativa", "An attempt"),
  fields: {
    series: doc("A série; cada reenvio começa outra", "The series; sending again begins another", 1),
    number: doc("O número na série, de 1 a 5", "The number in the series, 1 to 5", 1),
    status: fields.last_status,
    reason: doc("Por que falhou; null se deu certo", "Why it failed; null if it succeeded"),
    duration_ms: doc("Duração, em ms", "Duration, in ms", 81),
    finished_at: doc("Quando terminou", "When it ended"),
  },
});

const Header = z.object({ name: z.string(), value: z.string() }).meta({
  id: "Header",
  ...doc("Um cabeçalho", "A header"),
  fields: {
    name: doc("Nome", "Name", "X-Service-Event"),
    value: doc("Valor; o da assinatura é descrito", "Value; that of the signature is described", "deal.won"),
  },
});

/** The reply of GET /:id. */
export const DeliveryDetail = Delivery.extend({
  attempts_made: z.array(Attempt),
  body: z.string().nullable(),
  headers: z.array(Header),
}).meta({
  id: "DeliveryDetail",
  ...doc("Uma entrega, suas tentativas e o que ela envia", "A delivery, its attempts and what it sends"),
  fields,
});

/** The reply of POST /:id/redeliver. */
export const Redelivery = Delivery.extend({ held: z.boolean() }).meta({
  id: "Redelivery",
  ...doc("A entrega, a caminho de novo", "The delivery, on its way again"),
  fields,
});

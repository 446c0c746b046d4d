import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { EVENT_TYPES } from "../_shared/contract/events.ts";
import { timestamp, uuid } from "../_shared/contract/fields.ts";
import { ListQuery, pageOf } from "../_shared/contract/pagination.ts";

/**
 * The states of a delivery in replies. `held` is not stored: it is a pending delivery whose subscription is inactive
 * or whose workspace may not send.
 */
export const DELIVERY_STATES = ["pending", "held", "delivered", "failed", "cancelled"] as const;

const fields = {
  id: doc(
    "Identificador da entrega, o delivery_id do corpo",
    "The delivery's id, which the body has as delivery_id",
  ),
  event_id: doc("O evento, o event_id do corpo", "The event's id, which the body has as event_id"),
  subscription_id: doc("A assinatura", "The subscription"),
  target_url: doc("Para onde vai", "Where it goes", "https://example.com/hooks/crm"),
  event: doc("O tipo do evento", "The type of the event", "deal.won"),
  object_type: doc("O tipo do objeto do evento", "The type of the event's object", "deal"),
  object_id: doc("O objeto do evento", "The event's object"),
  is_test: doc("Se é um evento de teste", "Whether it is a test event", false),
  state: doc(
    "Estado: pending aguarda uma tentativa; held aguarda a assinatura ou o workspace voltar a enviar; cancelled " +
      "aguardava quando a assinatura foi removida",
    "State: pending waits for an attempt; held waits until the subscription or the workspace may send again; cancelled " +
      "was waiting when the subscription was deleted",
    "delivered",
  ),
  attempts: doc("Tentativas feitas, de 5", "Attempts made, of 5", 1),
  last_status: doc("Status HTTP da última resposta", "HTTP status of the last response", 204),
  last_reason: doc("Por que a última tentativa falhou", "Why the last attempt failed"),
  last_duration_ms: doc("Duração da última tentativa, em ms", "Duration of the last attempt, in ms", 81),
  last_attempt_at: doc("Quando foi a última tentativa", "When the last attempt was"),
  next_attempt_at: doc(
    "Quando será a próxima tentativa; null se não há, ou a entrega está retida",
    "When the next attempt will be; null if there is none, or the delivery is held",
  ),
  occurred_at: doc("Quando o evento ocorreu", "When the event occurred"),
  created_at: doc("Quando a entrega foi criada", "When the delivery was created"),
  attempts_made: doc(
    "As tentativas, a mais antiga primeiro; as 100 mais novas",
    "The attempts, oldest first; the newest 100",
  ),
  body: doc(
    "O corpo que seria enviado agora; null se não pode ser montado",
    "The body that would be sent now; null if it cannot be built",
    '{"event": "deal.won"}',
  ),
  headers: doc("Os cabeçalhos de uma tentativa", "The headers of an attempt"),
  held: doc(
    "Se a entrega aguarda porque o workspace está suspenso ou sem a API pública",
    "Whether the delivery waits because the workspace is suspended or has no public API",
    false,
  ),
};

/** A delivery in a list: the JSON of crm.delivery_summaries. */
export const Delivery = z.object({
  id: uuid(),
  event_id: uuid(),
  subscription_id: uuid(),
  target_url: z.string(),
  event: z.enum(EVENT_TYPES),
  object_type: z.string(),
  object_id: uuid(),
  is_test: z.boolean(),
  state: z.enum(DELIVERY_STATES),
  attempts: z.int(),
  last_status: z.int().nullable(),
  last_reason: z.string().nullable(),
  last_duration_ms: z.int().nullable(),
  last_attempt_at: timestamp().nullable(),
  next_attempt_at: timestamp().nullable(),
  occurred_at: timestamp(),
  created_at: timestamp(),
}).meta({ id: "Delivery", ...doc("Uma entrega", "A delivery"), fields });

export const DeliveryFilter = ListQuery.pick({ limit: true, cursor: true }).extend({
  state: z.enum(DELIVERY_STATES).optional().meta(doc("Só as neste estado", "Only those in this state")),
  event: z.enum(EVENT_TYPES).optional().meta(doc("Só as deste evento", "Only those of this event")),
  since: ListQuery.shape.since.meta(
    doc(
      "Só as de eventos a partir deste momento, nas formas de qualquer data e hora",
      "Only deliveries of events at or after this moment, in any form of a date and time",
    ),
  ),
  until: ListQuery.shape.until.meta(
    doc("Só as de eventos antes deste momento", "Only deliveries of events before this moment"),
  ),
});

/** A page of deliveries, the newest event first. */
export const DeliveryList = pageOf(Delivery);

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
    value: doc(
      "Valor; o da assinatura é descrito",
      "Value; for the signature, a description of it",
      "deal.won",
    ),
  },
});

/** One delivery with its attempts, and the request that an attempt would send now. */
export const DeliveryDetail = Delivery.extend({
  attempts_made: z.array(Attempt),
  body: z.string().nullable(),
  headers: z.array(Header),
}).meta({
  id: "DeliveryDetail",
  ...doc("Uma entrega, suas tentativas e o que ela envia", "A delivery, its attempts and what it sends"),
  fields,
});

/** A delivery that is sent again. */
export const Redelivery = Delivery.extend({ held: z.boolean() }).meta({
  id: "Redelivery",
  ...doc("A entrega, a caminho de novo", "The delivery, on its way again"),
  fields,
});

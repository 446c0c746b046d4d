import { z } from "zod";
import { doc, named } from "../_shared/contract/doc.ts";
import { EVENT_TYPES } from "../_shared/contract/events.ts";
import { timestamp, uuid } from "../_shared/contract/fields.ts";
import { extended, field, object } from "../_shared/contract/object.ts";
import { ListQuery, pageOf } from "../_shared/contract/pagination.ts";

/**
 * The states of a delivery in replies. `held` is not stored: it is a pending delivery whose subscription is inactive
 * or whose workspace may not send.
 */
export const DELIVERY_STATES = ["pending", "held", "delivered", "failed", "cancelled"] as const;

const LAST_STATUS = ["Status HTTP da última resposta", "HTTP status of the last response", 204] as const;

/** A delivery in a list: the JSON of crm.delivery_summaries. */
export const Delivery = object({
  id: field(uuid(), [
    "Identificador da entrega, o delivery_id do corpo",
    "The delivery's id, which the body has as delivery_id",
  ]),
  event_id: field(uuid(), [
    "O evento, o event_id do corpo",
    "The event's id, which the body has as event_id",
  ]),
  subscription_id: field(uuid(), ["A assinatura", "The subscription"]),
  target_url: field(z.string(), ["Para onde vai", "Where it goes", "https://example.com/hooks/crm"]),
  event: field(z.enum(EVENT_TYPES), ["O tipo do evento", "The type of the event", "deal.won"]),
  object_type: field(z.string(), ["O tipo do objeto do evento", "The type of the event's object", "deal"]),
  object_id: field(uuid(), ["O objeto do evento", "The event's object"]),
  object_name: field(z.string().nullable(), [
    "O título ou nome do objeto como está agora; de uma nota, o título do negócio. null se foi apagado, e num teste",
    "The object's title or name as it is now; for a note, the title of its deal. null if it was erased, and in a test",
    "Site novo",
  ]),
  is_test: field(z.boolean(), ["Se é um evento de teste", "Whether it is a test event", false]),
  state: z.enum(DELIVERY_STATES),
  attempts: field(z.int(), ["Tentativas feitas, de 5", "Attempts made, of 5", 1]),
  last_status: field(z.int().nullable(), LAST_STATUS),
  last_reason: field(z.string().nullable(), [
    "Por que a última tentativa falhou",
    "Why the last attempt failed",
  ]),
  last_duration_ms: field(z.int().nullable(), [
    "Duração da última tentativa, em ms",
    "Duration of the last attempt, in ms",
    81,
  ]),
  last_attempt_at: field(timestamp().nullable(), [
    "Quando foi a última tentativa",
    "When the last attempt was",
  ]),
  next_attempt_at: field(timestamp().nullable(), [
    "Quando será a próxima tentativa; null se não há, ou a entrega está retida",
    "When the next attempt will be; null if there is none, or the delivery is held",
  ]),
  occurred_at: field(timestamp(), ["Quando o evento ocorreu", "When the event occurred"]),
  created_at: field(timestamp(), ["Quando a entrega foi criada", "When the delivery was created"]),
}).meta(named("Delivery", "Uma entrega", "A delivery"));

export const DeliveryFilter = ListQuery.pick({ limit: true, cursor: true }).extend({
  state: z.enum(DELIVERY_STATES).optional().meta(doc("Só as neste estado", "Only those in this state")),
  event: z.enum(EVENT_TYPES).optional().meta(doc("Só as deste evento", "Only those of this event")),
  since: ListQuery.shape.since.meta(
    doc(
      "Só as de eventos a partir deste momento, em qualquer formato de data e hora",
      "Only deliveries of events at or after this moment, in any date and time format",
    ),
  ),
  until: ListQuery.shape.until.meta(
    doc("Só as de eventos antes deste momento", "Only deliveries of events before this moment"),
  ),
});

export const DeliveryList = pageOf(Delivery);

const Attempt = object({
  series: field(z.int(), [
    "A série; cada reenvio começa outra",
    "The series; sending again begins another",
    1,
  ]),
  number: field(z.int(), ["O número na série, de 1 a 5", "The number in the series, 1 to 5", 1]),
  status: field(z.int().nullable(), LAST_STATUS),
  reason: field(z.string().nullable(), [
    "Por que falhou; null se deu certo",
    "Why it failed; null if it succeeded",
  ]),
  duration_ms: field(z.int(), ["Duração, em ms", "Duration, in ms", 81]),
  finished_at: field(timestamp(), ["Quando terminou", "When it ended"]),
  answer: field(z.string().nullable(), [
    "Os primeiros 1.024 bytes da resposta do receptor, sem segredos; null se vazia, se não é texto ou se não foi guardada por causa do apagamento de uma pessoa",
    "The first 1,024 bytes of the receiver's answer, without secrets; null if it is empty, not text, or not kept because a person was erased",
    '{"error": "unknown event"}',
  ]),
}).meta(named("Attempt", "Uma tentativa", "An attempt"));

const Header = object({
  name: field(z.string(), ["Nome", "Name", "X-Service-Event"]),
  value: field(z.string(), [
    "Valor; o da assinatura HMAC é substituído por uma descrição",
    "Value; a description replaces that of the signature",
    "deal.won",
  ]),
}).meta(named("Header", "Um cabeçalho", "A header"));

/** One delivery with its attempts, and the request that an attempt would send now. */
export const DeliveryDetail = extended(Delivery, {
  attempts_made: field(z.array(Attempt), [
    "As 100 tentativas mais novas, a mais antiga primeiro",
    "The newest 100 attempts, oldest first",
  ]),
  body: field(z.string().nullable(), [
    "O corpo que seria enviado agora; null se não pode ser montado",
    "The body that would be sent now; null if it cannot be built",
    '{"event": "deal.won"}',
  ]),
  body_as_sent: field(z.boolean().nullable(), [
    "true: body é o que a última tentativa enviou; false: o objeto mudou desde o envio; null: nada foi enviado ainda",
    "true: the last attempt sent exactly body; false: the object has changed since; null: nothing was sent yet",
    true,
  ]),
  headers: field(z.array(Header), ["Os cabeçalhos de uma tentativa", "The headers of an attempt"]),
}).meta(
  named(
    "DeliveryDetail",
    "Uma entrega, suas tentativas e o que ela envia",
    "A delivery, its attempts and what it sends",
  ),
);

export const held = field(z.boolean(), [
  "Se o envio aguarda porque o workspace está suspenso ou sem a API pública",
  "Whether sending waits because the workspace is suspended or has no public API",
  false,
]);

export const Redelivery = extended(Delivery, { held }).meta(
  named("Redelivery", "A entrega, a caminho de novo", "The delivery, on its way again"),
);

export const RedeliveryList = object({
  ids: field(z.array(uuid()).min(1).max(100), [
    "De 1 a 100 entregas da assinatura",
    "1 to 100 deliveries of the subscription",
  ]),
}).meta(named("RedeliveryList", "As entregas a reenviar", "The deliveries to send again"));

export const NOT_QUEUED_REASONS = ["not_found", "queue_full"] as const;

const NotQueued = object({
  id: field(uuid(), ["A entrega", "The delivery"]),
  reason: z.enum(NOT_QUEUED_REASONS),
}).meta(named("NotQueued", "Uma entrega que não foi posta na fila", "A delivery that was not queued"));

export const Redeliveries = object({
  count: field(z.int(), [
    "Quantas estão a caminho, com as que já aguardavam",
    "How many are on their way, including those that already waited",
    12,
  ]),
  not_queued: field(z.array(NotQueued), [
    "As que não foram postas na fila; se falta lugar, as mais novas",
    "Those that were not queued; if the queue lacks room, the newest",
  ]),
  held,
}).meta(named("Redeliveries", "O que foi posto na fila", "What was queued"));

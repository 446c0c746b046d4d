import { z } from "zod";
import { doc, named } from "../_shared/contract/doc.ts";
import { EVENT_TYPES, EVENTS, type EventType, type ObjectType } from "../_shared/contract/events.ts";
import { datetime, timestamp, uuid } from "../_shared/contract/fields.ts";
import { field, object } from "../_shared/contract/object.ts";
import { ListQuery } from "../_shared/contract/pagination.ts";
import { isUuid } from "../_shared/runtime/uuid.ts";

const ACTIONS = EVENT_TYPES.filter((event) => EVENTS[event].change) as [EventType, ...EventType[]];
const OBJECT_TYPES = [...new Set(ACTIONS.map((action) => EVENTS[action].object))] as [ObjectType];

export const ChangeQuery = ListQuery.pick({ limit: true, cursor: true }).extend({
  object_id: uuid().optional().meta(doc("Só as deste objeto", "Only those of this object")),
  object_type: z.enum(OBJECT_TYPES).optional().meta(
    doc("Só as de objetos deste tipo", "Only those of objects of this type", "deal"),
  ),
  since: datetime().optional().meta(
    doc(
      "Só as feitas a partir deste momento: ISO 8601, em UTC se não tiver fuso; uma data sem hora é o começo do dia",
      "Only those made at or after this moment: ISO 8601, in UTC unless it has an offset; a date alone is the start " +
        "of the day",
    ),
  ),
  until: datetime().optional().meta(
    doc("Só as feitas antes deste momento: ISO 8601", "Only those made before this moment: ISO 8601"),
  ),
});

const Actor = object({
  type: field(z.enum(["key", "member", "link", "system"]), [
    "key: uma chave de API; member: uma pessoa; link: o cliente, pelo link da proposta; system: o próprio serviço ou " +
    "quem o opera",
    "key: an API key; member: a person; link: the customer, by a proposal's link; system: the service itself, or " +
    "its operator",
    "key",
  ]),
  id: field(uuid().nullable(), [
    "A chave, o membro ou a proposta; null em system",
    "The key, member or proposal; null for system",
  ]),
  name: field(z.string().nullable(), [
    "O nome atual da chave ou do membro, ou o título da proposta; null em system",
    "The current name of the key or member, or the proposal's title; null for system",
    "ERP",
  ]),
});

/** A change of an object. It omits the values, because personal data in them would outlive the erasure of a contact. */
export const Change = object({
  id: field(uuid(), [
    "Identificador do evento que registra a alteração",
    "The id of the event that reports the change",
  ]),
  object_type: field(z.enum(OBJECT_TYPES), ["O tipo do objeto", "The object's type", "deal"]),
  object_id: field(uuid(), ["O identificador do objeto", "The object's id"]),
  action: field(z.enum(ACTIONS), ["O que foi feito: o evento", "What was done: the event", "deal.updated"]),
  changed_fields: field(z.array(z.string()), [
    "Os campos que mudaram, em ordem alfabética; vazio quando a ação já diz tudo",
    "The fields that changed, in alphabetical order; empty where the action says it all",
    ["expected_close_date", "value"],
  ]),
  actor: field(Actor, ["Quem alterou", "Who changed it"]),
  occurred_at: field(timestamp(), ["Quando", "When"]),
}).meta(named("Change", "Uma alteração de um objeto", "A change of an object"));

/** The id of a key or member, or `me` for the calling key. */
const actor = () =>
  z.string().refine(
    (text) => text === "me" || isUuid(text),
    "Deve ser me, que é esta chave, ou o id de uma chave ou de um membro",
  );

export const ChangeSummaryQuery = z.object({
  since: datetime().optional().meta(
    doc(
      "Desde quando: ISO 8601; sem fuso, UTC; se ausente, 24 horas atrás, no início da hora",
      "From when: ISO 8601; without an offset, UTC; if absent, 24 hours ago, rounded down to the hour",
    ),
  ),
  until: ChangeQuery.shape.until,
  actor: actor().optional().meta(
    doc(
      "Só o que a chave ou o membro com este id fez; me: a chave da chamada",
      "Only what the key or member with this id did; me: the key of the call",
    ),
  ),
  not_actor: actor().optional().meta(
    doc(
      "Sem o que a chave ou o membro com este id fez; me: a chave da chamada",
      "Without what the key or member with this id did; me: the key of the call",
    ),
  ),
});

/** The events that the summary lists individually. */
export const HIGHLIGHTS = [
  "deal.created",
  "deal.won",
  "deal.lost",
  "deal.reopened",
  "deal.stage_changed",
] as const;

export const ChangeSummary = object({
  since: field(timestamp(), ["O início do período", "The start of the period"]),
  until: field(timestamp().nullable(), [
    "O fim do período; null: agora",
    "The end of the period; null: now",
    null,
  ]),
  counts: field(
    z.array(object({
      action: field(z.enum(EVENT_TYPES), ["O evento", "The event", "deal.updated"]),
      count: field(z.int(), ["Quantas vezes", "How many times", 12]),
    })),
    [
      "Quantos eventos de cada tipo, do mais ao menos frequente",
      "How many events of each type, most frequent first",
    ],
  ),
  highlights: field(
    z.array(object({
      action: z.enum(HIGHLIGHTS),
      occurred_at: field(timestamp(), ["Quando", "When"]),
      deal_id: uuid(),
      title: field(z.string(), ["O título do negócio", "The deal's title", "Plano anual"]),
      value: z.number().nullable(),
      from_stage: field(z.string().nullable(), ["A etapa de onde saiu", "The stage that it left", null]),
      to_stage: field(z.string().nullable(), ["A etapa para onde foi", "The stage that it moved to", null]),
      actor: field(z.string().nullable(), [
        "Quem: a chave, o membro ou o link",
        "Who: the key, member or link",
        "ERP",
      ]),
    })),
    ["Os 25 destaques mais novos", "The newest 25 highlights"],
  ),
  highlights_left_out: field(z.int(), [
    "Quantos destaques a mais houve",
    "How many further highlights there were",
    0,
  ]),
}).meta(named("ChangeSummary", "O que houve em um período", "What happened in a period"));

import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { EVENT_TYPES, EVENTS, type EventType, type ObjectType } from "../_shared/contract/events.ts";
import { datetime, timestamp, uuid } from "../_shared/contract/fields.ts";
import { ListQuery } from "../_shared/contract/pagination.ts";

const ACTIONS = EVENT_TYPES.filter((event) => EVENTS[event].change) as [EventType, ...EventType[]];
const OBJECT_TYPES = [...new Set(ACTIONS.map((action) => EVENTS[action].object))] as [ObjectType];

export const ChangeQuery = ListQuery.pick({ limit: true, cursor: true }).extend({
  object_id: uuid().optional().meta(doc("Só as deste objeto", "Only those of this object")),
  object_type: z.enum(OBJECT_TYPES).optional().meta(
    doc("Só as de objetos deste tipo", "Only those of objects of this type", "deal"),
  ),
  since: datetime().optional().meta(
    doc(
      "Só as feitas a partir deste momento: ISO 8601; sem fuso, UTC; só a data, o seu início",
      "Only those made at or after this moment: ISO 8601; without an offset, UTC; a date means its start",
    ),
  ),
  until: datetime().optional().meta(
    doc("Só as feitas antes deste momento: ISO 8601", "Only those made before this moment: ISO 8601"),
  ),
});

/** A change of an object. It has no values, because personal data in it would outlive the erasure of a contact. */
export const Change = z.object({
  id: uuid(),
  object_type: z.enum(OBJECT_TYPES),
  object_id: uuid(),
  action: z.enum(ACTIONS),
  changed_fields: z.array(z.string()),
  actor: z.object({
    type: z.enum(["key", "member", "link", "system"]),
    id: uuid().nullable(),
    name: z.string().nullable(),
  }),
  occurred_at: timestamp(),
}).meta({
  id: "Change",
  ...doc("Uma alteração de um objeto", "A change of an object"),
  fields: {
    id: doc("Identificador do evento que a conta", "The id of the event that reports it"),
    object_type: doc("O tipo do objeto", "The object's type", "deal"),
    object_id: doc("O identificador do objeto", "The object's id"),
    action: doc("O que foi feito: o evento", "What was done: the event", "deal.updated"),
    changed_fields: doc(
      "Os campos que mudaram, em ordem alfabética; vazio quando a ação já diz tudo",
      "The fields that changed, in alphabetical order; empty where the action says it all",
      ["expected_close_date", "value"],
    ),
    actor: doc("Quem alterou", "Who changed it"),
    type: doc(
      "key: uma chave de API; member: uma pessoa; link: o cliente, pelo link da proposta; system: o próprio serviço ou " +
        "quem o opera",
      "key: an API key; member: a person; link: the customer, by a proposal's link; system: the service itself, or " +
        "its operator",
      "key",
    ),
    name: doc(
      "O nome atual da chave ou do membro, ou o título da proposta; null em system",
      "The current name of the key or member, or the proposal's title; null for system",
      "ERP",
    ),
    occurred_at: doc("Quando", "When"),
  },
});

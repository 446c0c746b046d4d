import { z } from "zod";
import { activity } from "../../supabase/functions/api-v1-activities/record.ts";
import { company } from "../../supabase/functions/api-v1-companies/record.ts";
import { contact } from "../../supabase/functions/api-v1-contacts/record.ts";
import { deal } from "../../supabase/functions/api-v1-deals/record.ts";
import { Event } from "../../supabase/functions/api-v1-events/schema.ts";
import { LeadResult, LeadSubmission } from "../../supabase/functions/api-v1-leads/schema.ts";
import { note } from "../../supabase/functions/api-v1-notes/record.ts";
import { proposal } from "../../supabase/functions/proposals/record.ts";
import { type Doc, doc, type FieldDocs } from "../../supabase/functions/_shared/contract/doc.ts";
import {
  EVENT_TYPES,
  EVENTS,
  type EventType,
  type ObjectType,
} from "../../supabase/functions/_shared/contract/events.ts";
import { timestamp, Utm, uuid } from "../../supabase/functions/_shared/contract/fields.ts";
import { textsOf } from "../../supabase/functions/_shared/contract/object.ts";
import { exampleOf, type Known } from "./examples.ts";
import { refTo } from "./json_schema.ts";
import { Schemas } from "./schemas.ts";
import { eventOfStory } from "./story/story.ts";

/** The schema of each type of object in a delivery. */
export const OBJECTS: Record<ObjectType, z.ZodObject> = {
  deal: deal.reply,
  activity: activity.reply,
  contact: contact.reply,
  company: company.reply,
  note: note.reply,
  proposal: proposal.reply,
};

const LeadReceived = z.object({
  lead: LeadResult.shape.lead,
  contact: contact.reply.nullable(),
  company: company.reply.nullable(),
  source: z.string().nullable(),
  utm: Utm.nullable(),
  external_id: z.string().nullable(),
  submitted: LeadSubmission.nullable(),
}).meta({
  id: "LeadReceived",
  ...doc("O lead com os seus registros", "The lead with its records"),
  fields: {
    ...textsOf(LeadResult),
    submitted: doc(
      "O que foi enviado, como foi digitado; null depois que os dados foram apagados",
      "What was sent, as it was typed; null after the data was erased",
    ),
  },
});

const ContactErased = z.object({ id: uuid() }).meta({
  id: "ContactErased",
  ...doc("O contato cujos dados foram apagados", "The contact whose data was erased"),
});

/** The schema of `data` of an event: the object at the time of delivery, with the facts of the event. */
export const dataOf = onePerEvent((type) => {
  if (type === "lead.received") return LeadReceived;
  if (type === "contact.erased") return ContactErased;
  const { object, facts, data } = EVENTS[type];
  const schema = OBJECTS[object];
  const own = Object.entries(facts);
  if (own.length === 0) return schema;
  return schema.extend(Object.fromEntries(own.map(([name, fact]) => [name, fact.schema]))).meta({
    id: schemaId(type),
    ...data,
    fields: { ...textsOf(schema), ...Object.fromEntries(own.map(([name, { text }]) => [name, text])) },
  });
});

/** The schemas of all objects, for examples of events outside the documents. */
export function objectSchemas(): Schemas {
  const schemas = new Schemas();
  for (const object of Object.values(OBJECTS)) schemas.add(object, "output");
  return schemas;
}

/** An example of an event's `data`, with the object as it is after the event: a won deal for `deal.won`. */
export function dataExample(type: EventType, schemas: Schemas): Known {
  const { state, facts } = eventOfStory(type, EVENTS[type].object);
  return exampleOf(schemas.add(dataOf(type), "output"), schemas, "output", { ...state, ...facts }) as Known;
}

/** The texts of fields that deliveries and the feed share. */
const TEXTS: FieldDocs = {
  event: doc("O evento", "The event"),
  object_type: doc("O tipo do objeto", "The object's type"),
  object_id: doc("O identificador do objeto", "The object's id"),
  occurred_at: doc("Quando aconteceu", "When it happened"),
  actor_id: doc(
    "Quem fez a mudança: a chave de API, o membro, ou a proposta cujo link o cliente usou; null: o próprio serviço",
    "Who made the change: the API key, the member, or the proposal whose link the customer used; null: the service " +
      "itself",
  ),
};

/** The fields that every delivery has in the same form. */
export const DeliveryEnvelope = z.object({
  event_id: uuid(),
  workspace_id: uuid(),
  object_id: uuid(),
  occurred_at: timestamp(),
  actor_id: uuid().nullable(),
  delivery_id: uuid(),
  test: z.literal(true).optional(),
}).meta({
  id: "DeliveryEnvelope",
  ...doc(
    "Os campos que toda entrega tem, seja qual for o evento",
    "The fields that every delivery has, whatever its event",
  ),
  fields: {
    ...TEXTS,
    event_id: doc(
      "Identificador do evento, o mesmo em todas as assinaturas",
      "The event's id, the same for every subscription",
    ),
    delivery_id: doc(
      "Identificador da entrega, o mesmo em todas as tentativas",
      "The delivery's id, the same on every attempt",
    ),
    test: doc(
      "Só num evento de teste: nada aconteceu, e data é um exemplo",
      "Only in a test event: nothing has happened, and data is made up",
    ),
  },
});

/** The body of one event's delivery (spec 6.2), with its fields in the order of sending. */
export const deliveryBody = onePerEvent((type) => {
  const { event_id, workspace_id, object_id, ...others } = DeliveryEnvelope.shape;
  return z.object({
    event: z.literal(type),
    event_id,
    workspace_id,
    object_type: z.literal(EVENTS[type].object),
    object_id,
    data: dataOf(type),
    ...others,
  }).meta({
    id: `${schemaId(type)}Delivery`,
    ...doc(`A entrega do evento ${type}`, `The delivery of the event ${type}`),
    fields: {
      ...textsOf(DeliveryEnvelope),
      data: doc("O objeto como está no momento da entrega", "The object as it is at the time of delivery"),
    },
  });
});

export function deliveryExample(type: EventType, schemas: Schemas): Known {
  const { id, delivery_id, object_id, occurred_at, actor_id } = eventOfStory(type, EVENTS[type].object);
  return exampleOf(schemas.add(deliveryBody(type), "output"), schemas, "output", {
    event_id: id,
    object_id,
    data: dataExample(type, schemas),
    occurred_at,
    actor_id,
    delivery_id,
  }) as Known;
}

/** The fields that every event of the feed has in the same form. */
export const EventEnvelope = z.object({
  id: uuid(),
  workspace_id: uuid(),
  object_id: uuid(),
  occurred_at: timestamp(),
  actor_id: uuid().nullable(),
}).meta({
  id: "EventEnvelope",
  ...doc(
    "Os campos que todo evento da lista tem, seja qual for o tipo",
    "The fields that every event in the list has, whatever its type",
  ),
  fields: { ...textsOf(Event), ...TEXTS },
});

/** An event in the feed: {@link Event} with the `data` of its type. */
export const feedEvent = onePerEvent((type) => {
  const { id, workspace_id, object_id, ...others } = EventEnvelope.shape;
  return z.object({
    id,
    event: z.literal(type),
    workspace_id,
    object_type: z.literal(EVENTS[type].object),
    object_id,
    data: dataOf(type).nullable(),
    ...others,
  }).meta({
    id: `${schemaId(type)}Event`,
    ...doc(`O evento ${type}`, `The event ${type}`),
    fields: { ...textsOf(Event), ...TEXTS },
  });
});

export function feedExample(type: EventType, schemas: Schemas): Known {
  const { id, object_id, occurred_at, actor_id } = eventOfStory(type, EVENTS[type].object);
  return exampleOf(schemas.add(feedEvent(type), "output"), schemas, "output", {
    id,
    object_id,
    data: dataExample(type, schemas),
    occurred_at,
    actor_id,
  }) as Known;
}

/** Any event of the feed; the field `event` says which. */
export const AnyEvent = unionByEvent(feedEvent, {
  id: "Event",
  ...doc("Algo que aconteceu; event diz o tipo", "Something that happened; event has its type"),
});

/** The body of any delivery; the field `event` says which. */
export const AnyDelivery = unionByEvent(deliveryBody, {
  id: "WebhookDelivery",
  ...doc(
    "O corpo de uma entrega; event diz de qual evento",
    "The body of a delivery; event says of which event",
  ),
});

function unionByEvent(schemaOf: (type: EventType) => z.ZodObject, about: { id: string } & Doc) {
  const options = EVENT_TYPES.map(schemaOf);
  const mapping = EVENT_TYPES.map((type, index) => [type, refTo(options[index]!.meta()!.id!).$ref]);
  return z.discriminatedUnion("event", options as [z.ZodObject, ...z.ZodObject[]]).meta({
    ...about,
    discriminator: { propertyName: "event", mapping: Object.fromEntries(mapping) },
  });
}

/** Remembers the schema of each event, because zod refuses two schemas with the same id. */
function onePerEvent(make: (type: EventType) => z.ZodObject): (type: EventType) => z.ZodObject {
  const made = new Map<EventType, z.ZodObject>();
  return (type) => made.get(type) ?? made.set(type, make(type)).get(type)!;
}

/** Converts `deal.stage_changed` to `DealStageChanged`. */
function schemaId(type: EventType): string {
  return type.split(/[._]/).map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}

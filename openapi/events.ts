import { z } from "zod";
import { activity } from "../supabase/functions/api-v1-activities/record.ts";
import { company } from "../supabase/functions/api-v1-companies/record.ts";
import { contact } from "../supabase/functions/api-v1-contacts/record.ts";
import { deal } from "../supabase/functions/api-v1-deals/record.ts";
import { leadResultFields } from "../supabase/functions/api-v1-leads/docs.ts";
import { LeadResult } from "../supabase/functions/api-v1-leads/schema.ts";
import { note } from "../supabase/functions/api-v1-notes/record.ts";
import { proposal } from "../supabase/functions/proposals/record.ts";
import { type Doc, doc } from "../supabase/functions/_shared/contract/doc.ts";
import { EVENTS, type EventType, type ObjectType } from "../supabase/functions/_shared/contract/events.ts";
import { timestamp, Utm, uuid } from "../supabase/functions/_shared/contract/fields.ts";
import { exampleOf } from "./examples.ts";
import type { Schemas } from "./schemas.ts";

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
}).meta({
  id: "LeadReceived",
  ...doc("O lead com os seus registros", "The lead with its records"),
  fields: leadResultFields,
});

const ContactErased = z.object({ id: uuid() }).meta({
  id: "ContactErased",
  ...doc("O contato cujos dados foram apagados", "The contact whose data was erased"),
});

/** The schema of `data` of an event: the object at the time of delivery, with the facts of the event. */
export function dataOf(type: EventType): z.ZodObject {
  if (type === "lead.received") return LeadReceived;
  if (type === "contact.erased") return ContactErased;
  const { object, facts, data } = EVENTS[type];
  const schema = OBJECTS[object];
  const own = Object.entries(facts);
  if (own.length === 0) return schema;
  return schema.extend(Object.fromEntries(own.map(([name, fact]) => [name, fact.schema]))).meta({
    id: schemaId(type),
    ...data,
    fields: { ...fieldsOf(schema), ...Object.fromEntries(own.map(([name, { text }]) => [name, text])) },
  });
}

/** An example of `data` of an event: its object shows that the event has happened. */
export function dataExample(type: EventType, schemas: Schemas): Record<string, unknown> {
  const example = exampleOf(schemas.add(dataOf(type), "output"), schemas, "output") as Record<
    string,
    unknown
  >;
  return { ...example, ...EVENTS[type].sample };
}

/** The body of a delivery of one event (spec 6.2). */
export function deliveryBody(type: EventType): z.ZodObject {
  return z.object({
    event: z.literal(type),
    event_id: uuid(),
    workspace_id: uuid(),
    object_type: z.literal(EVENTS[type].object),
    object_id: uuid(),
    data: dataOf(type),
    occurred_at: timestamp(),
    delivery_id: uuid(),
    test: z.literal(true).optional(),
  }).meta({
    fields: {
      event: doc("O evento", "The event"),
      event_id: doc(
        "Identificador do evento, o mesmo em todas as assinaturas",
        "The event's id, the same for every subscription",
      ),
      object_type: doc("O tipo do objeto", "The object's type"),
      object_id: doc("O identificador do objeto", "The object's id"),
      data: doc("O objeto como está no momento da entrega", "The object as it is at the time of delivery"),
      occurred_at: doc("Quando aconteceu", "When it happened"),
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
}

/** Converts `deal.stage_changed` to `DealStageChanged`. */
function schemaId(type: EventType): string {
  return type.split(/[._]/).map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}

function fieldsOf(schema: z.ZodType) {
  return schema.meta()?.["fields"] as Record<string, Doc> | undefined;
}

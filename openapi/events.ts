import { z } from "zod";
import { Activity } from "../supabase/functions/api-v1-activities/schema.ts";
import { Company } from "../supabase/functions/api-v1-companies/schema.ts";
import { Contact } from "../supabase/functions/api-v1-contacts/schema.ts";
import { Deal } from "../supabase/functions/api-v1-deals/schema.ts";
import { leadResultFields } from "../supabase/functions/api-v1-leads/docs.ts";
import { LeadResult } from "../supabase/functions/api-v1-leads/schema.ts";
import { Proposal } from "../supabase/functions/proposals/schema.ts";
import { type Doc, doc } from "../supabase/functions/_shared/contract/doc.ts";
import { timestamp, Utm, uuid } from "../supabase/functions/_shared/contract/fields.ts";
import type { EventType } from "../supabase/functions/_shared/contract/events.ts";

interface Event {
  when: Doc;
  objectType: "deal" | "activity" | "contact" | "proposal";
  /** The object as the delivery tells it, with the event's own facts. */
  data: z.ZodType;
}

const LeadReceived = z.object({
  lead: LeadResult.shape.lead,
  contact: Contact.nullable(),
  company: Company.nullable(),
  source: z.string().nullable(),
  utm: Utm.nullable(),
  external_id: z.string().nullable(),
}).meta({
  id: "LeadReceived",
  ...doc("O lead com os seus registros", "The lead with its records"),
  fields: leadResultFields,
});

/** The catalog (spec 6.1), with what each event's `data` holds. */
export const EVENTS: Record<EventType, Event> = {
  "deal.stage_changed": {
    when: doc("Um negócio mudou de etapa", "A deal changed stage"),
    objectType: "deal",
    data: Deal.extend({ previous_stage_id: uuid(), previous_pipeline_id: uuid() }).meta({
      id: "DealStageChanged",
      ...doc("O negócio, e de onde veio", "The deal, and where it came from"),
      fields: {
        ...fieldsOf(Deal),
        previous_stage_id: doc("A etapa anterior", "The stage before"),
        previous_pipeline_id: doc("O pipeline anterior", "The pipeline before"),
      },
    }),
  },
  "deal.won": { when: doc("Um negócio foi ganho", "A deal was won"), objectType: "deal", data: Deal },
  "deal.lost": { when: doc("Um negócio foi perdido", "A deal was lost"), objectType: "deal", data: Deal },
  "deal.stale": {
    when: doc(
      "Um negócio ficou sem movimento por N dias (verificado a cada hora)",
      "A deal had no movement for N days (checked hourly)",
    ),
    objectType: "deal",
    data: Deal.extend({ days_without_movement: z.int(), threshold_days: z.int() }).meta({
      id: "DealStale",
      ...doc("O negócio parado", "The stale deal"),
      fields: {
        ...fieldsOf(Deal),
        days_without_movement: doc("Dias sem movimento", "Days without movement", 15),
        threshold_days: doc("Dias que o workspace tolera", "Days that the workspace tolerates", 14),
      },
    }),
  },
  "activity.created": {
    when: doc("Uma atividade foi criada", "An activity was created"),
    objectType: "activity",
    data: Activity,
  },
  "activity.overdue": {
    when: doc(
      "Uma atividade passou do prazo sem ser concluída",
      "An activity passed its due date uncompleted",
    ),
    objectType: "activity",
    data: Activity.extend({ overdue_since: timestamp() }).meta({
      id: "ActivityOverdue",
      ...doc("A atividade atrasada", "The overdue activity"),
      fields: { ...fieldsOf(Activity), overdue_since: doc("O prazo que passou", "The due date that passed") },
    }),
  },
  "proposal.viewed": {
    when: doc("O destinatário abriu uma proposta pela primeira vez", "The recipient first opened a proposal"),
    objectType: "proposal",
    data: Proposal,
  },
  "deal.created": {
    when: doc("Um negócio foi criado", "A deal was created"),
    objectType: "deal",
    data: Deal,
  },
  "contact.created": {
    when: doc("Um contato foi criado", "A contact was created"),
    objectType: "contact",
    data: Contact,
  },
  "lead.received": {
    when: doc("POST leads criou um negócio", "POST leads created a deal"),
    objectType: "deal",
    data: LeadReceived,
  },
  "proposal.accepted": {
    when: doc(
      "O cliente aceitou uma proposta pelo link público",
      "A customer accepted a proposal by its public link",
    ),
    objectType: "proposal",
    data: Proposal,
  },
  "proposal.rejected": {
    when: doc(
      "O cliente recusou uma proposta pelo link público",
      "A customer rejected a proposal by its public link",
    ),
    objectType: "proposal",
    data: Proposal,
  },
};

/** The body of a delivery of one event (spec 6.2). */
export function deliveryBody(event: EventType): z.ZodObject {
  const { objectType, data } = EVENTS[event];
  return z.object({
    event: z.literal(event),
    workspace_id: uuid(),
    object_type: z.literal(objectType),
    object_id: uuid(),
    data,
    occurred_at: timestamp(),
    delivery_id: uuid(),
  }).meta({
    fields: {
      event: doc("O evento", "The event"),
      object_type: doc("O tipo do objeto", "The object's type"),
      object_id: doc("O identificador do objeto", "The object's id"),
      data: doc("O objeto como está no momento da entrega", "The object as it is at the time of delivery"),
      occurred_at: doc("Quando aconteceu", "When it happened"),
      delivery_id: doc(
        "Identificador da entrega, o mesmo em todas as tentativas",
        "The delivery's id, the same on every attempt",
      ),
    },
  });
}

function fieldsOf(schema: z.ZodType) {
  return schema.meta()?.["fields"] as Record<string, Doc> | undefined;
}

// The only catalogue of events: validation of subscriptions, the OpenAPI documents and docs/webhooks.md are derived
// from it.
import { z } from "zod";
import { type Doc, doc } from "./doc.ts";
import { timestamp, uuid } from "./fields.ts";

/** The `object_type` of a delivery (spec 6.2): the kind of object that `object_id` identifies. */
export type ObjectType = "deal" | "activity" | "contact" | "proposal";

/** A field that an event adds to the object in `data`, because it is true of that moment only. */
export interface Fact {
  schema: z.ZodType;
  text: Doc;
}

/**
 * One type of event. It does not reference the schema of its object, so that functions load no other resource with it.
 */
export interface Event {
  object: ObjectType;
  when: Doc;
  /** The fields that `data` has in addition to those of the object. */
  facts: Readonly<Record<string, Fact>>;
  /** Text for the schema of `data`. Required with facts: the schema then differs from that of the object. */
  data?: Doc;
}

/** The events of spec 6.1, in its order. */
export const EVENTS = {
  "deal.stage_changed": event({
    object: "deal",
    when: doc("Um negócio mudou de etapa", "A deal changed stage"),
    data: doc("O negócio, e de onde veio", "The deal, with its previous stage and pipeline"),
    facts: {
      previous_stage_id: fact(uuid(), doc("A etapa anterior", "The previous stage")),
      previous_pipeline_id: fact(uuid(), doc("O pipeline anterior", "The pipeline before")),
    },
  }),
  "deal.won": event({ object: "deal", when: doc("Um negócio foi ganho", "A deal was won") }),
  "deal.lost": event({ object: "deal", when: doc("Um negócio foi perdido", "A deal was lost") }),
  "deal.stale": event({
    object: "deal",
    when: doc(
      "Um negócio ficou sem movimento por N dias (verificado a cada hora)",
      "A deal had no movement for N days (checked hourly)",
    ),
    data: doc("O negócio parado", "The stale deal"),
    facts: {
      days_without_movement: fact(z.int(), doc("Dias sem movimento", "Days without movement", 15)),
      threshold_days: fact(
        z.int(),
        doc("Dias que o workspace tolera", "Days that the workspace tolerates", 14),
      ),
    },
  }),
  "activity.created": event({
    object: "activity",
    when: doc("Uma atividade foi criada", "An activity was created"),
  }),
  "activity.overdue": event({
    object: "activity",
    when: doc(
      "Uma atividade passou do prazo sem ser concluída",
      "An activity passed its due date without being completed",
    ),
    data: doc("A atividade atrasada", "The overdue activity"),
    facts: { overdue_since: fact(timestamp(), doc("O prazo que passou", "The due date that passed")) },
  }),
  "proposal.viewed": event({
    object: "proposal",
    when: doc(
      "O destinatário abriu uma proposta pela primeira vez",
      "The recipient opened a proposal for the first time",
    ),
  }),
  "deal.created": event({ object: "deal", when: doc("Um negócio foi criado", "A deal was created") }),
  "contact.created": event({
    object: "contact",
    when: doc("Um contato foi criado", "A contact was created"),
  }),
  // The only event whose data is not its object: openapi/events.ts composes its schema from the lead's records.
  "lead.received": event({
    object: "deal",
    when: doc("POST leads criou um negócio", "POST leads created a deal"),
  }),
  "proposal.accepted": event({
    object: "proposal",
    when: doc(
      "O cliente aceitou uma proposta pelo link público",
      "A customer accepted a proposal through its public link",
    ),
  }),
  "proposal.rejected": event({
    object: "proposal",
    when: doc(
      "O cliente recusou uma proposta pelo link público",
      "A customer rejected a proposal through its public link",
    ),
  }),
} as const;

/** The name of an event. */
export type EventType = keyof typeof EVENTS;

/** The names of all events. */
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];

/** Whether a text names an event of the catalogue. */
export function isEventType(text: string): text is EventType {
  return Object.hasOwn(EVENTS, text);
}

function event(declaration: Omit<Event, "facts"> & Partial<Pick<Event, "facts">>): Event {
  return { facts: {}, ...declaration };
}

function fact(schema: z.ZodType, text: Doc): Fact {
  return { schema, text };
}

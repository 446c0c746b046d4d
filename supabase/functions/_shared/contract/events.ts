// The only catalogue of events: validation of subscriptions, the OpenAPI documents and docs/webhooks.md are derived
// from it.
import { z } from "zod";
import { type Doc, doc } from "./doc.ts";
import { timestamp, uuid } from "./fields.ts";

/** The `object_type` of a delivery (spec 6.2): the kind of object that `object_id` identifies. */
export type ObjectType = "deal" | "activity" | "contact" | "company" | "note" | "proposal";

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
  /** The fields by which the object of an example or of a test event shows that the event has happened. */
  sample?: Readonly<Record<string, unknown>>;
}

/** When the events of the examples happened. */
const SAMPLE_MOMENT = "2026-09-30T14:05:00.000Z";

/** The events of spec 6.1, in its order, then those that this service adds (docs/decisions/0025-events-of-changes.md). */
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
  "deal.won": event({
    object: "deal",
    when: doc("Um negócio foi ganho", "A deal was won"),
    sample: { status: "ganho", won_at: SAMPLE_MOMENT, closed_at: SAMPLE_MOMENT },
  }),
  "deal.lost": event({
    object: "deal",
    when: doc("Um negócio foi perdido", "A deal was lost"),
    sample: { status: "perdido", lost_at: SAMPLE_MOMENT, closed_at: SAMPLE_MOMENT },
  }),
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
    sample: { due_at: SAMPLE_MOMENT, is_overdue: true },
  }),
  "proposal.viewed": event({
    object: "proposal",
    when: doc(
      "O destinatário abriu uma proposta pela primeira vez",
      "The recipient opened a proposal for the first time",
    ),
    sample: { status: "visualizada", viewed_at: SAMPLE_MOMENT },
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
    sample: { status: "aceita", accepted_at: SAMPLE_MOMENT },
  }),
  "proposal.rejected": event({
    object: "proposal",
    when: doc(
      "O cliente recusou uma proposta pelo link público",
      "A customer rejected a proposal through its public link",
    ),
    sample: { status: "recusada", rejected_at: SAMPLE_MOMENT },
  }),
  "contact.updated": updated("contact", {
    when: doc("Campos de um contato mudaram", "Fields of a contact changed"),
    data: doc("O contato, e o que mudou", "The contact, and what changed"),
    changed: ["job_title", "phone"],
  }),
  "company.created": event({
    object: "company",
    when: doc("Uma empresa foi criada", "A company was created"),
  }),
  "company.updated": updated("company", {
    when: doc("Campos de uma empresa mudaram", "Fields of a company changed"),
    data: doc("A empresa, e o que mudou", "The company, and what changed"),
    changed: ["employee_count", "website"],
  }),
  "deal.updated": updated("deal", {
    when: doc(
      "Campos de um negócio mudaram, também ao mudar de etapa, fechar ou reabrir",
      "Fields of a deal changed, also by a new stage, by closing and by reopening",
    ),
    data: doc("O negócio, e o que mudou", "The deal, and what changed"),
    changed: ["expected_close_date", "value"],
  }),
  "deal.reopened": updated("deal", {
    when: doc("Um negócio fechado foi reaberto", "A closed deal was reopened"),
    data: doc("O negócio reaberto, e o que mudou", "The reopened deal, and what changed"),
    changed: ["closed_at", "lost_at", "status"],
  }),
  "activity.updated": updated("activity", {
    when: doc(
      "Campos de uma atividade mudaram, também ao ser concluída",
      "Fields of an activity changed, also by its completion",
    ),
    data: doc("A atividade, e o que mudou", "The activity, and what changed"),
    changed: ["due_at", "owner_id"],
  }),
  "activity.completed": updated("activity", {
    when: doc(
      "Uma atividade foi concluída, ou criada já concluída",
      "An activity was completed, or created as completed",
    ),
    data: doc("A atividade concluída, e o que mudou", "The completed activity, and what changed"),
    changed: ["completed_at", "status"],
    sample: { status: "concluida", completed_at: SAMPLE_MOMENT },
  }),
  "note.created": event({ object: "note", when: doc("Uma nota foi criada", "A note was created") }),
  "contact.merged": event({
    object: "contact",
    when: doc(
      "Outro contato foi unido a este (declarado; ainda não é emitido)",
      "Another contact was merged into this one (declared; not emitted yet)",
    ),
    data: doc(
      "O contato que ficou, e o que foi unido a ele",
      "The contact that stayed, and the one merged into it",
    ),
    facts: {
      merged_contact_id: fact(
        uuid(),
        doc("O contato que deixou de existir", "The contact that no longer exists"),
      ),
    },
  }),
  // The object no longer exists: openapi/events.ts gives `data` a schema with nothing but its id.
  "contact.erased": event({
    object: "contact",
    when: doc(
      "Os dados de um contato foram apagados (declarado; ainda não é emitido)",
      "The data of a contact was erased (declared; not emitted yet)",
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

/** An event about what changed: `data` also names the fields. */
function updated(
  object: ObjectType,
  { changed, ...declaration }: Required<Pick<Event, "when" | "data">> & Pick<Event, "sample"> & {
    /** An example of the names. */
    changed: readonly string[];
  },
): Event {
  return {
    object,
    ...declaration,
    facts: {
      changed_fields: fact(
        z.array(z.string()),
        doc(
          "Os campos que mudaram, em ordem alfabética, sem updated_at",
          "The fields that changed, in alphabetical order, without updated_at",
          changed,
        ),
      ),
    },
  };
}

function event(declaration: Omit<Event, "facts"> & Partial<Pick<Event, "facts">>): Event {
  return { facts: {}, ...declaration };
}

function fact(schema: z.ZodType, text: Doc): Fact {
  return { schema, text };
}

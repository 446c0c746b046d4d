// The catalogue of events. The validation of subscriptions, the OpenAPI documents and the site's page about webhooks
// are derived from it.
import { z } from "zod";
import { type Doc, doc } from "./doc.ts";
import { timestamp, uuid } from "./fields.ts";

/** The `object_type` of a delivery (spec 6.2): the kind of the object whose id is `object_id`. */
export type ObjectType = "deal" | "activity" | "contact" | "company" | "note" | "proposal";

/** A field that an event adds to the object in `data`, because the field describes only the moment of the event. */
export interface Fact {
  schema: z.ZodType;
  text: Doc;
}

/**
 * A type of event. It names the kind of its object instead of importing the object's schema, so that a function does
 * not load other resources.
 */
export interface Event {
  object: ObjectType;
  when: Doc;
  /** The fields that `data` has beside the object's fields. */
  facts: Readonly<Record<string, Fact>>;
  /** Describes `data`. Required if there are facts, because the schema then differs from the object's. */
  data?: Doc;
  /**
   * Whether the change log shows this type. Every change of an object has exactly one event of a shown type. An event
   * of another type repeats a change (a win emits deal.won and deal.updated) or reports that time has passed.
   */
  change: boolean;
}

/** The events of spec 6.1 in the order of the spec, then the events that this service adds. */
export const EVENTS = {
  "deal.stage_changed": event({
    object: "deal",
    when: doc("Um negócio mudou de etapa", "A deal changed stage"),
    data: doc(
      "O negócio, com a etapa e o pipeline anteriores",
      "The deal, with its previous stage and pipeline",
    ),
    facts: {
      previous_stage_id: fact(uuid(), doc("A etapa anterior", "The previous stage")),
      previous_pipeline_id: fact(uuid(), doc("O pipeline anterior", "The previous pipeline")),
    },
  }),
  "deal.won": event({ object: "deal", when: doc("Um negócio foi ganho", "A deal was won") }),
  "deal.lost": event({ object: "deal", when: doc("Um negócio foi perdido", "A deal was lost") }),
  "deal.stale": event({
    object: "deal",
    when: doc(
      "Um negócio ficou sem movimento pelo número de dias que o workspace define (verificado a cada hora)",
      "A deal had no movement for the number of days that the workspace sets (checked hourly)",
    ),
    data: doc("O negócio parado", "The stale deal"),
    facts: {
      days_without_movement: fact(z.int(), doc("Dias sem movimento", "Days without movement", 15)),
      threshold_days: fact(
        z.int(),
        doc(
          "Dias sem movimento depois dos quais o workspace considera um negócio parado",
          "Days without movement after which the workspace considers a deal stale",
          14,
        ),
      ),
    },
  }),
  "activity.created": event({
    object: "activity",
    change: true,
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
    change: true,
    when: doc(
      "O destinatário abriu uma proposta pela primeira vez",
      "The recipient opened a proposal for the first time",
    ),
  }),
  "deal.created": event({
    object: "deal",
    change: true,
    when: doc("Um negócio foi criado", "A deal was created"),
  }),
  "contact.created": event({
    object: "contact",
    change: true,
    when: doc("Um contato foi criado", "A contact was created"),
  }),
  // `data` of this event is not the deal, so tools/openapi/events.ts composes its schema.
  "lead.received": event({
    object: "deal",
    when: doc("Um lead criou um negócio (POST /api-v1-leads)", "A lead created a deal (POST /api-v1-leads)"),
  }),
  "proposal.accepted": event({
    object: "proposal",
    change: true,
    when: doc(
      "O cliente aceitou uma proposta pelo link público",
      "A customer accepted a proposal through its public link",
    ),
  }),
  "proposal.rejected": event({
    object: "proposal",
    change: true,
    when: doc(
      "O cliente recusou uma proposta pelo link público",
      "A customer rejected a proposal through its public link",
    ),
  }),
  "contact.updated": updated("contact", {
    when: doc("Campos de um contato mudaram", "Fields of a contact changed"),
    data: doc("O contato, e o que mudou", "The contact, and what changed"),
    changed: ["job_title", "phone"],
  }),
  "company.created": event({
    object: "company",
    change: true,
    when: doc("Uma empresa foi criada", "A company was created"),
  }),
  "company.updated": updated("company", {
    when: doc("Campos de uma empresa mudaram", "Fields of a company changed"),
    data: doc("A empresa, e o que mudou", "The company, and what changed"),
    changed: ["employee_count", "website"],
  }),
  "deal.updated": updated("deal", {
    when: doc(
      "Campos de um negócio mudaram, inclusive ao mudar de etapa, fechar ou reabrir",
      "Fields of a deal changed, including when it changes stage, is closed or is reopened",
    ),
    data: doc("O negócio, e o que mudou", "The deal, and what changed"),
    changed: ["expected_close_date", "value"],
  }),
  "deal.reopened": updated("deal", {
    change: false,
    when: doc("Um negócio fechado foi reaberto", "A closed deal was reopened"),
    data: doc("O negócio reaberto, e o que mudou", "The reopened deal, and what changed"),
    changed: ["closed_at", "loss_note", "loss_reason_id", "lost_at", "status"],
  }),
  // A deal already has the field contact_id, its main contact, so the facts need other names.
  "deal.contact_added": event({
    object: "deal",
    change: true,
    when: doc(
      "Um contato que não é o principal entrou num negócio, ou o papel de um contato mudou",
      "A contact other than the main one was added to a deal, or the role of a contact changed",
    ),
    data: doc("O negócio, o contato e o seu papel", "The deal, the contact and its role"),
    facts: {
      added_contact_id: fact(uuid(), doc("O contato", "The contact")),
      role: fact(
        z.string().nullable(),
        doc("O papel do contato no negócio agora", "The contact's role in the deal now", "decisor"),
      ),
    },
  }),
  "deal.contact_removed": event({
    object: "deal",
    change: true,
    when: doc(
      "Um contato que não é o principal saiu de um negócio",
      "A contact other than the main one was removed from a deal",
    ),
    data: doc("O negócio, e o contato que saiu", "The deal, and the contact that left"),
    facts: { removed_contact_id: fact(uuid(), doc("O contato que saiu", "The contact that left")) },
  }),
  "activity.updated": updated("activity", {
    when: doc(
      "Campos de uma atividade mudaram, inclusive ao ser concluída",
      "Fields of an activity changed, including when it is completed",
    ),
    data: doc("A atividade, e o que mudou", "The activity, and what changed"),
    changed: ["due_at", "owner_id"],
  }),
  "activity.completed": updated("activity", {
    change: false,
    when: doc(
      "Uma atividade foi concluída, ou criada já concluída",
      "An activity was completed, or created as completed",
    ),
    data: doc("A atividade concluída, e o que mudou", "The completed activity, and what changed"),
    changed: ["completed_at", "status"],
  }),
  "note.created": event({
    object: "note",
    change: true,
    when: doc("Uma anotação foi criada", "A note was created"),
  }),
  "contact.merged": event({
    object: "contact",
    change: true,
    when: doc("Outro contato foi unido a este", "Another contact was merged into this one"),
    data: doc(
      "O contato que ficou, e o contato que foi unido a ele",
      "The contact that remains, and the contact that was merged into it",
    ),
    facts: {
      merged_contact_id: fact(
        uuid(),
        doc("O contato que foi unido a este", "The contact that was merged into this one"),
      ),
    },
  }),
  // The contact's data no longer exists, so in tools/openapi/events.ts `data` has only the contact's id.
  "contact.erased": event({
    object: "contact",
    change: true,
    when: doc(
      "Os dados pessoais de um contato foram apagados; apague também a sua cópia",
      "The personal data of a contact was erased; erase your copy too",
    ),
  }),
} as const;

export type EventType = keyof typeof EVENTS;

export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(EVENTS, text);
}

/** An event whose `data` also names the changed fields. */
function updated(
  object: ObjectType,
  { changed, ...declaration }:
    & Required<Pick<Event, "when" | "data">>
    & Partial<Pick<Event, "change">>
    & {
      changed: readonly string[];
    },
): Event {
  return {
    object,
    change: true,
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

function event(
  declaration: Omit<Event, "facts" | "change"> & Partial<Pick<Event, "facts" | "change">>,
): Event {
  return { facts: {}, change: false, ...declaration };
}

function fact(schema: z.ZodType, text: Doc): Fact {
  return { schema, text };
}

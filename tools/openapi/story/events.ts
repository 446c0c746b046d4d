import type { EventType } from "../../../supabase/functions/_shared/contract/events.ts";
import { IDS, MOMENTS as at } from "./ids.ts";
import { lostDeal, newDeal, wonDeal } from "./sales.ts";

interface Happening {
  /** When it happened. */
  at: string;
  /** The object's fields whose values at the event differ from the story's. */
  state?: Readonly<Record<string, unknown>>;
  /** Fields that the event adds and whose values differ from their examples. */
  facts?: Readonly<Record<string, unknown>>;
}

/** The moment and values of each event. Some events exclude each other: the deal is won in one and lost in another. */
export const HAPPENINGS: Readonly<Record<EventType, Happening>> = {
  "lead.received": { at: at.leadArrived },
  "company.created": { at: at.leadArrived },
  "contact.created": { at: at.leadArrived },
  "deal.created": { at: at.leadArrived, state: newDeal },
  "note.created": { at: at.noted },
  "deal.stage_changed": {
    at: at.moved,
    state: { last_activity_at: null },
    facts: { previous_stage_id: IDS.stages[0], previous_pipeline_id: IDS.pipeline },
  },
  "activity.created": { at: at.meetingPlanned },
  "proposal.viewed": {
    at: at.proposalViewed,
    state: { status: "visualizada", viewed_at: at.proposalViewed, updated_at: at.proposalViewed },
  },
  "contact.updated": {
    at: at.changed,
    state: { job_title: "Diretora", phone: "+55 19 99876-5432", updated_at: at.changed },
  },
  "company.updated": {
    at: at.changed,
    state: { employee_count: 45, website: "https://www.padariasol.com.br", updated_at: at.changed },
  },
  "deal.updated": {
    at: at.changed,
    state: { value: 14000, expected_close_date: "2026-11-15", updated_at: at.changed },
  },
  "deal.contact_added": { at: at.changed, facts: { added_contact_id: IDS.otherContact } },
  "deal.contact_removed": { at: at.changed, facts: { removed_contact_id: IDS.otherContact } },
  "activity.updated": {
    at: at.changed,
    state: { due_at: "2026-10-09T14:00:00.000Z", owner_id: IDS.newMember, updated_at: at.changed },
  },
  "activity.overdue": {
    at: "2026-10-08T14:05:00.000Z",
    state: { is_overdue: true },
    facts: { overdue_since: at.meeting },
  },
  "activity.completed": {
    at: at.met,
    state: { status: "concluida", completed_at: at.met, updated_at: at.met },
  },
  "proposal.accepted": {
    at: at.answered,
    state: {
      status: "aceita",
      viewed_at: at.proposalViewed,
      accepted_at: at.answered,
      updated_at: at.answered,
    },
  },
  "proposal.rejected": {
    at: at.answered,
    state: {
      status: "recusada",
      viewed_at: at.proposalViewed,
      rejected_at: at.answered,
      rejection_reason: "Preço acima do orçamento",
      updated_at: at.answered,
    },
  },
  "deal.won": { at: at.closed, state: wonDeal },
  "deal.lost": { at: at.closed, state: lostDeal },
  "deal.reopened": {
    at: at.reopened,
    state: { stage_id: IDS.stages[3], stage_changed_at: at.closed, updated_at: at.reopened },
  },
  "deal.stale": { at: at.stale },
  "contact.merged": {
    at: at.changed,
    state: { updated_at: at.changed },
    facts: { merged_contact_id: IDS.otherContact },
  },
  "contact.erased": { at: at.reopened },
};

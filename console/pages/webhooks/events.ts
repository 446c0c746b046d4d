import type { EventType } from "../../../supabase/functions/_shared/contract/events.ts";

export type { EventType };

/** A group of events in the form. */
export type EventGroup = "leads" | "deals" | "contacts" | "companies" | "activities" | "notes" | "proposals";

/** The group of every event. Only the type of the catalogue is imported, because its schemas would bundle zod. */
const GROUP_OF: Record<EventType, EventGroup> = {
  "lead.received": "leads",
  "deal.created": "deals",
  "deal.stage_changed": "deals",
  "deal.won": "deals",
  "deal.lost": "deals",
  "deal.reopened": "deals",
  "deal.stale": "deals",
  "deal.updated": "deals",
  "deal.contact_added": "deals",
  "deal.contact_removed": "deals",
  "contact.created": "contacts",
  "contact.updated": "contacts",
  "contact.merged": "contacts",
  "contact.erased": "contacts",
  "company.created": "companies",
  "company.updated": "companies",
  "activity.created": "activities",
  "activity.completed": "activities",
  "activity.overdue": "activities",
  "activity.updated": "activities",
  "note.created": "notes",
  "proposal.viewed": "proposals",
  "proposal.accepted": "proposals",
  "proposal.rejected": "proposals",
};

/** Every event in its group, in the order of the form. */
export const EVENT_GROUPS: readonly { group: EventGroup; events: EventType[] }[] = (
  ["leads", "deals", "contacts", "companies", "activities", "notes", "proposals"] as const
).map((group) => ({
  group,
  events: (Object.keys(GROUP_OF) as EventType[]).filter((event) => GROUP_OF[event] === group),
}));

/** Every event, in the order of the form. */
export const ALL_EVENTS: readonly EventType[] = EVENT_GROUPS.flatMap(({ events }) => events);

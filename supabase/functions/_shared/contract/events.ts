/** The events a subscription may name (spec 6.1). The enum `crm.event_type` holds the same list. */
export const EVENT_TYPES = [
  "deal.stage_changed",
  "deal.won",
  "deal.lost",
  "deal.stale",
  "activity.created",
  "activity.overdue",
  "proposal.viewed",
  "deal.created",
  "contact.created",
  "lead.received",
  "proposal.accepted",
  "proposal.rejected",
] as const;

export type EventType = typeof EVENT_TYPES[number];

/** Whether a text names an event of the catalog. */
export function isEventType(text: string): text is EventType {
  return (EVENT_TYPES as readonly string[]).includes(text);
}

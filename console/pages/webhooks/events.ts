// Not imported from the functions' catalogue, whose schemas would bring zod into the bundle; tests/console/ compares them.

/** What an event is about, as people look for it. */
export type EventGroup = "leads" | "deals" | "contacts" | "activities" | "proposals";

const GROUP_OF = {
  "lead.received": "leads",
  "deal.created": "deals",
  "deal.stage_changed": "deals",
  "deal.won": "deals",
  "deal.lost": "deals",
  "deal.stale": "deals",
  "contact.created": "contacts",
  "activity.created": "activities",
  "activity.overdue": "activities",
  "proposal.viewed": "proposals",
  "proposal.accepted": "proposals",
  "proposal.rejected": "proposals",
} as const satisfies Record<string, EventGroup>;

/** The name of an event. */
export type EventType = keyof typeof GROUP_OF;

/** Every event in its group, in the order of the form. */
export const EVENT_GROUPS: readonly { group: EventGroup; events: EventType[] }[] = (
  ["leads", "deals", "contacts", "activities", "proposals"] as const
).map((group) => ({
  group,
  events: (Object.keys(GROUP_OF) as EventType[]).filter((event) => GROUP_OF[event] === group),
}));

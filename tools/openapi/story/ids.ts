import { createHash } from "node:crypto";

/** Makes the id of a record in the story: a UUIDv7 from the time of its creation, with other bits from its name. */
function id(name: string, createdAt: string): string {
  const time = Date.parse(createdAt).toString(16).padStart(12, "0");
  const bits = createHash("sha256").update(name).digest("hex");
  return [time.slice(0, 8), time.slice(8), `7${bits.slice(0, 3)}`, `8${bits.slice(3, 6)}`, bits.slice(6, 18)]
    .join("-");
}

/** When each event of the story happened. */
export const MOMENTS = {
  signedUp: "2026-03-02T12:00:00.000Z",
  keyMade: "2026-03-02T13:10:00.000Z",
  subscribed: "2026-03-02T13:30:00.000Z",
  leadArrived: "2026-09-28T13:20:31.250Z",
  leadDelivered: "2026-09-28T13:20:32.114Z",
  lastUse: "2026-10-01T12:00:00.480Z",
  noted: "2026-09-30T15:02:10.000Z",
  moved: "2026-10-01T12:00:00.480Z",
  meetingPlanned: "2026-10-01T12:40:00.000Z",
  proposalMade: "2026-10-01T12:55:00.000Z",
  proposalSent: "2026-10-01T13:00:00.000Z",
  proposalViewed: "2026-10-02T11:05:44.000Z",
  changed: "2026-10-05T17:20:09.300Z",
  meeting: "2026-10-08T14:00:00.000Z",
  met: "2026-10-08T14:45:00.000Z",
  answered: "2026-10-08T15:10:27.000Z",
  closed: "2026-10-09T12:30:00.000Z",
  reopened: "2026-10-12T11:00:00.000Z",
  stale: "2026-10-16T13:00:00.000Z",
} as const;

const at = MOMENTS;

/** The ids of the story's records, all different. */
export const IDS = {
  workspace: id("workspace", at.signedUp),
  member: id("member", at.signedUp),
  newMember: id("new member", at.noted),
  pipeline: id("pipeline", at.signedUp),
  stages: ["prospecting", "proposal", "won", "lost"].map((name) => id(name, at.signedUp)) as [
    string,
    string,
    string,
    string,
  ],
  lossReason: id("loss reason", at.signedUp),
  key: id("key", at.keyMade),
  subscription: id("subscription", at.subscribed),
  company: id("company", at.leadArrived),
  contact: id("contact", at.leadArrived),
  otherContact: id("other contact", at.noted),
  otherCompany: id("other company", at.noted),
  customField: id("custom field", at.signedUp),
  deal: id("deal", at.leadArrived),
  note: id("note", at.noted),
  activity: id("activity", at.meetingPlanned),
  proposal: id("proposal", at.proposalMade),
  delivery: id("delivery", at.leadDelivered),
} as const;

/** The id of an event of the story. */
export function eventId(event: string, occurredAt: string): string {
  return id(event, occurredAt);
}

/** The id of the delivery of an event to the story's subscription. */
export function deliveryId(event: string, occurredAt: string): string {
  return event === "lead.received" ? IDS.delivery : id(`delivery of ${event}`, occurredAt);
}

/** Makes an id for a record that the story does not have. Each field's path in the example gets a different id. */
export function madeUpId(path: string): string {
  return id(path, MOMENTS.changed);
}

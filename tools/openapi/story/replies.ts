import { IDS, MOMENTS as at } from "./ids.ts";
import { HAPPENINGS } from "./events.ts";
import { lostDeal, newDeal, wonDeal } from "./sales.ts";

type Told = Readonly<Record<string, unknown>>;

const { "proposal.accepted": accepted, "proposal.rejected": rejected, "activity.completed": completed } =
  HAPPENINGS;

/** The values that an operation has just changed, by its id. Its reply shows them instead of the story's values. */
export const REPLIES: Readonly<Record<string, Told>> = {
  "contacts.create": { id: IDS.contact },
  "deals.create": newDeal,
  "deals.move_stage": { last_activity_at: null },
  "deals.win": wonDeal,
  "deals.lose": lostDeal,
  "activities.update": completed.state!,
  // The first call marks the proposal as viewed.
  "proposals.get": { status: "visualizada" },
  "proposals.accept": pick(accepted.state!, "status", "accepted_at"),
  "proposals.reject": pick(rejected.state!, "status", "rejected_at", "rejection_reason"),
  ...archived("contacts", "companies", "deals"),
  "contacts.erase": { id: IDS.contact, erased_at: at.reopened },
  "operations.get": { ended_at: at.reopened },
  "contacts.batch": oneCreated(IDS.contact),
  "companies.batch": oneCreated(IDS.company),
  "deals.batch": oneCreated(IDS.deal),
  "activities.batch": oneCreated(IDS.activity),
  "notes.batch": oneCreated(IDS.note),
  "contacts.merge": { updated_at: at.changed },
  "companies.merge": { updated_at: at.changed },
  "webhooks.update": { header: { name: "Authorization" } },
  "webhooks.rotate_secret": { old_secret_until: "2026-10-06T17:20:09.300Z" },
  "webhooks.rotate": { old_secret_until: "2026-10-06T17:20:09.300Z" },
  "keys.create": { last_used_at: null, active_webhooks: 0 },
};

/** By operation: values for request bodies that differ from the story's. */
export const REQUESTS: Readonly<Record<string, Told>> = {
  "contacts.merge": { merge_id: IDS.otherContact },
  "companies.merge": { merge_id: IDS.otherCompany },
  "deals.add_contact": { contact_id: IDS.otherContact },
};

/** The reply of a batch whose only item creates this record. */
function oneCreated(id: string): Told {
  return { results: [{ index: 0, status: 201, id }], summary: { created: 1, updated: 0, failed: 0 } };
}

/** The values after `archive` and `restore` of these resources. */
function archived(...resources: string[]): Record<string, Told> {
  return Object.fromEntries(resources.flatMap((resource) => [
    [`${resource}.archive`, { archived_at: at.reopened, updated_at: at.reopened }],
    [`${resource}.restore`, { updated_at: at.stale }],
  ]));
}

function pick(told: Told, ...names: string[]): Told {
  return Object.fromEntries(names.map((name) => [name, told[name]]));
}

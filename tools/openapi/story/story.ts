/**
 * The examples tell one story: Ana Souza of the bakery Padaria Sol asks for an offer on the site of the mill Moinho
 * Norte, where Bruno Lima follows up on the deal. This folder has the values of each record once, by the name of its
 * schema. A field that the story lacks, such as a new field, gets the example in its declaration.
 */
import { HAPPENINGS } from "./events.ts";
import { deliveryId, eventId, IDS, MOMENTS } from "./ids.ts";
import { NAMED, PEOPLE } from "./people.ts";
import { REPLIES, REQUESTS } from "./replies.ts";
import { SALES } from "./sales.ts";
import { WEBHOOKS } from "./webhooks.ts";
import type { EventType } from "../../../supabase/functions/_shared/contract/events.ts";

type Told = Readonly<Record<string, unknown>>;

const RECORDS: Readonly<Record<string, Told>> = { ...SALES, ...WEBHOOKS, ...PEOPLE };

/**
 * Whether a field has the id of another record. Requests leave out such a field unless it is required: the reader's
 * workspace does not have the record.
 */
const isReference = (field: string) => field.endsWith("_id") && field !== "external_id" && field !== "tax_id";

/**
 * The story's values for an object.
 *
 * @param schema the name of its schema; `New…` and `…Upsert` are bodies that create the record
 * @param field the name of the field that holds it
 * @param has the fields of the schema
 */
export function recordOfStory(schema: string, field: string, has: readonly string[]): Told {
  if (schema === "Reference") return NAMED[field] ?? {};
  const told = RECORDS[schema];
  if (told) return told;
  const created = RECORDS[/^New(\w+)$|^(\w+)Upsert$/.exec(schema)?.slice(1).join("") ?? ""];
  return Object.fromEntries(
    Object.entries(created ?? {}).filter(([name]) => has.includes(name) && !isReference(name)),
  );
}

const IDS_BY_FIELD: Readonly<Record<string, string>> = {
  workspace_id: IDS.workspace,
  owner_id: IDS.member,
  contact_id: IDS.contact,
  company_id: IDS.company,
  deal_id: IDS.deal,
  pipeline_id: IDS.pipeline,
  stage_id: IDS.stages[1],
  delivery_id: IDS.delivery,
};

/** The story's id for a field of this name; undefined if there is none. */
export function fieldOfStory(name: string): string | undefined {
  return IDS_BY_FIELD[name];
}

const OBJECTS = {
  deal: IDS.deal,
  contact: IDS.contact,
  company: IDS.company,
  activity: IDS.activity,
  note: IDS.note,
  proposal: IDS.proposal,
} as const;

/** The story's event of a type: ids, moment, and values of its object. */
export function eventOfStory(type: EventType, object: keyof typeof OBJECTS) {
  const { at, state = {}, facts = {} } = HAPPENINGS[type];
  return {
    id: eventId(type, at),
    delivery_id: deliveryId(type, at),
    object_id: OBJECTS[object],
    occurred_at: at,
    actor_id: object === "proposal" ? IDS.proposal : type === "activity.overdue" ? null : IDS.key,
    state,
    facts,
  };
}

/**
 * The values in an operation's reply that differ from the story, because the operation has just created or changed the
 * record.
 */
export function replyOfStory(operation: string, method: string): Told {
  return { ...(method === "PATCH" && { updated_at: MOMENTS.changed }), ...REPLIES[operation] };
}

/** Values that the request of an operation sends instead of the story's. */
export function requestOfStory(operation: string): Told {
  return REQUESTS[operation] ?? {};
}

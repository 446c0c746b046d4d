import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { datetime, name, text, timestamp, uuid } from "../_shared/contract/fields.ts";
import { listQuery } from "../_shared/contract/pagination.ts";
import { activityFields } from "./docs.ts";

const status = () => z.enum(["pendente", "concluida", "cancelada"]);
/** Free: a workspace may have kinds of its own. */
const type = () => name(60);
/** What the column holds (int4). */
const MAX_MINUTES = 2 ** 31 - 1;

/** What a client may write of an activity. */
const fields = {
  contact_id: uuid().nullish(),
  owner_id: uuid().nullish(),
  type: type().nullish(),
  title: name().nullish(),
  description: text(10_000).nullish(),
  due_at: datetime().nullish(),
  duration_minutes: z.int().min(0).max(MAX_MINUTES).nullish(),
  is_online_meeting: z.boolean().nullish(),
  // Shown as a link by whoever reads it: a `javascript:` address must not get in.
  meeting_url: z.url({ protocol: /^https?$/, error: "Deve ser uma URL http ou https" }).max(2048).nullish(),
  location: text(255).nullish(),
  status: status().nullish(),
};

/** Body of POST (spec 4.6): absent or null, a field has its default. */
export const NewActivity = z.object({ deal_id: uuid(), ...fields }).meta({
  id: "NewActivity",
  ...doc("Uma atividade a criar", "An activity to create"),
  fields: activityFields,
});

/**
 * Body of PATCH: what is absent stays; null clears, or brings back the default where a field cannot be empty. An
 * activity stays with its deal.
 */
export const ActivityPatch = z.object(fields).meta({
  id: "ActivityPatch",
  ...doc(
    "O que muda; null apaga, ou volta ao padrão",
    "What changes; null clears, or brings back the default",
    { status: "concluida" },
  ),
  fields: activityFields,
});

/** An activity as every reply and event gives it. */
export const Activity = z.object({
  id: uuid(),
  workspace_id: uuid(),
  deal_id: uuid(),
  contact_id: uuid().nullable(),
  owner_id: uuid(),
  created_by_id: uuid(),
  type: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  due_at: timestamp().nullable(),
  duration_minutes: z.int().nullable(),
  is_online_meeting: z.boolean(),
  meeting_url: z.string().nullable(),
  location: z.string().nullable(),
  status: status(),
  completed_at: timestamp().nullable(),
  is_overdue: z.boolean(),
  created_at: timestamp(),
  updated_at: timestamp(),
}).meta({
  id: "Activity",
  ...doc("Uma atividade de um negócio", "An activity of a deal"),
  fields: activityFields,
});

/** Query of the list: `due_after` is inclusive, `due_before` is not. */
export const ActivityFilter = listQuery({
  deal_id: uuid().optional(),
  contact_id: uuid().optional(),
  owner_id: uuid().optional(),
  type: type().optional().meta(doc("Só deste tipo", "Only of this type")),
  status: status().optional(),
  is_overdue: z.enum(["true", "false"]).transform((flag) => flag === "true").optional().meta({
    type: "boolean",
    enum: [true, false],
    ...doc("Só as atrasadas, ou só as outras", "Only the overdue ones, or only the others"),
  }),
  due_before: datetime().optional().meta(doc("Prazo antes deste momento", "Due before this moment")),
  due_after: datetime().optional().meta(doc("Prazo a partir deste momento", "Due at or after this moment")),
});

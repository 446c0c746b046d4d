// The console declares the types of the replies that it reads, because it is built without zod. `deno task check` fails
// here if a function's reply no longer has what the console reads. Two kinds of replies cannot be compared in this way:
// those whose schema is made from a record (webhooks), and those whose schema is wider than the data (types of stages).
import type { z } from "zod";
import type * as console from "../../console/app/types.ts";
import type * as webhooks from "../../console/pages/webhooks/records.ts";
import type { ActivityPage } from "../../supabase/functions/app-v1-activity/schema.ts";
import type { DeliveryDetail, DeliveryList } from "../../supabase/functions/app-v1-deliveries/schema.ts";
import type {
  CreatedKey,
  KeyDetail,
  KeyList,
  RevokedKey,
} from "../../supabase/functions/app-v1-keys/schema.ts";
import type {
  InvitedMember,
  MemberList,
  UpdatedMember,
} from "../../supabase/functions/app-v1-members/schema.ts";
import type { Workspace, WorkspaceChoices } from "../../supabase/functions/app-v1-workspace/schema.ts";

/** Compiles only if a reply with this schema is assignable to the type `Reply`. */
type Reads<Schema extends z.ZodType<Reply>, Reply> = Schema;

export type Read = [
  Reads<typeof Workspace, console.Workspace>,
  Reads<typeof WorkspaceChoices, console.Choices>,
  Reads<typeof MemberList, { data: console.Member[] }>,
  Reads<typeof InvitedMember, console.Member & { invitation_sent: boolean }>,
  Reads<typeof UpdatedMember, console.Member>,
  Reads<typeof KeyList, { data: console.ApiKey[] }>,
  Reads<typeof KeyDetail, console.OpenedKey>,
  Reads<typeof CreatedKey, console.ApiKey & { key: string }>,
  Reads<typeof RevokedKey, console.ApiKey & { ended_subscriptions: unknown[] }>,
  Reads<typeof DeliveryList, console.Page<webhooks.Delivery>>,
  Reads<typeof DeliveryDetail, webhooks.OpenDelivery>,
  Reads<typeof ActivityPage, console.Page<console.Entry>>,
];

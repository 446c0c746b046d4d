/** Types of the functions' replies. The schemas are imported as types, so that none of them enters the bundle. */
import type { z } from "zod";
import type * as activity from "../../supabase/functions/app-v1-activity/schema.ts";
import type * as apps from "../../supabase/functions/app-v1-apps/schema.ts";
import type * as keys from "../../supabase/functions/app-v1-keys/schema.ts";
import type * as members from "../../supabase/functions/app-v1-members/schema.ts";
import type * as workspaces from "../../supabase/functions/app-v1-workspace/schema.ts";
import type * as custom from "../../supabase/functions/_shared/contract/custom_fields.ts";
import type * as log from "../../supabase/functions/_shared/contract/request_log.ts";

export type { Role } from "../../supabase/functions/_shared/contract/roles.ts";
export type Choices = z.output<typeof workspaces.WorkspaceChoices>;
export type PersonSession = z.output<typeof workspaces.SessionList>["data"][number];
export type Workspace = z.output<typeof workspaces.Workspace>;
export type Alert = Workspace["alerts"][number];
export type FirstSteps = NonNullable<Workspace["first_steps"]>;
export type Found = z.output<typeof workspaces.WorkspaceSearchResult>["data"][number];
export type CustomField = z.output<typeof custom.CustomField>;
export type Grant = z.output<typeof apps.Grant>;
export type GrantList = z.output<typeof apps.GrantList>;
/** An entry of the audit log. `actor` is null if the operator acted. */
export type Entry = z.output<typeof activity.ActivityPage>["data"][number];
export type ShownEvent = z.output<typeof activity.EventsPage>["data"][number];
export type ApiKey = z.output<typeof keys.Key>;
export type CreatedKey = z.output<typeof keys.CreatedKey>;
export type RotatedKey = z.output<typeof keys.RotatedKey>;
export type RevokedKey = z.output<typeof keys.RevokedKey>;
export type OpenedKey = z.output<typeof keys.KeyDetail>;
export type LoggedRequest = z.output<typeof log.LoggedRequest>;
export type Member = z.output<typeof members.MemberList>["data"][number];
export type InvitedMember = z.output<typeof members.InvitedMember>;

export interface Page<Item> {
  data: Item[];
  meta: { has_more: boolean; next_cursor: string | null };
}

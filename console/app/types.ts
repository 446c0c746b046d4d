/** Types of the functions' replies. They are imported as types, so that no schema enters the bundle. */
import type { z } from "zod";
import type { LoggedRequest as LoggedRequestSchema } from "../../supabase/functions/_shared/contract/request_log.ts";
import type {
  Grant as GrantSchema,
  GrantList as GrantListSchema,
} from "../../supabase/functions/app-v1-apps/schema.ts";
import type { EventsPage } from "../../supabase/functions/app-v1-activity/schema.ts";
import type { Key, KeyDetail } from "../../supabase/functions/app-v1-keys/schema.ts";
import type { MemberList } from "../../supabase/functions/app-v1-members/schema.ts";
import type {
  SessionList,
  Workspace as WorkspaceSchema,
  WorkspaceChoices,
  WorkspaceSearchResult,
} from "../../supabase/functions/app-v1-workspace/schema.ts";

import type { CustomField as CustomFieldSchema } from "../../supabase/functions/_shared/contract/custom_fields.ts";

export type { Role } from "../../supabase/functions/_shared/contract/roles.ts";
export type Choices = z.output<typeof WorkspaceChoices>;
export type PersonSession = z.output<typeof SessionList>["data"][number];
export type Workspace = z.output<typeof WorkspaceSchema>;
export type Alert = Workspace["alerts"][number];
export type FirstSteps = NonNullable<Workspace["first_steps"]>;
export type Found = z.output<typeof WorkspaceSearchResult>["data"][number];
export type CustomField = z.output<typeof CustomFieldSchema>;
export type Grant = z.output<typeof GrantSchema>;
export type GrantList = z.output<typeof GrantListSchema>;
export type ShownEvent = z.output<typeof EventsPage>["data"][number];
export type ApiKey = z.output<typeof Key>;
export type LoggedRequest = z.output<typeof LoggedRequestSchema>;
export type OpenedKey = z.output<typeof KeyDetail>;
export type Member = z.output<typeof MemberList>["data"][number];

/** An entry of the audit log. `actor` is null if the operator acted. */
export interface Entry {
  id: string;
  at: string;
  actor: { id: string; name: string } | null;
  action: string;
  object: { type: string; id: string; name: string };
  details: Record<string, unknown>;
}

export interface Page<Item> {
  data: Item[];
  meta: { has_more: boolean; next_cursor: string | null };
}

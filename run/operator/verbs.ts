// Arguments and result of each verb in schema app that a command calls. The rules for them are in
// supabase/schemas/*_app_*.sql. Moments are ISO 8601 in UTC. An optional argument may be absent or null.
import type { z } from "zod";
import type { Role } from "../../supabase/functions/_shared/contract/roles.ts";
import type {
  DeliveryDetail,
  DeliveryFilter,
  DeliveryList,
  Redelivery,
} from "../../supabase/functions/api-v1-webhooks/delivery.ts";
import type { Recovery } from "../../supabase/functions/api-v1-webhooks/operations.ts";
import type {
  Key as KeySchema,
  KeyDetail,
  RevokedKey,
  Rotation,
} from "../../supabase/functions/app-v1-keys/schema.ts";
import type { Grant } from "../../supabase/functions/app-v1-apps/schema.ts";
import type { MemberList, UpdatedMember } from "../../supabase/functions/app-v1-members/schema.ts";
import type { Workspace as WorkspaceSchema } from "../../supabase/functions/app-v1-workspace/schema.ts";

export type Workspace = Omit<WorkspaceOverview, "member" | "workspaces" | "usage" | "alerts" | "first_steps">;

/** A workspace with its usage. For the operator `member` is null, and `workspaces` is empty. */
type WorkspaceOverview = Omit<z.output<typeof WorkspaceSchema>, "member"> & {
  member: z.output<typeof WorkspaceSchema>["member"] | null;
};

export type Key = z.output<typeof KeySchema>;
/** For how many seconds a replaced secret keeps working. */
export type OverlapSeconds = z.output<typeof Rotation>["overlap_seconds"];

export interface Pipeline {
  id: string;
  workspace_id: string;
  name: string;
  is_default: boolean;
  is_active: boolean;
}

/** Known values of `type`: pre-venda, venda, won, lost (spec 2.5). */
export interface NewStage {
  name: string;
  type: string;
}

export interface Stage extends NewStage {
  id: string;
  pipeline_id: string;
  position: number;
  is_active: boolean;
}

interface LossReason {
  id: string;
  workspace_id: string;
  name: string;
  is_active: boolean;
  created_at: string;
}

/** A proposal, with the same fields as in its events. */
export interface Proposal {
  id: string;
  workspace_id: string;
  deal_id: string;
  title: string;
  value: number | null;
  recurring_value: number | null;
  status: "rascunho" | "enviada" | "visualizada" | "aceita" | "recusada" | "expirada";
  sent_at: string | null;
  viewed_at: string | null;
  accepted_at: string | null;
  rejected_at: string | null;
  rejection_reason: string | null;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
}

/** The fields are described in api-v1-webhooks/record.ts and schema.ts. */
export interface Subscription {
  id: string;
  event_types: string[];
  target_url: string;
  is_active: boolean;
  failure_count: number;
  last_success_at: string | null;
  last_failure_at: string | null;
  behind_since: string | null;
  created_at: string;
  key_id: string | null;
  deactivated_at: string | null;
  deactivated_reason: "deleted" | "failures" | "key_revoked" | null;
  old_secret_until: string | null;
  filters: Record<string, string[]> | null;
  payload: "full" | "ids";
  header: { name: string } | null;
  name: string | null;
  key: { id: string; name: string } | null;
  held: boolean;
  days: { day: string; delivered: number; failed: number; waiting: number }[];
  /** Whether there may be more deliveries than `days` counts. */
  days_are_partial: boolean;
  /** The attempts of the newest deliveries; the rate is from 0 to 1. */
  recent: { attempts: number; success_rate: number | null; median_ms: number | null; p95_ms: number | null };
}

export type RecordKind =
  | "member"
  | "key"
  | "pipeline"
  | "stage"
  | "loss_reason"
  | "deal"
  | "proposal"
  | "subscription"
  | "delivery";

type DeliveryFilters =
  & { subscription_id: string; state: string; event: string }
  & Required<
    Pick<z.output<typeof DeliveryFilter>, "since" | "until" | "cursor" | "limit">
  >;

type Optional<Fields> = { [Field in keyof Fields]?: Fields[Field] | null | undefined };
type Plan = Pick<
  Workspace,
  | "suspended"
  | "public_api"
  | "rate_limit_per_minute"
  | "stale_after_days"
  | "time_zone"
  | "refuses_undefined_fields"
>;
type InWorkspace = { workspace_id: string };
type List<Row> = { data: Row[] };
type OnRecord = InWorkspace & { id: string };

interface Verb<Args, Result> {
  args: Args;
  result: Result;
}

/** The verbs of schema app that commands call, by name. */
export interface Verbs {
  workspace_create: Verb<
    { name: string } & Optional<{ member_name: string; member_email: string }>,
    { id: string; member_id: string; pipeline_id: string }
  >;
  workspace_update: Verb<InWorkspace & Optional<Plan & { name: string }>, WorkspaceOverview>;
  workspace_list: Verb<Record<never, never>, Workspace[]>;
  workspace_find: Verb<{ object: RecordKind; id: string }, InWorkspace>;

  member_invite: Verb<
    InWorkspace & { name: string; email: string; role: Role },
    z.output<typeof MemberList>["data"][number]
  >;
  member_update: Verb<
    OnRecord & Optional<{ name: string; role: Role; is_active: boolean }>,
    z.output<typeof UpdatedMember>
  >;
  member_list: Verb<InWorkspace, z.output<typeof MemberList>>;

  key_create: Verb<
    & InWorkspace
    & { name: string; scopes: string[]; prefix: string; hash: string }
    & Optional<{ member_id: string; expires_at: string; allowed_networks: string[] }>,
    Key
  >;
  key_list: Verb<InWorkspace, List<Key>>;
  key_get: Verb<OnRecord, z.output<typeof KeyDetail>>;
  key_update: Verb<
    OnRecord & Optional<{ name: string; allowed_networks: string[]; expires_at: string }>,
    Key
  >;
  key_rotate: Verb<OnRecord & { prefix: string; hash: string; overlap_seconds: OverlapSeconds }, Key>;
  key_revoke: Verb<OnRecord & Optional<{ keep_webhooks: boolean }>, z.output<typeof RevokedKey>>;

  grant_list: Verb<InWorkspace, List<z.output<typeof Grant>>>;
  grant_revoke: Verb<OnRecord, z.output<typeof Grant>>;

  pipeline_create: Verb<
    InWorkspace & { name: string; stages: NewStage[] } & Optional<{ is_default: boolean }>,
    { id: string; stages: Pick<Stage, "id" | "name" | "type" | "position">[] }
  >;
  pipeline_update: Verb<OnRecord & Optional<{ is_active: boolean; is_default: true }>, Pipeline>;
  pipeline_list: Verb<InWorkspace, (Pipeline & { stages: Stage[] })[]>;
  stage_update: Verb<OnRecord & { is_active: boolean }, Stage>;

  loss_reason_create: Verb<InWorkspace & { name: string }, { id: string }>;
  loss_reason_update: Verb<OnRecord & { is_active: boolean }, LossReason>;
  loss_reason_list: Verb<InWorkspace, LossReason[]>;

  proposal_create: Verb<
    & InWorkspace
    & { deal_id: string; title: string }
    & Optional<{ value: number; recurring_value: number; expires_at: string }>,
    { id: string }
  >;
  proposal_send: Verb<OnRecord & { token_hash: string }, Pick<Proposal, "id">>;
  proposal_list: Verb<InWorkspace, Proposal[]>;

  subscription_list: Verb<InWorkspace, List<Subscription>>;
  subscription_get: Verb<OnRecord, Subscription>;
  subscription_test: Verb<
    OnRecord & Optional<{ event_type: string }>,
    { delivery_id: string; held: boolean }
  >;
  subscription_reactivate: Verb<
    OnRecord,
    Subscription & { resumed: number; revoked_key: Pick<Key, "id" | "name" | "prefix"> | null }
  >;
  subscription_read_secret: Verb<OnRecord, { secret: string }>;
  subscription_rotate: Verb<
    OnRecord & { secret: string } & Optional<{ overlap_seconds: number }>,
    Subscription
  >;
  subscription_recover: Verb<
    OnRecord & { since: string } & Optional<{ until: string; before_creation: boolean; dry_run: boolean }>,
    z.output<typeof Recovery>
  >;

  delivery_list: Verb<InWorkspace & Optional<DeliveryFilters>, z.output<typeof DeliveryList>>;
  delivery_get: Verb<OnRecord, z.output<typeof DeliveryDetail>>;
  delivery_retry: Verb<InWorkspace, { retried: number }>;
  delivery_redeliver: Verb<OnRecord, z.output<typeof Redelivery>>;

  job_list: Verb<Record<never, never>, { name: string; every: string; description: string }[]>;
  job_run: Verb<{ name: string }, { name: string; duration_ms: number }>;
}

export type VerbName = keyof Verbs;
export type Args<V extends VerbName> = Verbs[V]["args"];
export type Result<V extends VerbName> = Verbs[V]["result"];

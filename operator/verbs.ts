// The arguments and the result of each verb of schema app that a command calls. Their rules are in supabase/migrations/*_app_*.sql. Moments
// are ISO 8601 in UTC. An optional argument may be absent or null.

/** The roles of a member. An admin and a gestor manage the workspace. */
export const ROLES = ["admin", "gestor", "vendedor"] as const;
export type Role = typeof ROLES[number];

export interface Workspace {
  id: string;
  name: string;
  suspended: boolean;
  public_api: boolean;
  rate_limit_per_minute: number;
  stale_after_days: number;
  created_at: string;
}

/** A workspace as one who looks at it alone sees it. */
export interface WorkspaceOverview extends Workspace {
  /** Who asks; null for the operator. */
  member: Pick<Member, "id" | "name" | "email" | "role"> | null;
  /** Those of the person who asks; none for the operator. */
  workspaces: { id: string; name: string; role: Role }[];
  usage: {
    calls_today: number;
    calls_7_days: number;
    active_keys: number;
    active_webhooks: number;
    active_members: number;
    waiting_deliveries: number;
  };
}

export interface Member {
  id: string;
  workspace_id: string;
  name: string;
  email: string;
  role: Role;
  is_active: boolean;
  has_signed_in: boolean;
  /** How many keys that the member created still work. */
  working_keys: number;
  created_at: string;
}

export interface Key {
  id: string;
  name: string;
  /** The visible start of its newest secret. */
  prefix: string;
  scopes: string[];
  state: "active" | "expired" | "revoked";
  creator: { id: string; name: string; is_active: boolean };
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  active_webhooks: number;
  rotated_at: string | null;
  /** Until when an earlier secret works too; null if none does. */
  old_secret_expires_at: string | null;
  /** By days of UTC, oldest first. */
  calls: { total_7_days: number; days: { day: string; calls: number }[] };
}

/** How long a replaced secret goes on working, in seconds. */
export type OverlapSeconds = 0 | 3600 | 86400 | 604800;

/** A key that is neither revoked nor expired. */
export type WorkingKey = Pick<Key, "id" | "name" | "prefix" | "scopes" | "expires_at">;

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

export interface LossReason {
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

export interface Subscription {
  id: string;
  event_types: string[];
  target_url: string;
  is_active: boolean;
  failure_count: number;
  last_success_at: string | null;
  last_failure_at: string | null;
  created_at: string;
  /** The key that made it; null for one made in the console. */
  key: { id: string; name: string } | null;
  /** Whether its deliveries wait, because the workspace is suspended or has no public API. */
  held: boolean;
  /** The outcomes of the last 7 days in UTC, oldest first. */
  days: { day: string; delivered: number; failed: number; waiting: number }[];
  /** Whether there are more deliveries than were counted. */
  days_are_partial: boolean;
}

export interface Delivery {
  id: string;
  subscription_id: string;
  target_url: string;
  event: string;
  state: "pending" | "delivered" | "failed";
  attempts: number;
  last_status: number | null;
  last_reason: string | null;
  last_duration_ms: number | null;
  last_attempt_at: string | null;
  next_attempt_at: string | null;
  created_at: string;
}

/** A delivery with its attempts, and the request of an attempt that would be made now. */
export interface DeliveryDetail extends Delivery {
  attempts_made: {
    series: number;
    number: number;
    status: number | null;
    reason: string | null;
    duration_ms: number;
    finished_at: string;
  }[];
  /** JSON text; null if it cannot be built. */
  body: string | null;
  headers: { name: string; value: string }[];
}

export interface Job {
  name: string;
  every: string;
  description: string;
}

/** The kinds of record whose workspace workspace_find finds. */
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

type Optional<Fields> = { [Field in keyof Fields]?: Fields[Field] | null | undefined };
type Plan = Pick<Workspace, "suspended" | "public_api" | "rate_limit_per_minute" | "stale_after_days">;
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

  member_invite: Verb<InWorkspace & { name: string; email: string; role: Role }, Member>;
  member_update: Verb<
    OnRecord & Optional<{ name: string; role: Role; is_active: boolean }>,
    Member & { keys: WorkingKey[]; active_managers: number }
  >;
  member_list: Verb<InWorkspace, List<Member>>;

  key_create: Verb<
    & InWorkspace
    & { name: string; scopes: string[]; prefix: string; hash: string }
    & Optional<{ member_id: string; expires_at: string }>,
    Key
  >;
  key_list: Verb<InWorkspace, { data: Key[] }>;
  key_get: Verb<
    OnRecord,
    Key & {
      hours: { hour: string; calls: number }[];
      days_30: { day: string; calls: number }[];
      subscriptions: Pick<Subscription, "id" | "target_url" | "is_active" | "event_types">[];
    }
  >;
  key_update: Verb<OnRecord & { name: string }, Key>;
  key_rotate: Verb<OnRecord & { prefix: string; hash: string; overlap_seconds: OverlapSeconds }, Key>;
  key_revoke: Verb<
    OnRecord & Optional<{ keep_webhooks: boolean }>,
    Key & {
      was_revoked: boolean;
      ended_subscriptions: Pick<Subscription, "id" | "target_url">[];
      kept_subscriptions: Pick<Subscription, "id" | "target_url">[];
    }
  >;

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
  proposal_send: Verb<OnRecord & { token_hash: string }, { id: string }>;
  proposal_list: Verb<InWorkspace, Proposal[]>;

  subscription_list: Verb<InWorkspace, List<Subscription>>;
  subscription_get: Verb<OnRecord, Subscription>;
  subscription_test: Verb<OnRecord, { delivery_id: string; held: boolean }>;
  subscription_reactivate: Verb<
    OnRecord,
    Subscription & { resumed: number; revoked_key: Pick<Key, "id" | "name" | "prefix"> | null }
  >;
  subscription_read_secret: Verb<OnRecord, { secret: string }>;
  subscription_rotate: Verb<OnRecord & { secret: string }, Subscription>;

  delivery_list: Verb<InWorkspace & Optional<{ subscription_id: string }>, List<Delivery>>;
  delivery_get: Verb<OnRecord, DeliveryDetail>;
  delivery_retry: Verb<InWorkspace, { retried: number }>;
  delivery_redeliver: Verb<OnRecord, Delivery & { held: boolean }>;

  job_list: Verb<Record<never, never>, Job[]>;
  job_run: Verb<{ name: string }, { name: string; duration_ms: number }>;
}

export type VerbName = keyof Verbs;
export type Args<V extends VerbName> = Verbs[V]["args"];
export type Result<V extends VerbName> = Verbs[V]["result"];

/** What the functions of the console answer, as far as several pages use it. */

export type Role = "vendedor" | "gestor" | "admin";

export interface Choice {
  id: string;
  name: string;
  role: Role;
}

export interface Workspace {
  id: string;
  name: string;
  suspended: boolean;
  public_api: boolean;
  rate_limit_per_minute: number;
  stale_after_days: number;
  created_at: string;
  member: { id: string; name: string; email: string; role: Role };
  workspaces: Choice[];
  usage: {
    calls_today: number;
    calls_7_days: number;
    active_keys: number;
    active_webhooks: number;
    active_members: number;
    waiting_deliveries: number;
  };
}

export interface DayOfCalls {
  day: string;
  calls: number;
}

export interface ApiKey {
  id: string;
  name: string;
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
  old_secret_expires_at: string | null;
  calls: { total_7_days: number; days: DayOfCalls[] };
}

export interface OpenedKey extends ApiKey {
  hours: { hour: string; calls: number }[];
  days_30: DayOfCalls[];
  subscriptions: { id: string; target_url: string; is_active: boolean; event_types: string[] }[];
}

export interface Member {
  id: string;
  name: string;
  email: string;
  role: Role;
  is_active: boolean;
  has_signed_in: boolean;
  working_keys: number;
  created_at: string;
}

/** A line of the log of changes; without an actor, the operator did it. */
export interface Entry {
  id: string;
  at: string;
  actor: { id: string; name: string } | null;
  action: string;
  object: { type: string; id: string; name: string | null };
  details: Record<string, unknown>;
}

export interface Page<Item> {
  data: Item[];
  meta: { has_more: boolean; next_cursor: string | null };
}

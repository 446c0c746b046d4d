-- Written by deno task records.

create type api.subscription as (
  id uuid, event_types crm.event_type[], target_url text, is_active boolean, failure_count integer,
  last_success_at text, last_failure_at text, created_at text, key_id uuid, deactivated_at text,
  deactivated_reason text, held boolean, behind_since text, old_secret_until text, filters jsonb, payload text,
  header jsonb, name text
);
comment on type api.subscription is 'A webhook subscription: its public fields, in order.';

create function crm.subscription_json(t crm.webhook_subscriptions) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.event_types, t.target_url, t.is_active, t.failure_count, crm.iso(t.last_success_at),
    crm.iso(t.last_failure_at), crm.iso(t.created_at), t.key_id, crm.iso(t.deactivated_at), t.deactivated_reason,
    crm.holds_webhooks(t.workspace_id), crm.iso(t.behind_since), crm.iso(crm.old_secret_until(t.workspace_id, t.id)),
    t.filters, t.payload, t.header, t.name
  )::api.subscription)
$$;
comment on function crm.subscription_json(crm.webhook_subscriptions) is
  'A row as public JSON, with the fields of api.subscription.';

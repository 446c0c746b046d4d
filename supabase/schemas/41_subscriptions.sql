-- Webhook subscriptions (spec 2.6, 4.5): the table, its public JSON, its verbs.

create table crm.webhook_subscriptions (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  key_id uuid,
  event_types crm.event_type[] not null check (cardinality(event_types) >= 1),
  target_url text not null check (char_length(target_url) between 1 and 2048),
  target_host text not null generated always as (lower(coalesce(
    substring(target_url from '(?i)^https?:[/\\]*([^/\\?#:]+|\[[^]]*\])'), target_url
  ))) stored,
  is_active boolean not null default true,
  deactivated_at timestamptz,
  deactivated_reason text check (deactivated_reason in ('deleted', 'failures', 'key_revoked')),
  failure_count integer not null default 0,
  slow_since timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  behind_since timestamptz,
  behind_position bigint,
  behind_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  filters jsonb,
  payload text not null default 'full' check (payload in ('full', 'ids')),
  header jsonb,
  notice_due_at timestamptz,
  name text check (char_length(name) between 1 and 80),
  primary key (workspace_id, id),
  foreign key (workspace_id, key_id) references crm.api_keys (workspace_id, id),
  check (is_active = (deactivated_at is null)),
  check ((behind_since is null) = (behind_position is null) and (behind_since is null) = (behind_id is null)),
  -- Unique across all workspaces, because a secret is encrypted for the id alone. The edge function encrypts the secret
  -- before it knows the workspace.
  unique (id)
);
comment on table crm.webhook_subscriptions is
  'Which event types go to which URL. A subscription is never deleted: an inactive subscription keeps its history '
  '(spec 3).';
comment on column crm.webhook_subscriptions.key_id is
  'The key that created the subscription. Revoking the key ends the subscription, except with keep_webhooks '
  '(app.key_revoke). Null if the subscription was created in the console; the audit log then names the person.';
comment on column crm.webhook_subscriptions.target_host is
  'The host name of the target, without the port. The attempts to a host are limited across all workspaces.';
comment on column crm.webhook_subscriptions.deactivated_reason is
  'Why the subscription is inactive: deleted, failures (the fifth attempt of a delivery failed) or key_revoked. If it '
  'was deleted, its waiting deliveries are cancelled, otherwise held.';
comment on column crm.webhook_subscriptions.slow_since is
  'When attempts began to time out. Until the receiver answers again, only one attempt is made at a time.';
comment on column crm.webhook_subscriptions.behind_since is
  'When the subscription fell behind: too many deliveries waited, so crm.fan_out_within_bound creates none for new '
  'events. The job webhook-catch-up creates these deliveries later, from the events.';
comment on column crm.webhook_subscriptions.behind_position is
  'A position in the feed, with behind_id: up to this place, every event has its delivery. Null unless the '
  'subscription is behind.';
comment on column crm.webhook_subscriptions.filters is
  'Which events of its types the subscription gets (crm.passes_filters): for pipeline_id, stage_id and owner_id a list '
  'of ids, for changed_fields a list of names. Null means all events of its types.';
comment on column crm.webhook_subscriptions.payload is
  'What `data` in a delivery contains: `full`, the object; `ids`, only its id.';
comment on column crm.webhook_subscriptions.header is
  'The additional header that each attempt sends, as {"name": "X-Key"}, or null. Its value is in crm.webhook_secrets.';
comment on column crm.webhook_subscriptions.notice_due_at is
  'When a dispatcher may next send the mail about a subscription that failures deactivated. Taking the mail '
  '(crm.notice_claim) sets a later time, in case sending fails. Null if there is no mail to send.';
comment on column crm.webhook_subscriptions.name is
  'The name that people gave the subscription. If null, the console shows the URL.';
call crm.protect('crm.webhook_subscriptions');
create index webhook_subscriptions_behind on crm.webhook_subscriptions (workspace_id, id) where behind_since is not null;
create index webhook_subscriptions_notices on crm.webhook_subscriptions (notice_due_at) where notice_due_at is not null;
create trigger touch before update on crm.webhook_subscriptions for each row execute function crm.touch();

create function crm.note_deactivation() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.is_active then
    new.deactivated_at := null;
    new.deactivated_reason := null;
  else
    new.deactivated_at := coalesce(new.deactivated_at, now());
  end if;
  if new.is_active or new.deactivated_reason is distinct from 'failures' then
    new.notice_due_at := null;
  elsif tg_op = 'UPDATE' and old.is_active then
    new.notice_due_at := now();
  end if;
  if new.deactivated_reason = 'deleted' then
    -- The waiting deliveries are cancelled, so there is nothing to catch up on.
    new.behind_since := null;
    new.behind_position := null;
    new.behind_id := null;
  end if;
  return new;
end
$$;
comment on function crm.note_deactivation() is
  'Trigger: sets deactivated_at, clears the reason when a subscription becomes active, makes the mail about failures '
  'due, and ends the catch-up of a deleted subscription.';
create trigger note_deactivation before insert or update of is_active on crm.webhook_subscriptions
  for each row execute function crm.note_deactivation();

create table crm.webhook_secrets (
  workspace_id uuid not null,
  subscription_id uuid not null,
  secret bytea not null,
  next_secret bytea,
  next_from timestamptz,
  header bytea,
  check ((next_secret is null) = (next_from is null)),
  primary key (workspace_id, subscription_id),
  foreign key (workspace_id, subscription_id) references crm.webhook_subscriptions (workspace_id, id)
);
comment on table crm.webhook_secrets is
  'Signing secrets, encrypted with a key that the database never has, so that nobody can sign with a dump of this '
  'table. Each secret is encrypted for its subscription_id, so that it cannot be decrypted from another row. The table '
  'is separate, so that crm_api can write secrets but read none.';
comment on column crm.webhook_secrets.next_secret is
  'The new secret during a rotation with overlap. Until next_from it makes a second signature, afterwards the only '
  'signature.';
comment on column crm.webhook_secrets.header is
  'The value of the subscription''s own header, encrypted like a secret. The two encryptions have different contexts, '
  'so that nobody can swap a header and a secret. Null if there is no header.';
call crm.protect('crm.webhook_secrets');

create function crm.holds_webhooks(p_workspace_id uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select w.suspended or not w.public_api from crm.workspaces w
    where w.id = p_workspace_id and w.id = coalesce(crm.current_workspace_id(), w.id)
  );
end
$$;
comment on function crm.holds_webhooks(uuid) is
  'Whether all deliveries of a workspace are held, because the workspace is suspended or has no public API. Security '
  'definer, because verbs may not read the workspace''s settings. Callers can ask only about their own workspace.';

create function crm.old_secret_until(p_workspace_id uuid, p_subscription_id uuid) returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  return (
    select k.next_from from crm.webhook_secrets k
    where k.workspace_id = p_workspace_id and k.subscription_id = p_subscription_id and k.next_from > now()
  );
end
$$;
comment on function crm.old_secret_until(uuid, uuid) is
  'Until when the old secret of a subscription still signs; null if no overlap is in progress.';

create index webhook_subscriptions_listed on crm.webhook_subscriptions (workspace_id, is_active, created_at, id);
create index webhook_subscriptions_of_key on crm.webhook_subscriptions (workspace_id, key_id, is_active, created_at, id);

create function api.webhook_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return (
    select json_build_object('data', coalesce(json_agg(s.record order by s.created_at desc, s.id desc), '[]'))
    from (
      -- At most 50 are active, so the limit cuts off only inactive subscriptions.
      select crm.subscription_json(l) as record, l.created_at, l.id from crm.webhook_subscriptions l
      where l.workspace_id = crm.current_workspace_id()
      order by l.is_active desc, l.created_at desc, l.id desc limit 500
    ) s
  );
end
$$;
comment on function api.webhook_list(jsonb) is
  'Lists the active and the newest inactive subscriptions, 500 at most, newest first (spec 4.5).';

create function crm.check_active_subscriptions(p_workspace_id uuid, p_field text) returns void
-- Volatile, so that the count includes rows committed while this function waited for the lock.
language plpgsql volatile set search_path = '' as $$
begin
  -- Without the lock, simultaneous calls would not count each other's subscriptions.
  perform pg_advisory_xact_lock(crm.lock_number('subscriptions of ' || p_workspace_id));
  -- A cap, because every write may create a delivery for each active subscription, and a dispatcher that claims
  -- deliveries may read all these subscriptions.
  if (
    select count(*) from crm.webhook_subscriptions s where s.workspace_id = p_workspace_id and s.is_active
  ) >= 50 then
    perform api.fail('validation_error', array[p_field], 'O workspace já tem 50 assinaturas ativas, o máximo');
  end if;
end
$$;
comment on function crm.check_active_subscriptions(uuid, text) is
  'Raises validation_error for p_field if a workspace already has 50 active subscriptions. Other calls of this '
  'function for the workspace wait until the transaction ends.';

create function crm.check_new_subscription(p_subscription crm.webhook_subscriptions) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_created integer;
  v_different integer;
begin
  perform crm.check_active_subscriptions(p_subscription.workspace_id, 'target_url');
  -- Inactive subscriptions are kept for ever, so two limits bound how many are created in 30 days. The limit of 500
  -- counts subscriptions with the same target and events once, because automation tools subscribe each time a workflow
  -- is switched on. The limit of 5,000 counts all subscriptions.
  select
    count(*),
    count(distinct (s.target_url, s.event_types)) filter (
      where (s.target_url, s.event_types) <> (p_subscription.target_url, p_subscription.event_types)
    )
  into v_created, v_different
  from crm.webhook_subscriptions s
  where s.workspace_id = p_subscription.workspace_id and s.id >= crm.uuid_v7_floor(now() - interval '30 days');
  if v_different >= 500 then
    perform api.fail(
      'validation_error', '{target_url}', 'O workspace já criou 500 assinaturas diferentes em 30 dias, o máximo'
    );
  elsif v_created >= 5000 then
    perform api.fail('validation_error', '{target_url}', 'O workspace já criou 5.000 assinaturas em 30 dias, o máximo');
  end if;
end
$$;
comment on function crm.check_new_subscription(crm.webhook_subscriptions) is
  'Raises validation_error if the workspace has 50 active subscriptions, created 5,000 subscriptions in the last 30 '
  'days, or created 500 in these days that differ in target or events from each other and from p_subscription.';

create function crm.listed_ids(p_filters jsonb, p_field text) returns uuid[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select i.id::uuid
    from jsonb_array_elements_text(
      case jsonb_typeof(p_filters -> p_field)
        when 'array' then p_filters -> p_field
        when 'string' then jsonb_build_array(p_filters -> p_field)
      end
    ) with ordinality i (id, n)
    order by i.n
  );
end
$$;
comment on function crm.listed_ids(jsonb, text) is 'The ids of a filter, which may be one id or a list.';

create function crm.header_name(p_args jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$ begin return nullif(nullif(p_args -> 'header', 'null'), '{}'); end $$;
comment on function crm.header_name(jsonb) is
  'The header in the arguments, in the form of crm.webhook_subscriptions.header; null if it is absent, null or empty.';

create function crm.check_filters(p_workspace_id uuid, p_filters jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_pipelines uuid[] := crm.listed_ids(p_filters, 'pipeline_id');
  v_stages uuid[] := crm.listed_ids(p_filters, 'stage_id');
  v_owners uuid[] := crm.listed_ids(p_filters, 'owner_id');
  v_missing text[];
begin
  v_missing := array_remove(array[
    case when exists (
      select from unnest(v_pipelines) i (id)
      where not exists (select from crm.pipelines t where t.workspace_id = p_workspace_id and t.id = i.id)
    ) then 'filters.pipeline_id' end,
    case when exists (
      select from unnest(v_stages) i (id)
      where not exists (select from crm.stages t where t.workspace_id = p_workspace_id and t.id = i.id)
    ) then 'filters.stage_id' end,
    case when exists (
      select from unnest(v_owners) i (id)
      where not exists (select from crm.members t where t.workspace_id = p_workspace_id and t.id = i.id)
    ) then 'filters.owner_id' end
  ], null);
  if v_missing <> '{}' then perform api.fail('invalid_reference', v_missing); end if;
  if v_pipelines <> '{}' and exists (
    select from crm.stages t
    where t.workspace_id = p_workspace_id and t.id = any (v_stages) and t.pipeline_id <> all (v_pipelines)
  ) then
    perform api.fail(
      'validation_error', array['filters.stage_id'], 'A etapa deve ser de um dos pipelines de filters.pipeline_id'
    );
  end if;
  v_missing := array(
    select 'filters.changed_fields.' || f.n - 1
    from jsonb_array_elements_text(p_filters -> 'changed_fields') with ordinality f (name, n)
    where f.name <> all (crm.changed_field_names())
  );
  if v_missing <> '{}' then
    perform api.fail(
      'validation_error', v_missing, 'Nenhum registro tem este campo entre os de changed_fields dos eventos updated'
    );
  end if;
  return nullif(jsonb_strip_nulls(jsonb_build_object(
    'pipeline_id', nullif(to_jsonb(v_pipelines), '[]'), 'stage_id', nullif(to_jsonb(v_stages), '[]'),
    'owner_id', nullif(to_jsonb(v_owners), '[]'), 'changed_fields', p_filters -> 'changed_fields'
  )), '{}');
end
$$;
comment on function crm.check_filters(uuid, jsonb) is
  'The filters of a subscription as they are stored, with a list of ids for each field; null if there is no filter. '
  'Raises invalid_reference for ids that the workspace does not have. Raises validation_error for field names that no '
  'event has in changed_fields, and for a stage outside the filter''s pipelines, because no event would pass.';

create function crm.add_subscription(s crm.webhook_subscriptions, p_secret text, p_header text)
returns crm.webhook_subscriptions
language plpgsql set search_path = '' as $$
begin
  perform crm.check_new_subscription(s);
  insert into crm.webhook_subscriptions (
    workspace_id, id, key_id, event_types, target_url, filters, payload, header, name
  )
  values (
    s.workspace_id, s.id, s.key_id, s.event_types, s.target_url, crm.check_filters(s.workspace_id, s.filters),
    coalesce(s.payload, 'full'), s.header, s.name
  )
  returning * into s;
  insert into crm.webhook_secrets (workspace_id, subscription_id, secret, header)
  values (s.workspace_id, s.id, decode(p_secret, 'base64'), decode(p_header, 'base64'));
  return s;
end
$$;
comment on function crm.add_subscription(crm.webhook_subscriptions, text, text) is
  'Stores a subscription, its encrypted secret, and the encrypted value of its own header (both in base64). Raises the '
  'codes of crm.check_new_subscription and crm.check_filters.';

create function api.webhook_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_subscription crm.webhook_subscriptions := jsonb_populate_record(null::crm.webhook_subscriptions, p_args);
begin
  v_subscription.header := crm.header_name(p_args);
  -- Without this check, a call that began before its key was revoked would create a subscription that outlives the key.
  if not crm.lock_key(crm.current_caller_id()) then perform api.fail('revoked_api_key'); end if;
  v_subscription.workspace_id := crm.current_workspace_id();
  v_subscription.key_id := crm.current_caller_id();
  v_subscription := crm.add_subscription(
    v_subscription, p_args ->> 'encrypted_secret', p_args ->> 'encrypted_header'
  );
  return json_build_object(
    'id', v_subscription.id, 'event_types', v_subscription.event_types, 'target_url', v_subscription.target_url,
    'is_active', v_subscription.is_active, 'created_at', crm.iso(v_subscription.created_at),
    'filters', v_subscription.filters, 'payload', v_subscription.payload, 'header', v_subscription.header,
    'name', v_subscription.name
  );
end
$$;
comment on function api.webhook_create(jsonb) is
  'Creates a subscription for the calling key (spec 4.5). A workspace has at most 50 active subscriptions. The edge '
  'function chooses the id, encrypts encrypted_secret and encrypted_header (base64) for it, and shows the plain secret '
  'once, in the reply. Raises revoked_api_key if the key was revoked during the call, and the codes of '
  'crm.add_subscription.';

create function crm.change_subscription(p_workspace_id uuid, p_id uuid, p_args jsonb) returns void
language plpgsql set search_path = '' as $$
begin
  update crm.webhook_subscriptions s
  set
    event_types = case
      when p_args ? 'event_types'
        then array(select jsonb_array_elements_text(p_args -> 'event_types'))::crm.event_type[]
      else s.event_types
    end,
    filters = case when p_args ? 'filters' then crm.check_filters(p_workspace_id, p_args -> 'filters') else s.filters end,
    payload = case when p_args ? 'payload' then coalesce(p_args ->> 'payload', 'full') else s.payload end,
    header = case when p_args ? 'header' then crm.header_name(p_args) else s.header end,
    name = case when p_args ? 'name' then nullif(p_args ->> 'name', '') else s.name end
  where s.workspace_id = p_workspace_id and s.id = p_id;
  if not found then perform api.fail('not_found'); end if;
  if p_args ? 'header' then
    update crm.webhook_secrets k set header = decode(p_args ->> 'encrypted_header', 'base64')
    where k.workspace_id = p_workspace_id and k.subscription_id = p_id;
  end if;
end
$$;
comment on function crm.change_subscription(uuid, uuid, jsonb) is
  'Changes those of event_types, filters, payload, header and name that are in the arguments. Null or an empty value '
  'removes filters, header or name. The new values apply to later events, and to earlier events that have no delivery '
  'yet because the subscription is behind. Waiting deliveries are sent with the new payload and header. Raises '
  'not_found and the codes of crm.check_filters.';

create function api.webhook_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  perform crm.change_subscription(crm.current_workspace_id(), (p_args ->> 'id')::uuid, p_args);
  return crm.subscription_json(s) from crm.webhook_subscriptions s
  where s.workspace_id = crm.current_workspace_id() and s.id = (p_args ->> 'id')::uuid;
end
$$;
comment on function api.webhook_update(jsonb) is
  'Changes a subscription, even an inactive one (crm.change_subscription), and returns it.';

create function api.webhook_delete(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  update crm.webhook_subscriptions s
  set is_active = false, deactivated_reason = 'deleted'
  where s.workspace_id = crm.current_workspace_id() and s.id = (p_args ->> 'id')::uuid;
  if not found then perform api.fail('not_found'); end if;
  return null;
end
$$;
comment on function api.webhook_delete(jsonb) is
  'Deactivates a subscription and keeps its history (spec 4.5); its waiting deliveries are cancelled. The answer is '
  'the same if the subscription was already inactive.';

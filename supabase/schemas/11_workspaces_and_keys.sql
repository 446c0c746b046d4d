-- Workspaces, their members, the audit log and API keys. The operator and members manage them, API keys never do.

create table crm.workspaces (
  id uuid primary key default crm.uuid_v7(),
  name crm.record_name not null,
  suspended boolean not null default false,
  public_api boolean not null default true,
  rate_limit_per_minute integer not null default 120 check (rate_limit_per_minute between 1 and 1000000),
  stale_after_days integer not null default 14 check (stale_after_days between 1 and 3650),
  max_waiting_deliveries integer not null default 50000 check (max_waiting_deliveries between 1 and 1000000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  time_zone text not null default 'America/Sao_Paulo',
  refuses_undefined_fields boolean not null default false
);
comment on table crm.workspaces is
  'The tenants. Every record belongs to one workspace. public_api and rate_limit_per_minute are its plan.';
comment on column crm.workspaces.public_api is
  'Whether the plan includes the public API. If false, every call by a key or an app gets 403 feature_disabled, and '
  'all deliveries are held.';
comment on column crm.workspaces.rate_limit_per_minute is 'Calls admitted for each key in any 60 seconds (spec 8).';
comment on column crm.workspaces.stale_after_days is 'Days without movement after which a deal is stale (spec 6.1).';
comment on column crm.workspaces.time_zone is
  'The IANA time zone in which the console counts days, and assistants read and write times. The API uses UTC.';
comment on column crm.workspaces.refuses_undefined_fields is
  'Whether custom_fields may have only keys that are defined in crm.custom_fields.';
comment on column crm.workspaces.max_waiting_deliveries is
  'How many deliveries may wait in crm.webhook_queue; the active subscriptions share this number equally. The default, '
  '50,000, takes about 23 MiB. The job webhook-catch-up refills the queue every 10 s. The dispatcher sends fewer than '
  '50,000 deliveries in that time, so it never runs out of work.';

-- Only members have a policy, because verbs for keys do not read this table.
alter table crm.workspaces enable row level security, force row level security;
create policy "A member reaches only their own workspace" on crm.workspaces for all to crm_app
  using (id = crm.current_workspace_id())
  with check (id = crm.current_workspace_id());
create trigger touch before update on crm.workspaces for each row execute function crm.touch();

create function crm.zone_of(p_workspace_id uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$ begin return (select w.time_zone from crm.workspaces w where w.id = p_workspace_id); end $$;
comment on function crm.zone_of(uuid) is
  'The time zone in which the days of a workspace begin and end. Security definer, because verbs for keys may not read '
  'workspaces.';

create function crm.day_start(p_day date, p_zone text) returns timestamptz
language sql stable parallel safe
as $$ select p_day::timestamp at time zone p_zone $$;
comment on function crm.day_start(date, text) is 'When a day begins in a time zone.';

create table crm.members (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  email text not null check (char_length(email) between 3 and 320),
  role text not null check (role in ('admin', 'gestor', 'vendedor')),
  is_active boolean not null default true,
  user_id uuid,
  invited_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table crm.members is 'The people of a workspace: owners of records, authors of notes, creators of keys.';
comment on column crm.members.user_id is
  'The person (auth.users) who signs in as this member. Set at the first sign-in with the member''s confirmed e-mail '
  '(crm.link_member) or when the person accepts the invitation; null before that, and after the person left.';
comment on column crm.members.invited_at is
  'When an admin invited the person, or the person left. To be linked, the person must then accept, or follow the '
  'invitation''s mail. Null if the operator added the member: then nobody asks the person with that e-mail.';

create unique index members_email on crm.members (workspace_id, lower(email));
create unique index members_user on crm.members (user_id, workspace_id);
-- A sign-in looks the person up among the members of all workspaces.
create index members_by_email on crm.members (lower(email));
call crm.protect('crm.members');
create trigger touch before update on crm.members for each row execute function crm.touch();

create function crm.active_member(p_id uuid) returns uuid
language plpgsql stable set search_path = '' as $$
begin
  return (
    select m.id from crm.members m
    where m.workspace_id = crm.current_workspace_id() and m.id = p_id and m.is_active
  );
end
$$;
comment on function crm.active_member(uuid) is
  'Returns the id if it belongs to an active member of the caller''s workspace, otherwise null.';

create function crm.default_owner() returns uuid
language plpgsql stable set search_path = '' as $$
declare
  -- Repeats the query of crm.active_member, because calling it would make this function take 50 % longer.
  v_owner_id uuid := (
    select m.id from crm.members m
    where m.workspace_id = crm.current_workspace_id() and m.id = crm.current_member_id() and m.is_active
  );
begin
  -- A separate statement, so that Postgres prepares it only if the query above found nobody.
  if v_owner_id is null then
    v_owner_id := (
      select m.id from crm.members m
      where m.workspace_id = crm.current_workspace_id() and m.is_active and m.role in ('admin', 'gestor')
      order by m.id limit 1
    );
  end if;
  return v_owner_id;
end
$$;
comment on function crm.default_owner() is
  'The owner of a new record if the call names no owner: the member who created the key if that member is active, '
  'otherwise the active admin or gestor who was added first (spec 4.1).';

create table crm.audit_log (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(clock_timestamp()),
  member_id uuid,
  action text not null,
  object_type text not null,
  object_id uuid not null,
  object_name text not null,
  details jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, member_id) references crm.members (workspace_id, id)
);
comment on table crm.audit_log is
  'A line for each change by a verb of schema app (but none for imported contacts, app.delivery_retry, pipelines, '
  'stages and loss reasons), and for each subscription that failures deactivated. Lines are never changed or removed.';
comment on column crm.audit_log.member_id is 'Who made the change; null for the operator and the dispatcher.';
comment on column crm.audit_log.object_name is
  'The name of the object when the change was made, so that the line can be read without the object. Empty for a '
  'proposal (crm.record_proposal_action).';
call crm.protect('crm.audit_log');

create function crm.record_action(
  p_workspace_id uuid, p_action text, p_object_type text, p_object_id uuid, p_object_name text,
  p_details jsonb default '{}'
) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into crm.audit_log (workspace_id, member_id, action, object_type, object_id, object_name, details)
  values (p_workspace_id, crm.current_member_id(), p_action, p_object_type, p_object_id, p_object_name, p_details);
end
$$;
comment on function crm.record_action(uuid, text, text, uuid, text, jsonb) is
  'Adds a line to the audit log, in the transaction of the change. p_action is <object>_<past participle>, such as '
  'key_created. The console shows p_details beside the action.';

create function crm.describe_changes(p_before jsonb, p_after jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_object_agg(a.key, jsonb_build_object('from', p_before -> a.key, 'to', a.value)), '{}')
    from jsonb_each(p_after) a
    where a.value is distinct from p_before -> a.key
  );
end
$$;
comment on function crm.describe_changes(jsonb, jsonb) is
  'The details of an update for the audit log: {field: {from, to}} for each field that differs; {} if none does.';

create table crm.api_keys (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  member_id uuid not null,
  name crm.record_name not null,
  prefix text not null,
  scopes text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  rotated_at timestamptz,
  created_at timestamptz not null default now(),
  allowed_networks cidr[] check (cardinality(allowed_networks) between 1 and 20),
  client_id uuid,
  user_id uuid,
  primary key (workspace_id, id),
  -- Unique across all workspaces, because the rate limit identifies a key by its id alone.
  unique (id),
  foreign key (workspace_id, member_id) references crm.members (workspace_id, id),
  constraint api_keys_grant check (num_nulls(client_id, user_id) in (0, 2))
);
comment on table crm.api_keys is
  'API keys without their secrets, and the grants of apps (77_app_grants.sql). A rotation keeps the row and its id, so '
  'limits, subscriptions and call counts continue. The role crm_api cannot read the table.';
comment on column crm.api_keys.client_id is
  'For a grant, the app''s client id in Supabase Auth''s OAuth server. Null for a key.';
comment on column crm.api_keys.user_id is
  'For a grant, the person (auth.users) who gave it; member_id is that person''s member. Null for a key.';
comment on column crm.api_keys.member_id is
  'The member who created the key: the default owner of its records, and the author of its notes.';
comment on column crm.api_keys.prefix is
  'The visible start of the newest secret, by which people recognise the key; for a grant, the start of client_id.';
comment on column crm.api_keys.rotated_at is 'When the newest secret replaced the one before; null for a first secret.';
comment on column crm.api_keys.allowed_networks is
  'The networks from which the key may be used; null means all networks. An IPv4 network is never stored in IPv6 form.';
call crm.protect('crm.api_keys');
-- A person has at most one unrevoked grant for an app, because the app's token names the person and the app, but no
-- grant.
create unique index api_keys_grants on crm.api_keys (user_id, client_id, revoked_at) nulls not distinct
where client_id is not null;

create table crm.key_secrets (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  key_id uuid not null,
  prefix text not null,
  hash bytea not null unique check (octet_length(hash) = 32),
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, key_id) references crm.api_keys (workspace_id, id)
);
comment on table crm.key_secrets is
  'The secrets of keys. Only their hashes are stored, so that nobody can call the API with a dump of this table. After '
  'a rotation a key has two valid secrets until the earlier one expires. The role crm_api cannot read the table.';
comment on column crm.key_secrets.prefix is
  'The visible start of the secret, by which the operator finds the key of a leaked secret.';
comment on column crm.key_secrets.hash is
  'SHA-256 of the secret. A fast hash is enough: nobody can guess 32 random bytes.';
comment on column crm.key_secrets.expires_at is
  'When the secret stops working because of a rotation. Null for the newest secret, which works as long as its key.';
call crm.protect('crm.key_secrets');
create unique index key_secrets_newest on crm.key_secrets (workspace_id, key_id) where expires_at is null;
create index key_secrets_replaced on crm.key_secrets (workspace_id, key_id, expires_at) where expires_at is not null;
create index key_secrets_age on crm.key_secrets (expires_at) where expires_at is not null;

create type crm.caller as (
  error_code text, id uuid, workspace_id uuid, member_id uuid, scopes text[], rate_limit integer, user_id uuid,
  refused_address text
);
comment on type crm.caller is
  'Who calls. id: the key, the proposal that a link opens, or the signed-in member. scopes: the scopes of the key, or '
  'the roles that the member''s role includes. user_id: the signed-in person; null for a key or a link. error_code: '
  'why the caller is not admitted (spec 5.7); null if admitted. refused_address: the address of the call, if it is '
  'outside the key''s networks; '''' if the key has networks and the address is unknown.';

create function crm.without_mapping(p_address inet) returns inet
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return case
    when p_address <<= '::ffff:0:0/96' then
      (substring(host(p_address) from '[0-9.]+$') || '/' || masklen(p_address) - 96)::inet
    else p_address
  end;
end
$$;
comment on function crm.without_mapping(inet) is
  'Converts an IPv4 address or network written as IPv6 (::ffff:203.0.113.7) to IPv4; returns others unchanged.';

create function crm.parse_network(p_text text, out network cidr, out is_exact boolean)
language plpgsql immutable set search_path = '' as $$
declare
  v_address inet;
begin
  -- Postgres would also accept an IPv4 address with fewer than four parts.
  if p_text !~ '^(\d{1,3}(\.\d{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)(/\d{1,3})?$' then return; end if;
  v_address := crm.without_mapping(p_text::inet);
  network := network(v_address);
  is_exact := v_address = network;
exception
  when invalid_text_representation then return;
end
$$;
comment on function crm.parse_network(text) is
  'Parses a network (203.0.113.0/24, 2001:db8::/32) or a single address. is_exact is false if the address is not '
  'the first of the network, as in 203.0.113.7/24. Both results are null for any other text.';

create function crm.is_within(p_networks cidr[], p_address text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return coalesce(crm.without_mapping(p_address::inet) <<= any (p_networks), false);
exception
  when invalid_text_representation then return false;
end
$$;
comment on function crm.is_within(cidr[], text) is
  'Whether an address is in one of these networks. False for null and for a text that is not an address.';

create function crm.identify(p_key_hash bytea, p_address text default null) returns crm.caller
language plpgsql stable set search_path = '' as $$
declare
  v_caller crm.caller;
begin
  select
    case
      when k.revoked_at is not null or k.expires_at <= now() or s.expires_at <= now() then 'revoked_api_key'
      when w.suspended then 'workspace_suspended'
      when not w.public_api then 'feature_disabled'
    end,
    k.id, k.workspace_id, k.member_id, k.scopes, w.rate_limit_per_minute, null::uuid,
    case
      when k.allowed_networks is not null and not crm.is_within(k.allowed_networks, p_address) then
        coalesce(left(p_address, 45), '')
    end
  into v_caller
  from crm.key_secrets s
  join crm.api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id
  join crm.workspaces w on w.id = s.workspace_id
  where s.hash = substring(p_key_hash for 32);
  if not found then v_caller.error_code := 'invalid_api_key'; end if;
  return v_caller;
end
$$;
comment on function crm.identify(bytea, text) is
  'The caller whose secret has this hash. p_key_hash: the hash (32 bytes), then the slot (which database has the key; '
  'ignored here). p_address: the address of the call; if it is null, a key that is bound to networks is refused.';

create function crm.lock_key(p_id uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform from crm.api_keys k
  where k.workspace_id = crm.current_workspace_id() and k.id = p_id and k.revoked_at is null
  for share;
  if not found then return false; end if;
  -- A separate statement, so that it sees changes that were committed while the statement above waited for the lock.
  return exists (
    select from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    where k.workspace_id = crm.current_workspace_id() and k.id = p_id
      and (k.client_id is null or 'webhooks:manage' = any (crm.given_scopes(k.scopes, m.role)))
  );
end
$$;
comment on function crm.lock_key(uuid) is
  'Locks a key or grant of the current workspace until the transaction ends. So nobody can revoke or narrow the key '
  'while a call with the key creates or reactivates a subscription. Returns false if the key is already revoked, or is '
  'a grant that has lost webhooks:manage. Security definer, because crm_api cannot read keys.';

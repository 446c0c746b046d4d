-- What a node has besides the migrations: functions that pass a person's data and sessions from node 0, where Supabase
-- Auth is, to the node of the workspace. install.ts applies this file to every node.

create schema if not exists nodes;
grant usage on schema nodes to crm_functions;

do $$
begin
  if to_regclass('auth.users') is not null then return; end if;
  create schema if not exists auth;
  create type auth.aal_level as enum ('aal1', 'aal2', 'aal3');
  create type auth.factor_type as enum ('totp', 'webauthn', 'phone');
  create type auth.factor_status as enum ('unverified', 'verified');
  create table auth.users (
    id uuid primary key, email text, email_confirmed_at timestamptz, invited_at timestamptz, banned_until timestamptz,
    is_sso_user boolean not null default false, deleted_at timestamptz
  );
  create table auth.sessions (
    id uuid primary key, user_id uuid not null references auth.users (id) on delete cascade, created_at timestamptz,
    not_after timestamptz, oauth_client_id uuid, aal auth.aal_level, refreshed_at timestamp, user_agent text, ip inet
  );
  create index on auth.sessions (user_id);
  create table auth.mfa_factors (
    id uuid primary key, user_id uuid not null references auth.users (id) on delete cascade,
    factor_type auth.factor_type not null, status auth.factor_status not null, created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index on auth.mfa_factors (user_id);
  comment on schema auth is 'Copies of what this node reads in node 0''s schema auth, for people who called this node.';
end
$$;

create or replace function nodes.person(p_user_id uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'id', u.id, 'email', u.email, 'email_confirmed_at', u.email_confirmed_at, 'invited_at', u.invited_at,
    'banned_until', u.banned_until, 'is_sso_user', u.is_sso_user, 'deleted_at', u.deleted_at,
    'has_factor', exists (select from auth.mfa_factors f where f.user_id = u.id and f.status::text = 'verified'),
    'sessions', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', s.id, 'created_at', s.created_at, 'not_after', s.not_after, 'oauth_client_id', s.oauth_client_id,
        'aal', s.aal, 'refreshed_at', s.refreshed_at, 'user_agent', s.user_agent, 'ip', s.ip
      )), '[]')
      from auth.sessions s where s.user_id = u.id
    )
  )
  from auth.users u where u.id = p_user_id
$$;
comment on function nodes.person(uuid) is
  'What a node must know about a person who signs in at node 0: the trusted parts of auth.users, whether there is a '
  'second factor, and the sessions. It contains no password, token or secret. Null if there is no such person.';

create or replace function nodes.take_person(p_user_id uuid, p_person jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_person record;
begin
  if p_person is null then
    delete from auth.users u where u.id = p_user_id;
    return;
  end if;
  select * into v_person from jsonb_to_record(p_person) p (
    id uuid, email text, email_confirmed_at timestamptz, invited_at timestamptz, banned_until timestamptz,
    is_sso_user boolean, deleted_at timestamptz, has_factor boolean, sessions jsonb
  );
  -- Another person may have had this address before: take it from that person's copy, which may be outdated.
  update auth.users u set email = null where u.email = v_person.email and u.id <> v_person.id;
  insert into auth.users as u (id, email, email_confirmed_at, invited_at, banned_until, is_sso_user, deleted_at)
  values (
    v_person.id, v_person.email, v_person.email_confirmed_at, v_person.invited_at, v_person.banned_until,
    v_person.is_sso_user, v_person.deleted_at
  )
  on conflict (id) do update set
    email = excluded.email, email_confirmed_at = excluded.email_confirmed_at, invited_at = excluded.invited_at,
    banned_until = excluded.banned_until, is_sso_user = excluded.is_sso_user, deleted_at = excluded.deleted_at
  -- Write only what has changed, which is usually nothing.
  where (u.email, u.email_confirmed_at, u.invited_at, u.banned_until, u.is_sso_user, u.deleted_at)
    is distinct from (
      excluded.email, excluded.email_confirmed_at, excluded.invited_at, excluded.banned_until, excluded.is_sso_user,
      excluded.deleted_at
    );

  if v_person.has_factor then
    insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
    values (v_person.id, v_person.id, 'totp', 'verified', now(), now())
    on conflict (id) do nothing;
  else
    delete from auth.mfa_factors f where f.user_id = v_person.id;
  end if;

  delete from auth.sessions s
  where s.user_id = v_person.id
    and s.id not in (select (p ->> 'id')::uuid from jsonb_array_elements(v_person.sessions) p);
  insert into auth.sessions as s (
    id, user_id, created_at, not_after, oauth_client_id, aal, refreshed_at, user_agent, ip
  )
  select p.id, v_person.id, p.created_at, p.not_after, p.oauth_client_id, p.aal, p.refreshed_at, p.user_agent, p.ip
  from jsonb_to_recordset(v_person.sessions) p (
    id uuid, created_at timestamptz, not_after timestamptz, oauth_client_id uuid, aal auth.aal_level,
    refreshed_at timestamp, user_agent text, ip inet
  )
  on conflict (id) do update set not_after = excluded.not_after, aal = excluded.aal, refreshed_at = excluded.refreshed_at
  where (s.not_after, s.aal, s.refreshed_at) is distinct from (excluded.not_after, excluded.aal, excluded.refreshed_at);
end
$$;
comment on function nodes.take_person(uuid, jsonb) is
  'Stores what nodes.person returned at node 0, in the transaction of the person''s call, so that the doors find the '
  'session as they would at node 0. If p_person is null, the person no longer exists, and the copy is deleted. Whoever '
  'may execute this function can make any person look signed in. So crm_functions may not execute it at node 0, where '
  'people sign in.';

create or replace function nodes.become(p_node integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  grant execute on function nodes.person(uuid) to crm_functions;
  if p_node > 0 then grant execute on function nodes.take_person(uuid, jsonb) to crm_functions; end if;
  -- No two nodes may assign the same lease number, because a dispatcher sends deliveries of all nodes.
  if (select s.increment_by from pg_catalog.pg_sequences s where s.schemaname = 'crm' and s.sequencename = 'webhook_leases')
    = 1 then
    execute format(
      'alter sequence crm.webhook_leases increment 1024 restart %s',
      (nextval('crm.webhook_leases') / 1024 + 1) * 1024 + p_node
    );
  end if;
end
$$;
comment on function nodes.become(integer) is
  'Makes this database the node with that number, once. Lease numbers are then the node''s number plus a multiple of '
  '1024.';
revoke execute on function nodes.person(uuid), nodes.take_person(uuid, jsonb), nodes.become(integer) from public;

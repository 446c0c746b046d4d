-- Grants: what a person lets an app do. Supabase Auth's OAuth server signs the person in and issues the app's token.
-- The token names the person, the session and the client; the grant adds the workspace and the scopes. A grant is a row
-- of crm.api_keys, and its credential is the token. So limits, the request log, the change log and subscriptions treat
-- an app as a key. See docs/decisions/0014-keys.md.

create function crm.scopes_of_role(p_role text) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return array[
    'leads:write', 'deals:read', 'deals:write', 'activities:read', 'activities:write', 'contacts:read',
    'contacts:write', 'companies:read', 'companies:write', 'notes:read', 'notes:write', 'pipelines:read',
    'workspace:read', 'events:read', 'changes:read'
  ]
  -- As in the console: a gestor may create webhooks, and keys that may erase contacts; an admin may also define custom
  -- fields.
  || case when p_role in ('gestor', 'admin') then array['contacts:manage', 'webhooks:manage'] else '{}' end
  || case when p_role = 'admin' then array['workspace:manage'] else '{}' end;
end
$$;
comment on function crm.scopes_of_role(text) is
  'The scopes that a member with this role may give an app. Like a key, an app reaches all records of the workspace. '
  'A `:manage` scope requires the role that may do the same in the console. Other scopes cannot be given.';

create function crm.given_scopes(p_scopes text[], p_role text) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return array(select s from unnest(p_scopes) s where s = any (crm.scopes_of_role(p_role)));
end
$$;
comment on function crm.given_scopes(text[], text) is
  'Returns those of a grant''s scopes that the member''s current role may give. When the member loses a role, the app '
  'loses the scopes that require this role.';

create function crm.scope_beyond_role(p_workspace_id uuid, p_scopes text[]) returns text
language plpgsql stable set search_path = '' as $$
begin
  return (
    select s from crm.members m cross join unnest(p_scopes) s
    where m.workspace_id = p_workspace_id and m.id = crm.current_member_id() and s <> all (crm.scopes_of_role(m.role))
    limit 1
  );
end
$$;
comment on function crm.scope_beyond_role(uuid, text[]) is
  'One of the scopes that the calling member''s role may not give; null if there is none, or if no member calls.';

create function crm.identify_grant(p_user_id uuid, p_session_id uuid, p_client_id uuid) returns crm.caller
language plpgsql set search_path = '' as $$
declare
  v_caller crm.caller;
  v_is_live boolean;
begin
  select s.is_live into v_is_live from crm.session_email(p_user_id, p_session_id) s;
  if v_is_live then
    select
      case
        when k.revoked_at is not null or not m.is_active or m.user_id is distinct from k.user_id then 'revoked_api_key'
        when w.suspended then 'workspace_suspended'
        when not w.public_api then 'feature_disabled'
      end,
      k.id, k.workspace_id, k.member_id, crm.given_scopes(k.scopes, m.role), w.rate_limit_per_minute
    into v_caller.error_code, v_caller.id, v_caller.workspace_id, v_caller.member_id, v_caller.scopes, v_caller.rate_limit
    from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    join crm.workspaces w on w.id = k.workspace_id
    where k.user_id = p_user_id and k.client_id = p_client_id
    -- The working grant if there is one, otherwise the grant that was revoked last.
    order by k.revoked_at desc nulls first limit 1;
  end if;
  if v_caller.id is null then v_caller.error_code := 'invalid_api_key'; end if;
  return v_caller;
end
$$;
comment on function crm.identify_grant(uuid, uuid, uuid) is
  'The caller for a verified token of an app: its grant. invalid_api_key: the session has ended, or the person never '
  'granted this client anything. revoked_api_key: the grant was revoked, or its member is no longer active.';

create function api.call_by_grant(
  p_user_id uuid, p_session_id uuid, p_client_id uuid, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text,
  p_request_hash bytea
) returns api.reply
language plpgsql security definer set search_path = '' as $$
begin
  return crm.answer_request(
    crm.identify_grant(p_user_id, p_session_id, p_client_id), p_scope, p_verb, p_args, p_idempotency_key, p_request_hash
  );
end
$$;
comment on function api.call_by_grant(uuid, uuid, uuid, text, text, jsonb, text, bytea) is
  'The door for apps: answers one request, given the ids in a verified token of Supabase Auth''s OAuth server. Every '
  'call reads the session, the member, the role and the grant. The other arguments are those of api.call.';

create function crm.end_webhooks_of_grant(p_workspace_id uuid, p_id uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update crm.webhook_subscriptions s
  set is_active = false, deactivated_reason = 'key_revoked'
  where s.workspace_id = p_workspace_id and s.key_id = p_id and s.is_active;
end
$$;
comment on function crm.end_webhooks_of_grant(uuid, uuid) is
  'Ends the active subscriptions that an app created, which would otherwise go on receiving events.';

create function crm.end_grant(p_workspace_id uuid, p_id uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update crm.api_keys k set revoked_at = now()
  where k.workspace_id = p_workspace_id and k.id = p_id and k.revoked_at is null;
  -- A separate statement, because the update may have waited for calls (crm.lock_key). Only a new statement sees the
  -- subscriptions that those calls created.
  perform crm.end_webhooks_of_grant(p_workspace_id, p_id);
end
$$;
comment on function crm.end_grant(uuid, uuid) is 'Revokes a grant for good, and ends its active subscriptions.';

create function crm.follow_member() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not new.is_active or new.user_id is distinct from old.user_id then
    perform crm.end_grant(k.workspace_id, k.id)
    from crm.api_keys k
    where k.workspace_id = new.workspace_id and k.member_id = new.id and k.client_id is not null
      and k.revoked_at is null;
  elsif 'webhooks:manage' <> all (crm.scopes_of_role(new.role)) then
    -- Wait for calls that are creating a subscription (crm.lock_key), so that the next statement sees the subscription.
    perform from crm.api_keys k
    where k.workspace_id = new.workspace_id and k.member_id = new.id and k.client_id is not null
    for no key update;
    perform crm.end_webhooks_of_grant(k.workspace_id, k.id)
    from crm.api_keys k
    where k.workspace_id = new.workspace_id and k.member_id = new.id and k.client_id is not null
      and k.revoked_at is null;
  end if;
  return null;
end
$$;
comment on function crm.follow_member() is
  'Trigger: when a member is deactivated or leaves, revokes the member''s grants and ends the grants'' subscriptions. '
  'When the new role may not manage webhooks, only ends the subscriptions. Scopes need no change, because every call '
  'compares them with the role. Security definer, because members may not change each other''s grants.';
create trigger grants_follow_member after update of role, is_active, user_id on crm.members
for each row
when (
  old.role is distinct from new.role or old.is_active is distinct from new.is_active
  or old.user_id is distinct from new.user_id
)
execute function crm.follow_member();

create function crm.store_grant(p_client_id uuid, p_name text, p_scopes text[]) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_member_id uuid := crm.current_member_id();
  v_user_id uuid := crm.current_user_id();
  v_former crm.api_keys;
  v_id uuid;
begin
  -- One grant of a person at a time, so that each counts and replaces the earlier grants.
  perform pg_advisory_xact_lock(crm.lock_number('grants of ' || v_user_id));
  -- If the member was deactivated first, this finds no member. A later deactivation waits for this lock, and then ends
  -- the new grant.
  perform from crm.members m
  where m.workspace_id = v_workspace_id and m.id = v_member_id and m.is_active and m.user_id = v_user_id
  for share;
  if not found then perform crm.raise_code('insufficient_role'); end if;
  select k.* into v_former from crm.api_keys k
  where k.user_id = v_user_id and k.client_id = p_client_id and k.revoked_at is null
  for no key update;
  if v_former.workspace_id = v_workspace_id and v_former.member_id = v_member_id then
    update crm.api_keys k set name = p_name, scopes = p_scopes
    where k.workspace_id = v_workspace_id and k.id = v_former.id;
    if 'webhooks:manage' <> all (p_scopes) then perform crm.end_webhooks_of_grant(v_workspace_id, v_former.id); end if;
    return v_former.id;
  end if;
  if v_former.id is not null then
    perform crm.end_grant(v_former.workspace_id, v_former.id);
    insert into crm.audit_log (workspace_id, member_id, action, object_type, object_id, object_name)
    values (v_former.workspace_id, v_former.member_id, 'grant_revoked', 'grant', v_former.id, v_former.name);
  end if;
  if (
    select count(*) from crm.api_keys k
    where k.workspace_id = v_workspace_id and k.member_id = v_member_id and k.client_id is not null
      and k.revoked_at is null
  ) >= 20 then
    perform crm.raise_code('validation_error', 'client_id', 'Você já autorizou 20 aplicativos, o máximo; revogue um');
  end if;
  insert into crm.api_keys (workspace_id, member_id, name, prefix, scopes, client_id, user_id)
  values (v_workspace_id, v_member_id, p_name, left(p_client_id::text, 8), p_scopes, p_client_id, v_user_id)
  returning id into v_id;
  return v_id;
end
$$;
comment on function crm.store_grant(uuid, text, text[]) is
  'Stores what the signed-in person grants a client in the current workspace, and returns the grant''s id. The token '
  'names no workspace, so a person can have only one grant for a client, and a former grant in another workspace ends. '
  'A former grant in the same workspace gets the new name and scopes, and keeps its subscriptions and rate limit. A '
  'member has 20 working grants at most, because each grant has its own rate limit. Security definer, because the '
  'former grant may be in another workspace.';

create function crm.grant_records(p_workspace_id uuid, p_ids uuid[]) returns json
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', k.id, 'client_id', k.client_id, 'client_name', k.name, 'scopes', crm.given_scopes(k.scopes, m.role),
      'member', json_build_object('id', m.id, 'name', m.name), 'created_at', crm.iso(k.created_at),
      'last_used_at', crm.iso(greatest(u.last_call_at, r.hits[cardinality(r.hits)]))
    ) order by k.id desc), '[]')
    from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    left join crm.key_counters u on u.workspace_id = k.workspace_id and u.key_id = k.id
    left join crm.rate_limits r on r.key_id = k.id
    where k.workspace_id = p_workspace_id and k.id = any (p_ids)
  );
end
$$;
comment on function crm.grant_records(uuid, uuid[]) is
  'JSON of a workspace''s grants, newest first, with the scopes that the member''s current role may give.';

create function crm.may_see_grants_of(p_workspace_id uuid, p_member_id uuid) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return crm.current_member_id() is null or crm.current_member_id() = p_member_id or exists (
    select from crm.members m
    where m.workspace_id = p_workspace_id and m.id = crm.current_member_id() and m.role = 'admin'
  );
end
$$;
comment on function crm.may_see_grants_of(uuid, uuid) is
  'Whether the caller may see and revoke a member''s grants: the member, an admin, or the operator.';

create function app.grant_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_ids uuid[] := array(
    select k.id from crm.api_keys k
    where k.workspace_id = v_workspace_id and k.client_id is not null and k.revoked_at is null
      and crm.may_see_grants_of(v_workspace_id, k.member_id)
    order by k.id desc limit 500
  );
begin
  return json_build_object(
    'data', crm.grant_records(v_workspace_id, v_ids),
    'grantable_scopes', to_json(coalesce((
      select crm.scopes_of_role(m.role) from crm.members m
      where m.workspace_id = v_workspace_id and m.id = crm.current_member_id()
    ), '{}'))
  );
end
$$;
comment on function app.grant_list(jsonb) is
  'Lists the working grants of the calling member, or of the whole workspace for an admin or the operator, newest '
  'first, 500 at most. Returns data, and grantable_scopes: what the member may give (crm.scopes_of_role). Arguments: '
  'workspace_id. Codes: validation_error, not_found.';

create function app.grant_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, client_id, client_name, scopes}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_scopes text[] := array(select jsonb_array_elements_text(v_args -> 'scopes'));
  v_refused text := crm.scope_beyond_role(v_workspace_id, v_scopes);
  v_id uuid;
begin
  if crm.current_user_id() is null then perform crm.raise_code('not_found', 'workspace_id'); end if;
  if v_refused is not null then
    perform crm.raise_code('validation_error', 'scopes', format('Seu papel não permite dar a permissão "%s"', v_refused));
  end if;
  v_id := crm.store_grant((v_args ->> 'client_id')::uuid, v_args ->> 'client_name', v_scopes);
  perform crm.record_action(
    v_workspace_id, 'grant_created', 'grant', v_id, v_args ->> 'client_name', jsonb_build_object('scopes', v_scopes)
  );
  return crm.grant_records(v_workspace_id, array[v_id]) -> 0;
end
$$;
comment on function app.grant_create(jsonb) is
  'Grants these scopes to an app for the signed-in member. client_id and client_name: the app''s client at Supabase '
  'Auth. Replaces the person''s former grant for this client (crm.store_grant). Returns the grant. Arguments: '
  'workspace_id, client_id, client_name, scopes. Codes: validation_error (also for a scope that the role may not '
  'give), not_found (for a caller who is not signed in, such as the operator), insufficient_role (for a member who was '
  'deactivated while the call waited).';

create function app.grant_revoke(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_grant crm.api_keys;
begin
  select k.* into v_grant from crm.api_keys k
  where k.workspace_id = v_workspace_id and k.id = (v_args ->> 'id')::uuid and k.client_id is not null
    and crm.may_see_grants_of(v_workspace_id, k.member_id)
  for no key update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  if v_grant.revoked_at is null then
    perform crm.end_grant(v_workspace_id, v_grant.id);
    perform crm.record_action(v_workspace_id, 'grant_revoked', 'grant', v_grant.id, v_grant.name);
  end if;
  return crm.grant_records(v_workspace_id, array[v_grant.id]) -> 0;
end
$$;
comment on function app.grant_revoke(jsonb) is
  'Revokes a grant for good, from the app''s next call on, and ends its active subscriptions. A grant that is revoked '
  'already stays as it is. A member may revoke their own grants; an admin and the operator may revoke all. Returns the '
  'grant. Arguments: workspace_id, id. Codes: validation_error, not_found.';

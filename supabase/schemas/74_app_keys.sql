-- Keys as the operator and members see them: their JSON with their calls by day, and the lock for changing a key. The
-- grants of apps, which are rows of the same table, have verbs of their own (77_app_grants.sql).

create function crm.is_working(k crm.api_keys) returns boolean
language sql stable
as $$ select k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) $$;
comment on function crm.is_working(crm.api_keys) is 'Whether a key is neither revoked nor expired.';

create function crm.calls_by_day(p_days date[], p_calls bigint[], p_last date, p_count integer) returns json
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select json_agg(
      json_build_object('day', to_char(d.day, 'YYYY-MM-DD'), 'calls', coalesce(c.calls, 0)) order by d.day
    )
    from (select p_last - n as day from generate_series(0, p_count - 1) n) d
    left join unnest(p_days, p_calls) c (day, calls) on c.day = d.day
  );
end
$$;
comment on function crm.calls_by_day(date[], bigint[], date, integer) is
  'JSON of the calls in each of the p_count days up to p_last, oldest first. p_days and p_calls: the days that had '
  'calls, and their numbers of calls.';

create function crm.key_records(p_workspace_id uuid, p_ids uuid[]) returns table (id uuid, record json)
language plpgsql stable set search_path = '' as $$
declare
  v_zone text := crm.zone_of(p_workspace_id);
  v_today date := (now() at time zone v_zone)::date;
  v_from timestamptz := crm.day_start(v_today - 6, v_zone);
begin
  return query
    with counted as (
      select d.key_id, array_agg(d.day) as days, array_agg(d.calls) as calls, sum(d.calls)::bigint as total
      from (
        select c.key_id, (c.hour at time zone v_zone)::date as day, sum(c.calls)::bigint as calls
        from crm.count_calls(p_workspace_id, p_ids, v_from) c
        group by 1, 2
      ) d
      group by 1
    ),
    webhooks as (
      select s.key_id, count(*) as active from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.is_active
      group by 1
    )
    select k.id, json_build_object(
      'id', k.id,
      'name', k.name,
      'prefix', k.prefix,
      'scopes', k.scopes,
      'state', case when k.revoked_at is not null then 'revoked' when crm.is_working(k) then 'active' else 'expired' end,
      'creator', json_build_object('id', m.id, 'name', m.name, 'is_active', m.is_active),
      'created_at', crm.iso(k.created_at),
      'expires_at', crm.iso(k.expires_at),
      'revoked_at', crm.iso(k.revoked_at),
      'last_used_at', crm.iso(greatest(u.last_call_at, r.hits[cardinality(r.hits)])),
      'active_webhooks', coalesce(w.active, 0),
      'rotated_at', crm.iso(k.rotated_at),
      'old_secret_expires_at', case
        -- Without this check, a key without an earlier secret would show its own expiry here, because least() ignores
        -- nulls.
        when o.expires_at is not null and crm.is_working(k) then crm.iso(least(o.expires_at, k.expires_at))
      end,
      'allowed_networks', coalesce(k.allowed_networks::text[], '{}'),
      'calls', json_build_object(
        'total_7_days', coalesce(c.total, 0),
        'failed_7_days', (
          select count(*) from (
            select 1 from crm.requests q
            where q.workspace_id = p_workspace_id and q.key_id = k.id and q.id >= crm.uuid_v7_floor(v_from)
              and q.status >= 400
            limit 1000
          ) f
        ),
        'days', crm.calls_by_day(c.days, c.calls, v_today, 7)
      )
    )
    from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    left join crm.key_counters u on u.workspace_id = k.workspace_id and u.key_id = k.id
    left join crm.rate_limits r on r.key_id = k.id
    -- At most one row, because a rotation ends all earlier secrets but one.
    left join crm.key_secrets o on o.workspace_id = k.workspace_id and o.key_id = k.id and o.expires_at > now()
    left join webhooks w on w.key_id = k.id
    left join counted c on c.key_id = k.id
    where k.workspace_id = p_workspace_id and k.id = any (p_ids) and k.client_id is null;
end
$$;
comment on function crm.key_records(uuid, uuid[]) is
  'JSON of a workspace''s keys without their secrets, in no particular order. calls: the calls of the last 7 days, by '
  'day in the workspace''s time zone, oldest first, and the failed requests, counted up to 1,000. '
  'old_secret_expires_at: until when the previous secret works; null if only the current secret works.';

create function crm.key_record(p_workspace_id uuid, p_id uuid) returns json
language plpgsql stable set search_path = ''
as $$ begin return (select r.record from crm.key_records(p_workspace_id, array[p_id]) r); end $$;
comment on function crm.key_record(uuid, uuid) is 'JSON of one key; null if the workspace has no such key.';

create function crm.key_for_update(p_workspace_id uuid, p_id uuid) returns crm.api_keys
language plpgsql set search_path = '' as $$
declare
  v_key crm.api_keys;
begin
  select k.* into v_key from crm.api_keys k
  where k.workspace_id = p_workspace_id and k.id = p_id and k.client_id is null
  for no key update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  return v_key;
end
$$;
comment on function crm.key_for_update(uuid, uuid) is
  'A key of a workspace, locked against changes until the transaction ends. Raises not_found.';

-- API keys of a workspace (spec 5.5), for the operator and signed-in members. The caller generates a secret and passes
-- only its hash.

create function crm.require_room_for_key(p_workspace_id uuid) returns void
language plpgsql set search_path = '' as $$
begin
  -- The operator may create more keys.
  if crm.current_member_id() is null then return; end if;
  -- One new key at a time, so that each counts the earlier keys.
  perform from crm.workspaces w where w.id = p_workspace_id for no key update;
  -- The member may have lost the role while this call waited for the lock.
  perform crm.require_role_still(p_workspace_id, 'admin', 'gestor');
  if (
    select count(*) from crm.api_keys k
    where k.workspace_id = p_workspace_id and k.revoked_at is null and k.client_id is null and crm.is_working(k)
  ) >= 100 then
    perform crm.raise_code('validation_error', 'name', 'A empresa já tem 100 chaves que funcionam, o máximo; revogue uma');
  end if;
end
$$;
comment on function crm.require_room_for_key(uuid) is
  'Raises validation_error if a workspace has 100 working keys and a member would add another. Each key has its own '
  'rate limit, so unlimited keys would mean unlimited calls. Raises insufficient_role if the member has lost the role.';

create function crm.refuse_scope_beyond_role(
  p_workspace_id uuid, p_scopes text[], p_code text, p_field text
) returns void
language plpgsql stable set search_path = '' as $$
declare
  -- Only scopes that some role may give: others grant nothing.
  v_scope text := crm.scope_beyond_role(p_workspace_id, crm.given_scopes(p_scopes, 'admin'));
begin
  if v_scope is not null then
    perform crm.raise_code(p_code, p_field, format('Só um admin pode dar a permissão "%s" a uma chave', v_scope));
  end if;
end
$$;
comment on function crm.refuse_scope_beyond_role(uuid, text[], text, text) is
  'Raises p_code for the field if the calling member would get a key with a scope that the member''s role may '
  'not give (crm.scopes_of_role): with the key, the member could do what the console refuses.';

create function crm.networks_of(p_args jsonb) returns cidr[]
language plpgsql immutable set search_path = ''
as $$ begin return nullif(array(select n::cidr from jsonb_array_elements_text(p_args -> 'allowed_networks') n), '{}'); end $$;
comment on function crm.networks_of(jsonb) is
  'The argument allowed_networks as it is stored: null if it is absent or empty, which allows every address.';

create function app.key_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, name, scopes, prefix, hash}', '{member_id, expires_at, allowed_networks}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_member_id uuid := coalesce((v_args ->> 'member_id')::uuid, crm.current_member_id());
  v_scopes text[] := array(select jsonb_array_elements_text(v_args -> 'scopes'));
  v_key crm.api_keys;
begin
  perform crm.require_workspace(v_args);
  perform crm.require_room_for_key(v_workspace_id);
  perform crm.refuse_scope_beyond_role(v_workspace_id, v_scopes, 'validation_error', 'scopes');
  if (v_args ->> 'expires_at')::timestamptz <= now() then
    perform crm.raise_code('already_expired', 'expires_at', 'Deve estar no futuro');
  end if;
  if v_member_id is null then
    select m.id into v_member_id from crm.members m
    where m.workspace_id = v_workspace_id and m.is_active and m.role = 'admin'
    order by m.id limit 1;
    if not found then
      perform crm.raise_code('no_active_admin', 'member_id', 'O workspace não tem um admin ativo; informe um membro');
    end if;
  elsif not exists (select from crm.members m where m.workspace_id = v_workspace_id and m.id = v_member_id) then
    perform crm.raise_code('invalid_reference', 'member_id');
  end if;

  insert into crm.api_keys (workspace_id, member_id, name, prefix, scopes, expires_at, allowed_networks)
  values (
    v_workspace_id,
    v_member_id,
    v_args ->> 'name',
    v_args ->> 'prefix',
    v_scopes,
    (v_args ->> 'expires_at')::timestamptz,
    crm.networks_of(v_args)
  )
  returning * into v_key;
  insert into crm.key_secrets (workspace_id, key_id, prefix, hash)
  values (v_workspace_id, v_key.id, v_key.prefix, decode(v_args ->> 'hash', 'hex'));
  perform crm.record_action(
    v_workspace_id, 'key_created', 'key', v_key.id, v_key.name,
    jsonb_build_object(
      'scopes', v_key.scopes, 'expires_at', crm.iso(v_key.expires_at), 'allowed_networks', v_key.allowed_networks
    )
  );
  return crm.key_record(v_workspace_id, v_key.id);
end
$$;
comment on function app.key_create(jsonb) is
  'Stores a new key with the hash of its secret. Its creator is member_id, otherwise the calling member, otherwise the '
  'oldest active admin. The creator is the default owner of the key''s records and the author of its notes: while that '
  'member is inactive, the key cannot write notes. A member cannot create a key if the workspace has 100 working keys, '
  'nor one with a scope that the member''s role may not give (crm.scopes_of_role). '
  'A well-formed scope that no endpoint requires is stored and grants nothing (spec 5.3). Returns the key. Arguments: '
  'workspace_id, name, scopes, prefix (the visible 12 characters), hash (SHA-256, hexadecimal), member_id, expires_at '
  '(never if absent), allowed_networks (everywhere if absent or empty). Codes: validation_error, not_found, '
  'already_expired (the key could never be used), invalid_reference, no_active_admin, insufficient_role (only for '
  'members).';

create function app.key_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_ids uuid[] := array(
    select k.id from crm.api_keys k
    where k.workspace_id = v_workspace_id and k.client_id is null
    order by crm.is_working(k) desc, k.id desc limit 500
  );
begin
  return json_build_object('data', (
    select coalesce(json_agg(r.record order by array_position(v_ids, r.id)), '[]')
    from crm.key_records(v_workspace_id, v_ids) r
  ));
end
$$;
comment on function app.key_list(jsonb) is
  'Lists the keys of a workspace, 500 at most: working keys first, then revoked and expired keys, each newest first. '
  'Returns data. Arguments: workspace_id. Codes: validation_error, not_found.';

create function app.key_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_hour timestamptz := date_bin('1 hour', now(), 'epoch');
  v_zone text := crm.zone_of(v_workspace_id);
  v_today date := (now() at time zone v_zone)::date;
  v_record json := crm.key_record(v_workspace_id, v_id);
begin
  if v_record is null then perform crm.raise_code('not_found', 'id'); end if;
  return (
    with counted as materialized (
      select c.hour, sum(c.calls)::bigint as calls
      from crm.count_calls(v_workspace_id, array[v_id], crm.day_start(v_today - 29, v_zone)) c
      group by 1
    )
    select crm.with_fields(v_record, json_build_object(
      'hours', (
        select json_agg(json_build_object('hour', crm.iso(h.hour), 'calls', coalesce(c.calls, 0)) order by h.hour)
        from generate_series(v_hour - interval '47 hours', v_hour, interval '1 hour') h (hour)
        left join counted c on c.hour = h.hour
      ),
      'days_30', (
        select crm.calls_by_day(array_agg(d.day), array_agg(d.calls), v_today, 30)
        from (
          select (c.hour at time zone v_zone)::date as day, sum(c.calls)::bigint as calls from counted c group by 1
        ) d
      ),
      'failures', crm.request_failures(v_workspace_id, v_id),
      'subscriptions', (
        select coalesce(json_agg(json_build_object(
          'id', s.id, 'target_url', s.target_url, 'is_active', s.is_active, 'event_types', s.event_types
        ) order by s.is_active desc, s.created_at desc, s.id desc), '[]')
        from (
          select * from crm.webhook_subscriptions w
          where w.workspace_id = v_workspace_id and w.key_id = v_id
          order by w.is_active desc, w.created_at desc, w.id desc limit 200
        ) s
      )
    ))
  );
end
$$;
comment on function app.key_get(jsonb) is
  'Returns a key with its calls in the last 48 hours and 30 days (oldest first), the failures of its requests '
  '(crm.request_failures), and the subscriptions that it created (active ones first, 200 at most). Arguments: '
  'workspace_id, id. Codes: validation_error, not_found.';

create function app.key_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{name, allowed_networks, expires_at}');
  v_name text := v_args ->> 'name';
  v_networks cidr[] := crm.networks_of(v_args);
  v_expires_at timestamptz := (v_args ->> 'expires_at')::timestamptz;
  v_key crm.api_keys := crm.key_for_update((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  if v_name <> v_key.name then
    perform crm.record_action(
      v_key.workspace_id, 'key_renamed', 'key', v_key.id, v_name, jsonb_build_object('previous_name', v_key.name)
    );
  end if;
  if v_args ? 'allowed_networks' and v_networks is distinct from v_key.allowed_networks then
    perform crm.record_action(
      v_key.workspace_id, 'key_networks_changed', 'key', v_key.id, coalesce(v_name, v_key.name),
      jsonb_build_object('from', v_key.allowed_networks, 'to', v_networks)
    );
  end if;
  -- Read from p_args, because v_args has no nulls: here null means that the key does not expire.
  if p_args ? 'expires_at' and v_expires_at is distinct from v_key.expires_at then
    if v_key.revoked_at is not null then
      perform crm.raise_code('key_revoked', 'id', 'A chave foi revogada; crie outra');
    end if;
    if v_expires_at <= now() then
      perform crm.raise_code('already_expired', 'expires_at', 'Deve estar no futuro; para parar a chave já, revogue');
    end if;
    -- An expired key will work again, so it counts like a new key.
    if not crm.is_working(v_key) then perform crm.require_room_for_key(v_key.workspace_id); end if;
    perform crm.record_action(
      v_key.workspace_id, 'key_expiry_changed', 'key', v_key.id, coalesce(v_name, v_key.name),
      jsonb_build_object('from', crm.iso(v_key.expires_at), 'to', crm.iso(v_expires_at))
    );
  end if;
  update crm.api_keys k
  set
    name = coalesce(v_name, k.name),
    allowed_networks = case when v_args ? 'allowed_networks' then v_networks else k.allowed_networks end,
    expires_at = case when p_args ? 'expires_at' then v_expires_at else k.expires_at end
  where k.workspace_id = v_key.workspace_id and k.id = v_key.id;
  return crm.key_record(v_key.workspace_id, v_key.id);
end
$$;
comment on function app.key_update(jsonb) is
  'Renames a key (even a revoked or expired one), replaces the networks from which it may be used, or changes when it '
  'expires. An expired key can thereby work again. Returns the key. Arguments: workspace_id, id, name, '
  'allowed_networks (an empty list: from everywhere), expires_at (null: never). Codes: validation_error, not_found, '
  'already_expired (not in the future), key_revoked (a revoked key cannot get another expiry), insufficient_role (only '
  'for members).';

create function app.key_rotate(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, prefix, hash, overlap_seconds}');
  v_overlap_seconds integer := (v_args ->> 'overlap_seconds')::numeric::integer;
  v_key crm.api_keys := crm.key_for_update((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  if v_overlap_seconds not in (0, 3600, 86400, 604800) then
    perform crm.raise_code('validation_error', 'overlap_seconds', 'Deve ser um de 0, 3600, 86400, 604800');
  end if;
  if not crm.is_working(v_key) then
    perform crm.raise_code('key_revoked', 'id', 'A chave foi revogada ou expirou; crie outra');
  end if;
  perform crm.refuse_scope_beyond_role(v_key.workspace_id, v_key.scopes, 'insufficient_role', 'id');
  -- The current secret works until the overlap ends. A secret left by an earlier rotation ends now.
  update crm.key_secrets s
  set expires_at = now() + case when s.expires_at is null then make_interval(secs => v_overlap_seconds) else '0' end
  where s.workspace_id = v_key.workspace_id and s.key_id = v_key.id
    and (s.expires_at is null or s.expires_at > now());
  insert into crm.key_secrets (workspace_id, key_id, prefix, hash)
  values (v_key.workspace_id, v_key.id, v_args ->> 'prefix', decode(v_args ->> 'hash', 'hex'));
  update crm.api_keys k
  set prefix = v_args ->> 'prefix', rotated_at = now()
  where k.workspace_id = v_key.workspace_id and k.id = v_key.id;
  perform crm.record_action(
    v_key.workspace_id, 'key_rotated', 'key', v_key.id, v_key.name,
    jsonb_build_object('overlap_seconds', v_overlap_seconds)
  );
  return crm.key_record(v_key.workspace_id, v_key.id);
end
$$;
comment on function app.key_rotate(jsonb) is
  'Gives a working key a new secret, by its hash. The current secret works for overlap_seconds more, and any earlier '
  'secret ends at once. Id, scopes, limit, subscriptions and call counts stay. Returns the key. Arguments: '
  'workspace_id, id, prefix (the visible 12 characters), hash (SHA-256, hexadecimal), overlap_seconds (0, 3600, 86400 '
  'or 604800). Codes: validation_error, not_found, key_revoked (the key is revoked or expired).';

create function app.key_revoke(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{keep_webhooks}');
  v_key crm.api_keys := crm.key_for_update((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
  v_was_revoked boolean := v_key.revoked_at is not null;
  v_ended jsonb;
  v_kept jsonb;
begin
  if not v_was_revoked then
    update crm.api_keys k
    set revoked_at = now()
    where k.workspace_id = v_key.workspace_id and k.id = v_key.id;
  end if;

  -- A separate statement, because the lock on the key may have waited for calls (crm.lock_key). Only a new statement
  -- sees the subscriptions that those calls created.
  with ended as (
    update crm.webhook_subscriptions s
    set is_active = false, deactivated_reason = 'key_revoked'
    where s.workspace_id = v_key.workspace_id and s.key_id = v_key.id and s.is_active
      and not coalesce((v_args ->> 'keep_webhooks')::boolean, false)
    returning s.id, s.target_url
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'target_url', e.target_url) order by e.id), '[]')
  into v_ended
  from ended e;
  select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'target_url', s.target_url) order by s.id), '[]')
  into v_kept
  from crm.webhook_subscriptions s
  where s.workspace_id = v_key.workspace_id and s.key_id = v_key.id and s.is_active;
  if not v_was_revoked or v_ended <> '[]' then
    perform crm.record_action(
      v_key.workspace_id, 'key_revoked', 'key', v_key.id, v_key.name,
      jsonb_build_object('ended_subscriptions', v_ended, 'kept_subscriptions', v_kept)
    );
  end if;
  return crm.with_fields(
    crm.key_record(v_key.workspace_id, v_key.id),
    json_build_object('was_revoked', v_was_revoked, 'ended_subscriptions', v_ended, 'kept_subscriptions', v_kept)
  );
end
$$;
comment on function app.key_revoke(jsonb) is
  'Revokes a key for good, from its next call on. Ends its active subscriptions, except with keep_webhooks; their '
  'history stays. If the key is revoked already, only ends its subscriptions that are still active. Returns the key '
  'with was_revoked (whether it was revoked before this call), ended_subscriptions, and kept_subscriptions (those '
  'still active). Both lists have id and target_url, oldest first. Arguments: workspace_id, id, keep_webhooks (false '
  'if absent). Codes: validation_error, not_found.';

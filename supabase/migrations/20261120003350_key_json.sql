-- Keys as the operator and members see them: their JSON with their calls by day, and the lock for changing a key.

create function crm.is_working(k crm.api_keys) returns boolean
language sql stable
as $$ select k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) $$;
comment on function crm.is_working(crm.api_keys) is 'Whether a key is neither revoked nor expired.';

create function crm.calls_by_day(p_days date[], p_calls bigint[], p_last date, p_count integer) returns json
language sql immutable set search_path = '' as $$
  select json_agg(
    json_build_object('day', to_char(d.day, 'YYYY-MM-DD'), 'calls', coalesce(c.calls, 0)) order by d.day
  )
  from (select p_last - n as day from generate_series(0, p_count - 1) n) d
  left join unnest(p_days, p_calls) c (day, calls) on c.day = d.day
$$;
comment on function crm.calls_by_day(date[], bigint[], date, integer) is
  'JSON of the calls in p_count days up to p_last, oldest first, given the days that had calls.';

create function crm.key_records(p_workspace_id uuid, p_ids uuid[]) returns table (id uuid, record json)
language plpgsql stable set search_path = '' as $$
declare
  v_today date := (now() at time zone 'UTC')::date;
begin
  return query
    with counted as (
      select d.key_id, array_agg(d.day) as days, array_agg(d.calls) as calls, sum(d.calls)::bigint as total
      from (
        select c.key_id, (c.hour at time zone 'UTC')::date as day, sum(c.calls)::bigint as calls
        from crm.count_calls(p_workspace_id, p_ids, (v_today - 6)::timestamp at time zone 'UTC') c
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
        -- least() ignores null: without an earlier secret there is no time to show, whenever the key itself expires.
        when o.expires_at is not null and crm.is_working(k) then crm.iso(least(o.expires_at, k.expires_at))
      end,
      'calls', json_build_object(
        'total_7_days', coalesce(c.total, 0), 'days', crm.calls_by_day(c.days, c.calls, v_today, 7)
      )
    )
    from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    left join crm.key_counters u on u.workspace_id = k.workspace_id and u.key_id = k.id
    left join crm.rate_limits r on r.key_id = k.id
    -- A rotation ends all earlier secrets but one.
    left join crm.key_secrets o on o.workspace_id = k.workspace_id and o.key_id = k.id and o.expires_at > now()
    left join webhooks w on w.key_id = k.id
    left join counted c on c.key_id = k.id
    where k.workspace_id = p_workspace_id and k.id = any (p_ids);
end
$$;
comment on function crm.key_records(uuid, uuid[]) is
  'JSON of a workspace''s keys without their secrets, in no order. calls counts up to now, by days in UTC, oldest '
  'first; old_secret_expires_at is null unless an earlier secret still works.';

create function crm.key_record(p_workspace_id uuid, p_id uuid) returns json
language sql stable set search_path = ''
as $$ select r.record from crm.key_records(p_workspace_id, array[p_id]) r $$;
comment on function crm.key_record(uuid, uuid) is 'JSON of one key of a workspace; null if it has no such key.';

create function crm.key_for_update(p_workspace_id uuid, p_id uuid) returns crm.api_keys
language plpgsql set search_path = '' as $$
declare
  v_key crm.api_keys;
begin
  select k.* into v_key from crm.api_keys k
  where k.workspace_id = p_workspace_id and k.id = p_id
  for no key update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  return v_key;
end
$$;
comment on function crm.key_for_update(uuid, uuid) is
  'A key of a workspace, locked against changes until the transaction ends. Raises not_found.';

-- The event explorer of the console: the events of the last 90 days, newest first, each with its deliveries.

create function crm.event_ids(
  p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_since timestamptz, p_until timestamptz,
  p_cursor uuid, p_limit integer, out ids uuid[], out next_id uuid
)
language plpgsql stable set search_path = ''
-- Read in the order of an index, because with a sort the planner might read all rows first.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  c_last constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_before uuid := coalesce(
    least(p_cursor, case when p_until is not null then crm.uuid_v7_floor(p_until) end), c_last
  );
  v_from uuid := crm.uuid_v7_floor(greatest(p_since, now() - interval '90 days'));
  -- The most events that one call reads. Without this limit, a call for a type that never occurred would read all 90
  -- days.
  v_look integer := case when p_event is null then p_limit + 1 else 5000 end;
  -- The cursor's place among the events of an object. Computed before the query, because coalesce is not leakproof:
  -- with it in the condition below, row-level security would keep the index scan from starting at this place.
  v_position bigint := coalesce(
    (select e.position from crm.events e where e.workspace_id = p_workspace_id and e.id = p_cursor),
    9223372036854775807
  );
  v_cursor uuid := coalesce(p_cursor, c_last);
  v_last uuid;
begin
  -- One statement for each index. Both stop at the first event that the page has no room for, or at the last event that
  -- the call may read (v_last).
  if p_object_id is null then
    select array_agg(s.id) filter (where s.is_shown), max(s.id::text) filter (where s.n = v_look)
    into ids, v_last
    from (
      select e.id, e.n, t.is_shown
      from (
        select l.id, l.event, row_number() over () as n
        from (
          select l.id, l.event from crm.events l
          where l.workspace_id = p_workspace_id and l.id < v_before and l.id >= v_from
          order by l.id desc limit v_look
        ) l
      ) e
      cross join lateral (select p_event is null or e.event = p_event as is_shown) t
      where t.is_shown or e.n = v_look
      limit p_limit + 1
    ) s;
  else
    select array_agg(s.id) filter (where s.is_shown), max(s.id::text) filter (where s.n = v_look)
    into ids, v_last
    from (
      select e.id, e.n, t.is_shown
      from (
        select l.id, l.event, row_number() over () as n
        from (
          select l.id, l.event from crm.events l
          where l.workspace_id = p_workspace_id and l.object_id = p_object_id and l.id < v_before and l.id >= v_from
            and (l.position, l.id) < (v_position, v_cursor)
          order by l.position desc, l.id desc limit v_look
        ) l
      ) e
      cross join lateral (select p_event is null or e.event = p_event as is_shown) t
      where t.is_shown or e.n = v_look
      limit p_limit + 1
    ) s;
  end if;
  ids := coalesce(ids, '{}');
  if cardinality(ids) > p_limit then
    ids := ids[: p_limit];
    next_id := ids[p_limit];
  else
    next_id := v_last;
  end if;
end
$$;
comment on function crm.event_ids(uuid, crm.event_type, uuid, timestamptz, timestamptz, uuid, integer) is
  'A page of the ids of events, newest first. next_id: the id after which the next page begins; null if there is none. '
  'A page filtered by type reads at most 5,000 events, so it may be short or empty although there is a next page.';

create function crm.deliveries_of_event(p_workspace_id uuid, p_event_id uuid, p_may_send boolean) returns json
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  -- A delivery's id begins with the first half of its event's id (crm.delivery_id), so the primary key finds the
  -- deliveries of an event.
  v_first uuid := left(p_event_id::text, 18) || '-0000-000000000000';
  v_last uuid := left(p_event_id::text, 18) || '-ffff-ffffffffffff';
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', d.id, 'subscription_id', d.subscription_id, 'name', s.name, 'target_url', s.target_url,
      'state', crm.shown_state(d.state, p_may_send and s.is_active), 'attempts', d.attempts
    ) order by d.created_at, d.id), '[]')
    from crm.webhook_deliveries d
    join crm.webhook_subscriptions s on s.workspace_id = d.workspace_id and s.id = d.subscription_id
    where d.workspace_id = p_workspace_id and d.id >= v_first and d.id <= v_last and d.event_id = p_event_id
  );
end
$$;
comment on function crm.deliveries_of_event(uuid, uuid, boolean) is
  'JSON of the deliveries of an event, which are kept for 30 days. p_may_send: whether the workspace may send.';

create function app.event_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}', '{event, object_id, since, until, cursor, limit}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_may_send boolean;
  v_page record;
begin
  perform crm.require_workspace(v_args);
  v_may_send := not crm.holds_webhooks(v_workspace_id);
  select * into v_page from crm.event_ids(
    v_workspace_id, (v_args ->> 'event')::crm.event_type, (v_args ->> 'object_id')::uuid,
    (v_args ->> 'since')::timestamptz, (v_args ->> 'until')::timestamptz, (v_args ->> 'cursor')::uuid,
    coalesce((v_args ->> 'limit')::numeric::integer, 50)
  );
  return crm.page(
    array(
      select json_build_object(
        'id', e.id, 'event', e.event, 'object_type', t.object_type, 'object_id', e.object_id,
        'object_name', crm.object_name(v_workspace_id, t.object_type, e.object_id), 'is_test', e.is_test,
        'changed_fields', coalesce(e.facts -> 'changed_fields', '[]'), 'occurred_at', crm.iso(e.occurred_at),
        'deliveries', crm.deliveries_of_event(v_workspace_id, e.id, v_may_send)
      )
      from unnest(v_page.ids) with ordinality w (id, n)
      -- The planner does not know in which partition an id is. `offset 0` makes it look up each id.
      cross join lateral (
        select * from crm.events e where e.workspace_id = v_workspace_id and e.id = w.id offset 0
      ) e
      join crm.event_types t on t.event = e.event
      order by w.n
    ),
    v_page.next_id
  );
end
$$;
comment on function app.event_list(jsonb) is
  'A page of the events of a workspace (crm.event_ids), newest first, each with its deliveries. Arguments: '
  'workspace_id, event, object_id, since, until, cursor, limit. Codes: validation_error, not_found.';

-- The change log (GET /api-v1-changes): who changed what, and when. It is read from the events: each change writes an
-- event that names the caller (docs/decisions/0016-events-feed-change-log.md).

create function crm.actor_json(p_caller_id uuid) returns json
language plpgsql stable security definer set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_name text;
begin
  select k.name into v_name from crm.api_keys k where k.workspace_id = v_workspace_id and k.id = p_caller_id;
  if found then return json_build_object('type', 'key', 'id', p_caller_id, 'name', v_name); end if;
  select m.name into v_name from crm.members m where m.workspace_id = v_workspace_id and m.id = p_caller_id;
  if found then return json_build_object('type', 'member', 'id', p_caller_id, 'name', v_name); end if;
  select p.title into v_name from crm.proposals p where p.workspace_id = v_workspace_id and p.id = p_caller_id;
  if found then return json_build_object('type', 'link', 'id', p_caller_id, 'name', v_name); end if;
  return json_build_object('type', 'system', 'id', null, 'name', null);
end
$$;
comment on function crm.actor_json(uuid) is
  'The actor for a caller id of the current workspace, with its current name: an API key, a member, or the link of a '
  'proposal (named by the proposal''s title). The actor is `system` if the id is null or belongs to none of them. '
  'Security definer, because verbs may not read keys.';

create type crm.change as (
  id uuid, object_type text, object_id uuid, action crm.event_type, changed_fields jsonb, caller_id uuid,
  occurred_at timestamptz
);
comment on type crm.change is
  'An event as the change log reads it, with the names of the changed fields and without their values. object_type is '
  'null if the change log does not show the event.';

create function crm.changes_json(p_changes crm.change[]) returns json[]
language plpgsql stable set search_path = '' as $$
declare
  -- Look up each caller once, because the changes of a page have few callers.
  v_actors jsonb := (
    select jsonb_object_agg(coalesce(k.caller_id::text, ''), crm.actor_json(k.caller_id))
    from (select distinct c.caller_id from unnest(p_changes) c) k
  );
begin
  return (
    select array_agg(json_build_object(
      'id', c.id, 'object_type', c.object_type, 'object_id', c.object_id, 'action', c.action,
      'changed_fields', coalesce(c.changed_fields, '[]'), 'actor', v_actors -> coalesce(c.caller_id::text, ''),
      'occurred_at', crm.iso(c.occurred_at)
    ))
    from unnest(p_changes) c
    where c.object_type is not null
  );
end
$$;
comment on function crm.changes_json(crm.change[]) is
  'JSON of those changes that the change log shows, in order; null if there are none.';

create function api.change_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- One plan for all calls: it reads rows in the order of an index, from the partitions of the period.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  c_max constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_workspace_id uuid := crm.current_workspace_id();
  v_limit integer := p_args ->> 'limit';
  v_object_id uuid := p_args ->> 'object_id';
  v_object_type text := p_args ->> 'object_type';
  v_cursor uuid := p_args ->> 'cursor';
  v_since timestamptz := greatest((p_args ->> 'since')::timestamptz, now() - interval '90 days');
  v_until timestamptz := coalesce((p_args ->> 'until')::timestamptz, 'infinity');
  -- An event's id has the time of the write. occurred_at is when the transaction began, at most a minute earlier.
  v_from uuid := crm.uuid_v7_floor(v_since);
  v_to uuid := case when v_until < 'infinity' then crm.uuid_v7_floor(v_until + interval '1 minute') else c_max end;
  -- The object type of each event type that the page shows.
  v_object_types jsonb := (
    select coalesce(jsonb_object_agg(t.event, t.object_type), '{}') from crm.event_types t
    where t.is_change and (v_object_type is null or t.object_type = v_object_type)
  );
  v_events crm.event_type[] := array(select jsonb_object_keys(v_object_types)::crm.event_type);
  v_position bigint;
  v_changes crm.change[];
  v_looked_at integer;
  v_next_id uuid;
begin
  -- One statement for each index. Both stop at the first change that the page has no room for, or after 5,000 events,
  -- shown or not. The next page begins where the statement stops.
  if v_object_id is null then
    select array_agg(s.change), max(s.n) into v_changes, v_looked_at
    from (
      select row(
          e.id, case when t.is_shown then v_object_types ->> e.event::text end, e.object_id, e.event,
          e.facts -> 'changed_fields', e.caller_id, e.occurred_at
        )::crm.change as change,
        e.n
      from (
        select l.*, row_number() over () as n
        from (
          select l.* from crm.events l
          where l.workspace_id = v_workspace_id and l.id >= v_from and l.id < least(v_to, v_cursor)
          order by l.id desc limit 5001
        ) l
      ) e
      cross join lateral (
        select e.event = any (v_events) and not e.is_test and e.occurred_at >= v_since and e.occurred_at < v_until
          as is_shown
      ) t
      where t.is_shown or e.n >= 5000
      limit v_limit + 1
    ) s;
  else
    select l.position into v_position from crm.events l where l.workspace_id = v_workspace_id and l.id = v_cursor;
    -- Computed before the query, because coalesce is not leakproof: with it in the condition below, row-level security
    -- would keep the index scan from starting at that position.
    v_position := coalesce(v_position, 9223372036854775807);
    v_cursor := coalesce(v_cursor, c_max);
    select array_agg(s.change), max(s.n) into v_changes, v_looked_at
    from (
      select row(
          e.id, case when t.is_shown then v_object_types ->> e.event::text end, e.object_id, e.event,
          e.facts -> 'changed_fields', e.caller_id, e.occurred_at
        )::crm.change as change,
        e.n
      from (
        select l.*, row_number() over () as n
        from (
          select l.* from crm.events l
          where l.workspace_id = v_workspace_id and l.object_id = v_object_id and l.id >= v_from and l.id < v_to
            and (l.position, l.id) < (v_position, v_cursor)
          order by l.position desc, l.id desc limit 5001
        ) l
      ) e
      cross join lateral (
        select e.event = any (v_events) and not e.is_test and e.occurred_at >= v_since and e.occurred_at < v_until
          as is_shown
      ) t
      where t.is_shown or e.n >= 5000
      limit v_limit + 1
    ) s;
  end if;
  if cardinality(v_changes) > v_limit or v_looked_at > 5000 then
    v_changes := trim_array(v_changes, 1);
    v_next_id := v_changes[cardinality(v_changes)].id;
  end if;
  return crm.page(crm.changes_json(v_changes), v_next_id);
end
$$;
comment on function api.change_list(jsonb) is
  'A page of the change log, newest first. The changes of a workspace are in descending order of event id. The changes '
  'of one object are in the reversed order of the feed. Goes back 90 days. Reads at most 5,000 events, so a page may '
  'be short or empty although there is a next page.';

create function api.change_summary(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- One plan for all calls, as in api.change_list. Joins use only the primary key, because a hash join would read every
-- deal of the workspace. jit is off, because with enable_sort off the remaining sorts have a very high estimated cost,
-- and Postgres would compile the plan.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off as $$
declare
  c_most constant integer := 20000;
  c_highlights constant integer := 25;
  v_workspace_id uuid := crm.current_workspace_id();
  v_since timestamptz := greatest(
    coalesce((p_args ->> 'since')::timestamptz, date_trunc('hour', now() - interval '24 hours', 'UTC')),
    now() - interval '90 days'
  );
  v_until timestamptz := coalesce((p_args ->> 'until')::timestamptz, 'infinity');
  v_from uuid := crm.uuid_v7_floor(v_since);
  v_to uuid := case when v_until < 'infinity' then crm.uuid_v7_floor(v_until + interval '1 minute')
    else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  v_actor uuid := case p_args ->> 'actor' when 'me' then crm.current_caller_id()::text else p_args ->> 'actor' end;
  v_not_actor uuid := case p_args ->> 'not_actor'
    when 'me' then crm.current_caller_id()::text else p_args ->> 'not_actor' end;
  v_looked integer;
  v_counts json;
  v_highlights json;
  v_left integer;
begin
  with looked as materialized (
    select l.id, l.event, l.object_id, l.facts ->> 'previous_stage_id' as from_stage_id, l.caller_id, l.occurred_at,
      l.is_test
    from crm.events l
    where l.workspace_id = v_workspace_id and l.id >= v_from and l.id < v_to
    order by l.id desc limit c_most + 1
  ),
  shown as materialized (
    select e.* from looked e
    where not e.is_test and e.occurred_at >= v_since and e.occurred_at < v_until
      and (v_actor is null or e.caller_id = v_actor) and (v_not_actor is null or e.caller_id is distinct from v_not_actor)
  ),
  highlight as materialized (
    select s.* from shown s
    where s.event in ('deal.created', 'deal.won', 'deal.lost', 'deal.reopened', 'deal.stage_changed')
  ),
  newest as materialized (select h.* from highlight h order by h.id desc limit c_highlights),
  named as (
    select n.*, d.title, d.value, d.stage_id
    from newest n join crm.deals d on d.workspace_id = v_workspace_id and d.id = n.object_id
  )
  select (select count(*) from looked),
    (
      select json_agg(json_build_object('action', c.event, 'count', c.count) order by c.count desc, c.event)
      from (select s.event, count(*) from shown s group by s.event) c
    ),
    (
      select json_agg(
        json_build_object(
          'action', n.event, 'occurred_at', crm.iso(n.occurred_at), 'deal_id', n.object_id, 'title', n.title,
          'value', n.value,
          'from_stage', (
            select s.name from crm.stages s where s.workspace_id = v_workspace_id and s.id = n.from_stage_id::uuid
          ),
          -- The event stores only the stage that the deal left. The stage that the deal entered is in the event of the
          -- deal's next move, which may be much later and by another caller.
          'to_stage', (
            select s.name from crm.stages s
            where n.event = 'deal.stage_changed' and s.workspace_id = v_workspace_id and s.id = coalesce(
              (
                select (m.facts ->> 'previous_stage_id')::uuid from crm.events m
                where m.workspace_id = v_workspace_id and m.object_id = n.object_id and m.id > n.id
                  and m.event = 'deal.stage_changed' and not m.is_test
                order by m.position, m.id limit 1
              ),
              n.stage_id
            )
          ),
          'actor', crm.actor_json(n.caller_id) ->> 'name'
        )
        order by n.id desc
      )
      from named n
    ),
    (select greatest(count(*) - c_highlights, 0) from highlight)
  into v_looked, v_counts, v_highlights, v_left;
  if v_looked > c_most then perform api.fail('too_many_records'); end if;
  return json_build_object(
    'since', crm.iso(v_since), 'until', crm.iso(nullif(v_until, 'infinity')), 'counts', coalesce(v_counts, '[]'),
    'highlights', coalesce(v_highlights, '[]'), 'highlights_left_out', v_left
  );
end
$$;
comment on function api.change_summary(jsonb) is
  'What happened in a period (by default since 24 hours ago, rounded down to the hour): how many events of each type, '
  'and the newest 25 events of deals that were created, moved, won, lost or reopened, with the deals'' names. Looks at '
  'no more than 20,000 events; raises too_many_records if there are more.';

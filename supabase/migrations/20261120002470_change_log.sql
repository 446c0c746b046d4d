-- The change log (GET /api-v1-changes): who changed what, and when. It reads the events, which are written once for
-- each change and name its caller (docs/decisions/0016-events-feed-change-log.md).

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
  'proposal with its title; `system` for null. Security definer, because verbs may not read keys.';

create type crm.change as (
  id uuid, object_type text, object_id uuid, action crm.event_type, changed_fields jsonb, caller_id uuid,
  occurred_at timestamptz
);
comment on type crm.change is
  'An event read for the change log, with names of fields and without values. Null object_type: not shown.';

create function crm.changes_json(p_changes crm.change[]) returns json[]
language plpgsql stable set search_path = '' as $$
declare
  -- Each caller is looked up once: the changes of a page have few callers.
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
  'The changes that are shown, as the change log shows them, in order; null if there are none.';

create function api.change_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- One plan for all calls: it reads rows in the order of an index, from the partitions of the period. Postgres would
-- compile a plan with a sort (JIT), because its estimated cost is very high when sorts are off.
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
  -- An event's id has the time of the write, occurred_at the time when its transaction began, at most a minute earlier.
  v_from uuid := crm.uuid_v7_floor(v_since);
  v_to uuid := case when v_until < 'infinity' then crm.uuid_v7_floor(v_until + interval '1 minute') else c_max end;
  -- The kind of object of each shown event type.
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
  -- One statement for each index. Both end at the first change that the page has no room for. If there are fewer, they
  -- end at the 5,000th event, shown or not, where the next page begins.
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
    -- Not in the condition below: coalesce is not leakproof, so row-level security would keep the index scan from
    -- starting at that position.
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
  'A page of the change log, newest first: for the workspace by event id, for one object by the reversed order of the '
  'feed. Goes back 90 days. Reads at most 5,000 events, so a page may be short or empty although there is more.';

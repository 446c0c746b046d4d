-- The change log (GET /api-v1-changes): who changed what, and when. It is a reading of the events, which are written once
-- for each change and name its caller (docs/decisions/0034-change-log.md).

create function crm.actor_json(p_caller_id uuid) returns json
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_name text;
begin
  select k.name into v_name from crm.api_keys k where k.workspace_id = v_workspace_id and k.id = p_caller_id;
  if found then
    return json_build_object('type', 'key', 'id', p_caller_id, 'name', v_name);
  end if;
  select m.name into v_name from crm.members m where m.workspace_id = v_workspace_id and m.id = p_caller_id;
  if found then
    return json_build_object('type', 'member', 'id', p_caller_id, 'name', v_name);
  end if;
  select p.title into v_name from crm.proposals p where p.workspace_id = v_workspace_id and p.id = p_caller_id;
  if found then
    return json_build_object('type', 'link', 'id', p_caller_id, 'name', v_name);
  end if;
  return json_build_object('type', 'system', 'id', null, 'name', null);
end
$$;
comment on function crm.actor_json(uuid) is
  'Who a caller of the current workspace is, with the present name: an API key, a member, or the link of a proposal with '
  'its title; system for null. Security definer, because verbs may not read keys.';

create function crm.change_json(e crm.events, p_object_type text, p_actor json) returns json
language sql stable
-- Nothing but expressions, so that it is inlined: otherwise each list would plan it.
as $$
  select json_build_object(
    'id', e.id,
    'object_type', p_object_type,
    'object_id', e.object_id,
    'action', e.event,
    'changed_fields', coalesce(e.facts -> 'changed_fields', '[]'),
    'actor', p_actor,
    'occurred_at', crm.iso(e.occurred_at)
  )
$$;
comment on function crm.change_json(crm.events, text, json) is
  'An event as the change log shows it: names of fields, never values.';

create function api.change_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
-- One plan for all calls: it reads the rows in the order of an index, from the partitions that the window leaves.
set plan_cache_mode = 'force_generic_plan'
set enable_sort = off
as $$
declare
  c_max constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_workspace_id uuid := crm.current_workspace_id();
  v_limit integer := p_args ->> 'limit';
  v_object_id uuid := p_args ->> 'object_id';
  v_object_type text := p_args ->> 'object_type';
  v_cursor uuid := p_args ->> 'cursor';
  v_since timestamptz := greatest((p_args ->> 'since')::timestamptz, now() - interval '90 days');
  v_until timestamptz := p_args ->> 'until';
  -- An id is made when its transaction writes, occurred_at is when that began: a write takes less than a minute.
  v_from uuid := crm.uuid_v7_floor(v_since);
  v_to uuid := case when v_until is null then c_max else crm.uuid_v7_floor(v_until + interval '1 minute') end;
  -- The kind of object of each event that is shown.
  v_object_types jsonb := (
    select jsonb_object_agg(t.event, t.object_type) from crm.event_types t
    where t.is_change and (v_object_type is null or t.object_type = v_object_type)
  );
  v_position bigint;
  v_rows refcursor;
  e crm.events;
  v_looked integer := 0;
  v_last_id uuid;
  v_actor_id text;
  v_actors jsonb := '{}';
  v_items json[] := '{}';
begin
  -- Each has its own index, and so its own statement.
  if v_object_id is null then
    open v_rows for
      select l.* from crm.events l
      where l.workspace_id = v_workspace_id and l.id >= v_from and l.id < least(v_to, v_cursor)
      order by l.id desc
      limit 5001;
  else
    select l.position into v_position from crm.events l where l.workspace_id = v_workspace_id and l.id = v_cursor;
    -- Not in the condition below: coalesce is not leakproof, so row-level security would keep the index from beginning there.
    v_position := coalesce(v_position, 9223372036854775807);
    v_cursor := coalesce(v_cursor, c_max);
    open v_rows for
      select l.* from crm.events l
      where l.workspace_id = v_workspace_id and l.object_id = v_object_id and l.id >= v_from and l.id < v_to
        and (l.position, l.id) < (v_position, v_cursor)
      order by l.position desc, l.id desc
      limit 5001;
  end if;
  loop
    fetch v_rows into e;
    if not found then
      v_last_id := null;
      exit;
    end if;
    exit when v_looked = 5000;
    if v_object_types ? e.event::text and not e.is_test and e.occurred_at >= v_since
      and (v_until is null or e.occurred_at < v_until) then
      exit when cardinality(v_items) = v_limit;
      v_actor_id := coalesce(e.caller_id::text, '');
      if not v_actors ? v_actor_id then
        v_actors := v_actors || jsonb_build_object(v_actor_id, crm.actor_json(e.caller_id));
      end if;
      v_items := array_append(
        v_items, crm.change_json(e, v_object_types ->> e.event::text, (v_actors -> v_actor_id)::json)
      );
    end if;
    v_looked := v_looked + 1;
    v_last_id := e.id;
  end loop;
  close v_rows;
  return crm.page(v_items, v_last_id);
end
$$;
comment on function api.change_list(jsonb) is
  'A page of the change log, newest first: of the workspace in the order of the events'' ids, of one object in the order '
  'of the feed, reversed. Goes back 90 days. Looks at 5,000 events at most, so a page may be short or empty while there '
  'is more.';

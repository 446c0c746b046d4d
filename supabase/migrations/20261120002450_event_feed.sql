-- The feed of events (GET /api-v1-events): what happened in a workspace, oldest first, read with a cursor that never steps
-- over an event whose transaction commits late. Why it cannot, in docs/decisions/0026-feed-of-events.md.

create type crm.feed_cursor as (position bigint, id uuid, read_until timestamptz);
comment on type crm.feed_cursor is
  'Where a reader of the feed has come to: the last event (its position and id) that was looked at, and a moment before '
  'which it has nothing left to read, transactions that are still open apart.';

create function crm.feed_cursor_text(c crm.feed_cursor) returns text
language sql immutable parallel safe
as $$
  select translate(
    encode(
      '\x01'::bytea || int8send(c.position) || uuid_send(c.id)
        || int8send(floor(extract(epoch from c.read_until) * 1000)::bigint),
      'base64'
    ),
    '+/', '-_'
  )
$$;
comment on function crm.feed_cursor_text(crm.feed_cursor) is
  'A cursor as clients get it: 33 bytes, the first of which is the version, as 44 characters of base64url.';

create function crm.feed_cursor_of(p_text text) returns crm.feed_cursor
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  v_bytes bytea;
  v_position bigint;
  v_milliseconds bigint;
begin
  if p_text !~ '^AQ[A-Za-z0-9_-]{42}$' then
    return null;
  end if;
  v_bytes := decode(translate(p_text, '-_', '+/'), 'base64');
  v_position := ('x' || encode(substring(v_bytes from 2 for 8), 'hex'))::bit(64)::bigint;
  v_milliseconds := ('x' || encode(substring(v_bytes from 26 for 8), 'hex'))::bit(64)::bigint;
  -- Years after 9999 are none that this function's counterpart has written, and Postgres has none after 294276.
  if v_position < 0 or v_milliseconds not between 0 and 253402300799999 then
    return null;
  end if;
  return row(
    v_position, encode(substring(v_bytes from 10 for 16), 'hex')::uuid, to_timestamp(v_milliseconds / 1000.0)
  )::crm.feed_cursor;
end
$$;
comment on function crm.feed_cursor_of(text) is 'The cursor of a text of crm.feed_cursor_text; null for any other text.';

create function crm.feed_item(e crm.events) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_object_type text := (select t.object_type from crm.event_types t where t.event = e.event);
  v_data json;
begin
  begin
    v_data := crm.event_data(e, v_object_type);
  exception when others then
    -- One event that cannot be built must not stop its readers for ever.
    raise log 'crm.feed_item of event %: % (%)', e.id, sqlerrm, sqlstate;
  end;
  return json_build_object(
    'id', e.id,
    'event', e.event,
    'workspace_id', e.workspace_id,
    'object_type', v_object_type,
    'object_id', e.object_id,
    'data', v_data,
    'occurred_at', crm.iso(e.occurred_at)
  );
end
$$;
comment on function crm.feed_item(crm.events) is
  'An event as the feed shows it, with the object as it is now; `data` is null if it cannot be built.';

create function crm.feed_start(p_args jsonb) returns crm.feed_cursor
language plpgsql stable
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
as $$
declare
  v_start crm.feed_cursor := row(0, '00000000-0000-0000-0000-000000000000', '-infinity')::crm.feed_cursor;
  -- Events are kept for 30 days. A reader without a cursor begins an hour later, so that it can ask for its second page.
  v_oldest timestamptz := case when not p_args ? 'cursor' then now() - interval '30 days' + interval '1 hour' end;
  -- In the future there is nothing to pass over.
  v_since timestamptz := least(greatest((p_args ->> 'since')::timestamptz, v_oldest), now());
  v_horizon bigint := crm.feed_horizon();
  v_position bigint;
  v_id uuid;
begin
  if p_args ? 'cursor' then
    v_start := crm.feed_cursor_of(p_args ->> 'cursor');
    if v_start is null then
      perform api.fail('invalid_cursor', array['cursor'], 'Deve ser o meta.next_cursor de uma resposta desta lista');
    end if;
    -- A position that this database has not come to: it was restored, and nothing says what its reader has missed.
    if v_start.read_until < now() - interval '30 days' or v_start.position >= v_horizon then
      perform api.fail('cursor_expired');
    end if;
    if not p_args ? 'since' then
      return v_start;
    end if;
  end if;

  -- What occurred at `since` or later was written by transactions that began then, so its positions are above those of
  -- whatever was written before. The newest of that is found in the primary key, and what precedes it is not looked at.
  -- The minute is for clocks that are set back; two days earlier there is little to pass over.
  select e.position, e.id into v_position, v_id
  from crm.events e
  where e.workspace_id = crm.current_workspace_id()
    and e.id < crm.uuid_v7_floor(v_since - interval '1 minute')
    and e.id >= crm.uuid_v7_floor(v_since - interval '2 days')
  order by e.id desc
  limit 1;
  if v_position >= v_horizon then
    -- A cursor must not be ahead of what has ended.
    v_start.position := v_horizon - 1;
    v_start.id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  elsif (v_position, v_id) > (v_start.position, v_start.id) then
    v_start.position := v_position;
    v_start.id := v_id;
  end if;
  v_start.read_until := greatest(v_start.read_until, v_since);
  return v_start;
end
$$;
comment on function crm.feed_start(jsonb) is
  'Where a page of the feed begins: at the cursor, at `since`, whichever is later; without either at the oldest event '
  'that is kept. Raises invalid_cursor and cursor_expired.';

create function api.event_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
-- One plan for all calls: it reads the rows in the order of an index, from the partitions that the cursor leaves.
set plan_cache_mode = 'force_generic_plan'
set enable_sort = off
as $$
declare
  v_start crm.feed_cursor := crm.feed_start(p_args);
  v_last crm.feed_cursor := v_start;
  -- Whatever has a position below this is committed or undone for good, and below it nothing more will appear.
  v_horizon bigint := crm.feed_horizon();
  -- Nothing that is left to read was written earlier, unless its transaction was open for longer than two days.
  v_from uuid := crm.uuid_v7_floor(v_start.read_until - interval '2 days');
  v_limit integer := p_args ->> 'limit';
  v_since timestamptz := p_args ->> 'since';
  v_types crm.event_type[];
  v_object_id uuid := p_args ->> 'object_id';
  v_rows refcursor;
  e crm.events;
  v_looked integer := 0;
  v_bytes integer := 0;
  v_item json;
  v_items json[] := '{}';
  v_has_more boolean := true;
begin
  if p_args ? 'event_types' then
    v_types := array(select jsonb_array_elements_text(p_args -> 'event_types')::crm.event_type);
  end if;
  -- Each has its own index, and so its own statement.
  if v_object_id is null then
    open v_rows for
      select l.* from crm.events l
      where l.workspace_id = crm.current_workspace_id()
        and (l.position, l.id) > (v_start.position, v_start.id) and l.position < v_horizon and l.id >= v_from
      order by l.position, l.id
      limit 5001;
  else
    open v_rows for
      select l.* from crm.events l
      where l.workspace_id = crm.current_workspace_id() and l.object_id = v_object_id
        and (l.position, l.id) > (v_start.position, v_start.id) and l.position < v_horizon and l.id >= v_from
      order by l.position, l.id
      limit 5001;
  end if;
  loop
    fetch v_rows into e;
    if not found then
      v_has_more := false;
      exit;
    end if;
    exit when v_looked = 5000 or cardinality(v_items) = v_limit;
    if (v_types is null or e.event = any (v_types)) and (v_since is null or e.occurred_at >= v_since) and not e.is_test then
      v_item := crm.feed_item(e);
      v_bytes := v_bytes + octet_length(v_item::text);
      exit when v_bytes > crm.max_page_bytes() and cardinality(v_items) > 0;
      v_items := array_append(v_items, v_item);
    end if;
    v_looked := v_looked + 1;
    -- The event's transaction began at occurred_at, so whatever has a higher position was written later than that.
    v_last := row(e.position, e.id, greatest(e.occurred_at, v_start.read_until))::crm.feed_cursor;
  end loop;
  close v_rows;
  if not v_has_more then
    -- To the hour, so that a cursor that is not moved by an event stays the same text for an hour.
    v_last.read_until := date_trunc('hour', now(), 'UTC');
  end if;
  return json_build_object(
    'data', array_to_json(v_items),
    'meta', json_build_object('next_cursor', crm.feed_cursor_text(v_last), 'has_more', v_has_more)
  );
end
$$;
comment on function api.event_list(jsonb) is
  'A page of the feed: events in the order of (position, id), from a cursor on. Looks at 5,000 events at most, and ends '
  'at crm.max_page_bytes, so a page may be short or empty while there is more. Test events are left out.';

-- The feed (GET /api-v1-events): the events of a workspace, oldest first. A reader's cursor never skips an event, even
-- if the event's transaction commits late (docs/decisions/0016-events-feed-change-log.md).

create type crm.feed_cursor as (position bigint, id uuid, read_until timestamptz);
comment on type crm.feed_cursor is
  'A reader''s place in the feed. position and id: the last event that was looked at. read_until: every event stored '
  'before this time has been read, except events of transactions that are still open.';

create function crm.feed_cursor_tag(p_secret bytea, p_content bytea) returns bytea
language sql immutable parallel safe as $$
  -- A plain hash is as safe as HMAC here: its weakness lets an attacker sign only contents that are longer than a known
  -- one, and all cursors have the same length.
  select substring(sha256(p_secret || '\x01'::bytea || p_content) for 15)
$$;
comment on function crm.feed_cursor_tag(bytea, bytea) is
  'The signature of a cursor''s content: 15 bytes that only this database can compute.';

create function crm.feed_cursor_mask(p_secret bytea, p_tag bytea) returns bigint
language sql immutable parallel safe as $$
  select ('x' || encode(substring(sha256(p_secret || '\x02'::bytea || p_tag) for 8), 'hex'))::bit(64)::bigint
$$;
comment on function crm.feed_cursor_mask(bytea, bytea) is
  'The number that hides the position in a cursor with this tag. Cursors with different positions have different tags, '
  'and therefore different masks.';

create function crm.feed_cursor_text(c crm.feed_cursor) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  v_secret bytea := (select o.cursor_secret from crm.feed_offset o);
  v_rest bytea := uuid_send(c.id) || int8send(floor(extract(epoch from c.read_until) * 1000)::bigint);
  v_tag bytea := crm.feed_cursor_tag(v_secret, int8send(c.position) || v_rest);
begin
  return translate(
    encode(
      '\x02'::bytea || v_tag || int8send(c.position # crm.feed_cursor_mask(v_secret, v_tag)) || v_rest, 'base64'
    ),
    '+/', '-_'
  );
end
$$;
comment on function crm.feed_cursor_text(crm.feed_cursor) is
  'A cursor as clients get it: 48 bytes (version, tag, hidden position, id, read_until) as 64 characters of '
  'base64url. The position counts the transactions of all workspaces, so it is hidden. Equal cursors have equal '
  'texts. Security definer, because verbs may not read the secret.';

create function crm.feed_cursor_of(p_text text) returns crm.feed_cursor
language plpgsql stable security definer set search_path = '' as $$
declare
  v_secret bytea := (select o.cursor_secret from crm.feed_offset o);
  v_bytes bytea;
  v_tag bytea;
  v_rest bytea;
  v_position bigint;
begin
  if p_text !~ '^A[g-v][A-Za-z0-9_-]{62}$' then return null; end if;
  v_bytes := decode(translate(p_text, '-_', '+/'), 'base64');
  v_tag := substring(v_bytes from 2 for 15);
  v_rest := substring(v_bytes from 25);
  v_position := ('x' || encode(substring(v_bytes from 17 for 8), 'hex'))::bit(64)::bigint
    # crm.feed_cursor_mask(v_secret, v_tag);
  if crm.feed_cursor_tag(v_secret, int8send(v_position) || v_rest) <> v_tag then return null; end if;
  return row(
    v_position, encode(substring(v_rest for 16), 'hex')::uuid,
    to_timestamp(('x' || encode(substring(v_rest from 17), 'hex'))::bit(64)::bigint / 1000.0)
  )::crm.feed_cursor;
end
$$;
comment on function crm.feed_cursor_of(text) is
  'The cursor in a text of crm.feed_cursor_text; null for a text that this database did not sign. Security definer, '
  'because verbs may not read the secret.';

create function crm.feed_item(e crm.events) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_object_type text := (select t.object_type from crm.event_types t where t.event = e.event);
  v_data json;
begin
  begin
    v_data := crm.event_data(e, v_object_type);
  exception when others then
    -- An event whose `data` cannot be built must not block the feed's readers for ever.
    raise log 'crm.feed_item of event %: % (%)', e.id, sqlerrm, sqlstate;
  end;
  return json_build_object(
    'id', e.id, 'event', e.event, 'workspace_id', e.workspace_id, 'object_type', v_object_type,
    'object_id', e.object_id, 'data', v_data, 'occurred_at', crm.iso(e.occurred_at),
    'actor_id', e.caller_id
  );
end
$$;
comment on function crm.feed_item(crm.events) is
  'An event as the feed shows it, with the object as it is now; `data` is null if it cannot be built.';

create function crm.feed_start(p_args jsonb) returns crm.feed_cursor
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_start crm.feed_cursor := row(0, '00000000-0000-0000-0000-000000000000', '-infinity')::crm.feed_cursor;
  -- The feed goes back 30 days. A reader without a cursor begins an hour later, so that its cursor is still valid when
  -- it asks for the second page.
  v_oldest timestamptz := case when not p_args ? 'cursor' then now() - interval '30 days' + interval '1 hour' end;
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
    -- A cursor beyond the horizon is from before a restore of the database. Nobody knows which events its reader
    -- missed.
    if v_start.read_until < now() - interval '30 days' or v_start.position >= v_horizon then
      perform api.fail('cursor_expired');
    end if;
    if not p_args ? 'since' then return v_start; end if;
  end if;

  -- The page can begin after the newest event stored before `since`, because transactions that begin at `since` or
  -- later get higher positions. The minute allows for a clock that is set back. Only the two days before `since` are
  -- searched: if they have no event, there is little to skip.
  select e.position, e.id into v_position, v_id
  from crm.events e
  where e.workspace_id = crm.current_workspace_id() and e.id < crm.uuid_v7_floor(v_since - interval '1 minute')
    and e.id >= crm.uuid_v7_floor(v_since - interval '2 days')
  order by e.id desc limit 1;
  if v_position >= v_horizon then
    -- A cursor must stay below the horizon.
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
  'Where a page of the feed begins: at the cursor or at `since`, whichever is later; without both, nearly 30 days ago. '
  'Raises invalid_cursor and cursor_expired.';

create function api.event_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- One plan for all calls: it reads rows in the order of an index, from the partitions after the cursor.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_start crm.feed_cursor := crm.feed_start(p_args);
  v_last crm.feed_cursor := v_start;
  v_horizon bigint := crm.feed_horizon();
  -- Skip old partitions: an unread event can be there only if its transaction was open for over two days.
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
  -- One statement for each index.
  if v_object_id is null then
    open v_rows for
      select l.* from crm.events l
      where l.workspace_id = crm.current_workspace_id()
        and (l.position, l.id) > (v_start.position, v_start.id) and l.position < v_horizon and l.id >= v_from
      order by l.position, l.id limit 5001;
  else
    open v_rows for
      select l.* from crm.events l
      where l.workspace_id = crm.current_workspace_id() and l.object_id = v_object_id
        and (l.position, l.id) > (v_start.position, v_start.id) and l.position < v_horizon and l.id >= v_from
      order by l.position, l.id limit 5001;
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
    -- The event's transaction began at occurred_at, so all events at higher positions were written after that time.
    v_last := row(e.position, e.id, greatest(e.occurred_at, v_start.read_until))::crm.feed_cursor;
  end loop;
  close v_rows;
  if not v_has_more then
    -- Rounded down to the hour, so that the cursor's text changes at most once an hour while no event arrives.
    v_last.read_until := date_trunc('hour', now(), 'UTC');
  end if;
  return json_build_object(
    'data', array_to_json(v_items),
    'meta', json_build_object('next_cursor', crm.feed_cursor_text(v_last), 'has_more', v_has_more)
  );
end
$$;
comment on function api.event_list(jsonb) is
  'A page of the feed: the events after a cursor by (position, id), without test events. Reads at most 5,000 events '
  'and ends at crm.max_page_bytes, so a page may be short or empty although there is a next page.';

-- The feed (GET /api-v1-events): the events of a workspace, oldest first, read with a cursor that never skips an event
-- whose transaction commits late. See docs/decisions/0016-events-feed-change-log.md.

create type crm.feed_cursor as (position bigint, id uuid, read_until timestamptz);
comment on type crm.feed_cursor is
  'A reader''s place in the feed: position and id of the last event looked at, and a time before which nothing is left '
  'to read, except events of transactions that are still open.';

create function crm.feed_cursor_tag(p_secret bytea, p_content bytea) returns bytea
language sql immutable parallel safe as $$
  -- A plain hash is as safe as HMAC here: an attacker could only sign a longer content, but every cursor has the same
  -- length.
  select substring(sha256(p_secret || '\x01'::bytea || p_content) for 15)
$$;
comment on function crm.feed_cursor_tag(bytea, bytea) is
  'The signature of a cursor''s content, 15 bytes, which only this database can compute.';

create function crm.feed_cursor_mask(p_secret bytea, p_tag bytea) returns bigint
language sql immutable parallel safe as $$
  select ('x' || encode(substring(sha256(p_secret || '\x02'::bytea || p_tag) for 8), 'hex'))::bit(64)::bigint
$$;
comment on function crm.feed_cursor_mask(bytea, bytea) is
  'The number that hides the position in a cursor with this tag. Each position has another tag, and so another mask.';

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
    -- An event whose `data` cannot be built must not block its readers for ever.
    raise log 'crm.feed_item of event %: % (%)', e.id, sqlerrm, sqlstate;
  end;
  return json_build_object(
    'id', e.id, 'event', e.event, 'workspace_id', e.workspace_id, 'object_type', v_object_type,
    'object_id', e.object_id, 'data', v_data, 'occurred_at', crm.iso(e.occurred_at)
  );
end
$$;
comment on function crm.feed_item(crm.events) is
  'An event as the feed shows it, with the object as it is now; `data` is null if it cannot be built.';

create function crm.feed_start(p_args jsonb) returns crm.feed_cursor
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_start crm.feed_cursor := row(0, '00000000-0000-0000-0000-000000000000', '-infinity')::crm.feed_cursor;
  -- The feed goes back 30 days. A reader without a cursor begins an hour later, so that its cursor has not expired when
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
    -- A cursor beyond the horizon was written before the database was restored: nobody knows what its reader has
    -- missed.
    if v_start.read_until < now() - interval '30 days' or v_start.position >= v_horizon then
      perform api.fail('cursor_expired');
    end if;
    if not p_args ? 'since' then return v_start; end if;
  end if;

  -- Transactions that begin at `since` or later get higher positions than all events written before. So the feed can
  -- begin after the newest event stored before `since`, which the primary key finds. The minute allows for clocks that
  -- are set back. Only two days are searched: if they have no event, there is little to skip.
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
  'Where a page of the feed begins: at the cursor or at `since`, whichever is later; without both, at the oldest '
  'event kept. Raises invalid_cursor and cursor_expired.';

create function api.event_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- One plan for all calls: it reads rows in the order of an index, from the partitions after the cursor.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_start crm.feed_cursor := crm.feed_start(p_args);
  v_last crm.feed_cursor := v_start;
  -- Every transaction below this position has ended, so no further event will appear there.
  v_horizon bigint := crm.feed_horizon();
  -- Skips old partitions: only a transaction open for over two days could add an event there that is still to read.
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
    -- Rounded to the hour, so that the cursor keeps its text for an hour if no event arrives.
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
  'and ends at crm.max_page_bytes, so a page may be short or empty although there is more.';

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
  'An event read for the change log: the names of changed fields, without values. object_type null: not shown.';

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
  -- An event's id has the time of the write; occurred_at is when its transaction began, at most a minute earlier.
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
  -- One statement for each index. Both stop at the first change that the page has no room for. If there are fewer
  -- changes, they stop at the 5,000th event, shown or not, and the next page begins there.
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
  'A page of the change log, newest first: for the workspace by event id, for one object in reverse order of the feed. '
  'Goes back 90 days. Reads at most 5,000 events, so a page may be short or empty although there is more.';

create function api.change_summary(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- One plan for all calls, as in api.change_list. Joins use only the primary key, because a hash join would read every
-- deal of the workspace. jit is off: with enable_sort off, the remaining sorts have a very high estimated cost, and
-- Postgres would compile the plan.
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
          -- The event stores only the stage that the deal left. The stage that the deal entered is the one that it
          -- leaves in its next move, whoever makes that move and whenever.
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

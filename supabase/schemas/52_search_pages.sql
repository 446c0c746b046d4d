-- Pages of a list with `q`, for every searched record. See docs/decisions/0013-search.md.

create function crm.chosen_matches(p_record text, p_walk crm.walk, p_ids uuid[], p_words text[] default null)
returns uuid[]
language plpgsql stable set search_path = '' as $$
declare
  v_matches uuid[];
begin
  if coalesce(p_ids, '{}') = '{}' then
    return '{}';
  elsif p_walk.chosen is null then
    select w.matches into v_matches from crm.kept_walk(p_record, '{}', null, null, null, p_ids) w;
  else
    execute format(
      'select array_agg(w.id) from (%s) w where w.is_match%s', p_walk.chosen,
      case when p_words is not null then
        ' and not exists (select from unnest($5) s (word) where strpos(w.text, s.word) = 0)'
      end
    ) into v_matches using null::uuid, null::uuid, null::integer, p_ids, p_words;
  end if;
  return coalesce(v_matches, '{}');
end
$$;
comment on function crm.chosen_matches(text, crm.walk, uuid[], text[]) is
  'Filters p_ids and keeps their order. An id stays if its record matches the walk''s filters and its current text has '
  'all of p_words (if given). If the walk is empty, an id stays if the unfiltered list contains its record.';

create function crm.kept_search(
  p_walk crm.walk, p_record text, p_args jsonb, p_words text[], p_before uuid, p_from uuid, p_step integer,
  out ids uuid[], out next_id uuid
)
language plpgsql stable set search_path = '' as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_way text := case when p_walk.ways is not null then crm.shortest_way(p_walk, p_before, p_from, p_step) end;
  -- Without another filter, nearly all records with the words match, so little more than a page is enough.
  v_enough integer := case when p_args - '{q,limit,cursor,since,until,expand}'::text[] = '{}'
    then v_limit + 51 else 2 * p_step
  end;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_found record;
begin
  ids := '{}';
  for v_round in 1 .. 2 loop
    -- strpos(), because LIKE takes several times as long, and even longer for a repetitive word such as `aaaab`.
    if v_way is null then
      -- Read the texts before the records, because few records have the words.
      select array_agg(w.id), array_agg(w.id) filter (
        where not exists (select from unnest(p_words) s (word) where strpos(w.text, s.word) = 0)
      )
      into v_walked, v_matches
      from (
        select x.id, x.text from crm.search_texts x
        where x.workspace_id = crm.current_workspace_id() and x.record = p_record and x.id < v_before
          and x.id >= p_from
        order by x.id desc limit v_rows
      ) w;
      next_id := v_walked[v_rows];
      -- Look up only v_enough records. Without another filter, the list leaves out only archived records, and these are
      -- few.
      if cardinality(v_matches) > v_enough then
        v_matches := v_matches[:v_enough];
        next_id := v_matches[v_enough];
      end if;
      v_matches := crm.chosen_matches(p_record, p_walk, v_matches);
    else
      execute format(
        $sql$
        select array_agg(w.id), array_agg(w.id) filter (
          where w.is_match and exists (
            select from crm.search_texts x
            where x.workspace_id = crm.current_workspace_id() and x.record = $4 and x.id = w.id
              and not exists (select from unnest($5) s (word) where strpos(x.text, s.word) = 0)
          )
        )
        from (%s limit $3) w
        $sql$,
        v_way
      ) into v_walked, v_matches using v_before, p_from, v_rows, p_record, p_words;
      next_id := v_walked[v_rows];
    end if;
    ids := ids || v_matches;
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    -- Read twice as many rows as would fill the page if the words are as frequent in older rows. Read fewer rows for a
    -- long search, because long words take longer to compare.
    v_rows := least(
      4 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')),
      2 * p_step * (v_limit + 1 - cardinality(ids)) / greatest(cardinality(ids), 1)
    );
    -- Few of the newest records have the words. If few older records have them too, the index finds those fast.
    select * into v_found from crm.search(
      p_record, p_words, v_before, p_from, p_step, greatest(v_enough - cardinality(ids), 1)
    );
    ids := ids || crm.chosen_matches(p_record, p_walk, v_found.ids);
    next_id := v_found.next_id;
    exit when next_id is null or cardinality(ids) > v_limit or not v_found.is_common;
    v_before := next_id;
  end loop;
end
$$;
comment on function crm.kept_search(crm.walk, text, jsonb, text[], uuid, uuid, integer) is
  'The ids of a page of a list with `q`, found in the stored texts; more ids than the limit if there is a next page. '
  'Reads at most 5 * p_step rows, and finds further records by crm.search. next_id: where the next page continues.';

create function crm.search_page(
  p_record text, p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250,
  p_kept boolean default false, out ids uuid[], out next_id uuid
)
language plpgsql stable set search_path = ''
-- crm.list_by explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_incremental_sort = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_walk crm.walk;
  v_words text[] := crm.search_words(p_args ->> 'q');
  -- The most texts that are computed and compared one by one: fewer for a long search, as in crm.kept_search.
  v_rows integer := greatest(2 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')), 1);
  -- The records whose stored text may be missing or out of date; null if there are too many.
  v_pending uuid[] := crm.pending_texts(p_record, 16 * p_step);
begin
  if not p_kept or (v_pending = '{}') is not true then v_walk := crm.walk_for(p_record, p_args); end if;
  if v_pending is null then
    -- Too many to list: treat every row read as pending.
    execute format(
      'select array_agg(w.id) from (%s limit $3) w', crm.shortest_way(v_walk, p_before, p_from, p_step)
    ) into v_pending using p_before, p_from, v_rows;
  else
    select s.ids, s.next_id into ids, next_id
    from crm.kept_search(v_walk, p_record, p_args, v_words, p_before, p_from, p_step) s;
    if v_pending = '{}' then return; end if;
  end if;
  v_pending := array(
    select p.id from unnest(v_pending) p (id)
    where p.id < p_before and p.id >= coalesce(next_id, p_from)
    order by p.id desc limit v_rows
  );
  next_id := coalesce(v_pending[v_rows], next_id);
  ids := array(
    select m.id
    from (
      (
        select k.id from unnest(ids) k (id) where k.id >= coalesce(next_id, p_from)
        except
        select p.id from unnest(v_pending) p (id)
      )
      union all
      select c.id from unnest(crm.chosen_matches(p_record, v_walk, v_pending, v_words)) c (id)
    ) m
    order by m.id desc
  );
end
$$;
comment on function crm.search_page(text, jsonb, uuid, uuid, integer, boolean) is
  'The ids of a page of a list with `q`; more ids than the limit if there is a next page. Combines the result of '
  'crm.kept_search with the pending records: those whose texts may have changed since they were stored. Computes and '
  'compares the texts of at most 2 * p_step pending records. If too many are pending, does so for at most 2 * p_step '
  'rows of the list, and skips crm.kept_search. next_id: where the next page continues; null if there is none. p_kept: '
  'the call has no filter except q, so statements with cached plans are used.';

-- A job writes the searched texts, because writing them takes longer than the rest of a creation. So a search also
-- compares the records that changed since the job's last run. It finds these records by their events. See
-- docs/decisions/0013-search.md.

create table crm.search_progress (
  only_row boolean primary key default true check (only_row),
  position bigint not null default 0,
  reached_at timestamptz not null default now()
);
comment on table crm.search_progress is
  'The place in the feed up to which the searched texts are up to date. A workspace in crm.search_backlog has its own '
  'place.';
comment on column crm.search_progress.position is
  'The crm.feed_horizon of the job''s last run: the texts for all events below this position are written.';
comment on column crm.search_progress.reached_at is
  'When the job last ran. Events that the job has not read were written later, or by a transaction that was open then.';
alter table crm.search_progress enable row level security, force row level security;
insert into crm.search_progress default values;

create table crm.search_backlog (
  workspace_id uuid primary key,
  position bigint not null,
  event_id uuid not null,
  reached_at timestamptz not null
);
comment on table crm.search_backlog is
  'Workspaces with changes whose texts are still to be written. A workspace stays here if a run of the job could not '
  'finish it, for example after an import. Other workspaces do not wait for it.';
comment on column crm.search_backlog.event_id is 'The last event read, at `position`; at first the lowest possible id.';
comment on column crm.search_backlog.reached_at is 'crm.search_progress.reached_at when the workspace fell behind.';
call crm.protect('crm.search_backlog');

create function crm.pending_texts(p_record text, p_most integer) returns uuid[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan'
-- Read in the order of the feed, because a scan of its index begins at the first pending event. In order of id, the
-- statement would read the events of two days.
set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_done crm.search_backlog;
  v_from uuid;
  -- With this bound, the plan skips the partitions of the coming week.
  v_to uuid := crm.uuid_v7_floor(now() + interval '1 day');
  v_looked integer;
  v_ids uuid[];
begin
  select v_workspace_id, coalesce(b.position, p.position), coalesce(b.event_id, crm.uuid_v7_floor('epoch')),
    coalesce(b.reached_at, p.reached_at)
  into v_done
  from crm.search_progress p left join crm.search_backlog b on b.workspace_id = v_workspace_id;
  -- Two days earlier, for the reason given in api.event_list.
  v_from := crm.uuid_v7_floor(v_done.reached_at - interval '2 days');
  select count(*), array_agg(distinct e.object_id) filter (where crm.text_changed(e.event, e.facts) = p_record)
  into v_looked, v_ids
  from (
    select l.event, l.facts, l.object_id from crm.events l
    where l.workspace_id = v_workspace_id and (l.position, l.id) > (v_done.position, v_done.event_id)
      and l.id >= v_from and l.id < v_to
    order by l.position, l.id limit p_most + 1
  ) e;
  return case when v_looked <= p_most then coalesce(v_ids, '{}') end;
end
$$;
comment on function crm.pending_texts(text, integer) is
  'The records of the current workspace whose text may have changed since it was indexed; null if there are more than '
  'p_most events since then. Security definer, because verbs may not read the job''s progress.';

create function crm.keep_texts(p_workspace_id uuid, p_record text, p_ids uuid[]) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  v_list record;
  v_rows crm.record_keys[];
begin
  select l.target, l.sql into v_list from crm.list_filters(p_record) l where l.kind = 'list';
  if v_list.sql is null then return; end if;
  perform crm.lock_texts_of(p_workspace_id);
  execute format(
    'select array(select row(t.id, t.tags, t.custom_fields, %s)::crm.record_keys from %s t'
    ' where t.workspace_id = $1 and t.id = any ($2))',
    v_list.sql, v_list.target
  ) into v_rows using p_workspace_id, p_ids;
  insert into crm.search_texts as kept (workspace_id, record, id, text)
  select p_workspace_id, p_record, r.id, r.search_text from unnest(v_rows) r
  on conflict (workspace_id, record, id) do update set text = excluded.text where kept.text <> excluded.text;
  perform crm.keep_values(p_workspace_id, p_record, v_rows);
end
$$;
comment on function crm.keep_texts(uuid, text, uuid[]) is
  'Writes the current searched texts and indexed values of records. Does nothing for a kind of records without '
  'search.';

create function crm.index_texts_of(p_done crm.search_backlog, p_horizon bigint, p_most integer) returns integer
language plpgsql set search_path = '' set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off
set enable_bitmapscan = off set enable_sort = off set jit = off as $$
declare
  v_events crm.events[];
  v_changed record;
begin
  -- If another transaction, such as an erasure, is writing texts of the workspace, leave the work to the next run.
  if not pg_try_advisory_xact_lock(crm.lock_number('texts of ' || p_done.workspace_id)) then return 0; end if;
  v_events := array(
    select l from crm.events l
    where l.workspace_id = p_done.workspace_id and (l.position, l.id) > (p_done.position, p_done.event_id)
      and l.position < p_horizon and l.id >= crm.uuid_v7_floor(p_done.reached_at - interval '2 days')
    order by l.position, l.id limit p_most
  );
  for v_changed in
    select c.record, array_agg(distinct c.id) as ids
    from (select crm.text_changed(e.event, e.facts) as record, e.object_id as id from unnest(v_events) e) c
    where c.record is not null
    group by c.record
  loop
    perform crm.keep_texts(p_done.workspace_id, v_changed.record, v_changed.ids);
  end loop;
  if cardinality(v_events) < p_most then
    delete from crm.search_backlog b where b.workspace_id = p_done.workspace_id;
  else
    update crm.search_backlog b
    set position = v_events[p_most].position, event_id = v_events[p_most].id
    where b.workspace_id = p_done.workspace_id;
  end if;
  return cardinality(v_events);
end
$$;
comment on function crm.index_texts_of(crm.search_backlog, bigint, integer) is
  'Writes the texts of the next changes in a workspace of the backlog, for at most p_most events below p_horizon, and '
  'returns the number of events. Removes the workspace from the backlog if none is left. Returns 0 while another '
  'transaction writes texts of the workspace.';

create function crm.index_texts(p_most interval default '1500 milliseconds') returns integer
language plpgsql set search_path = ''
-- crm.pending_texts explains these settings.
set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  v_end timestamptz := clock_timestamp() + p_most;
  v_horizon bigint;
  v_next crm.search_backlog;
  v_looked integer;
  v_count integer := 0;
begin
  perform crm.lock_texts();
  v_horizon := crm.feed_horizon();
  -- Lateral, so that each workspace takes one index look-up. A plain join would read all events of two days.
  insert into crm.search_backlog (workspace_id, position, event_id, reached_at)
  select w.id, p.position, crm.uuid_v7_floor('epoch'), p.reached_at
  from crm.search_progress p
  cross join crm.workspaces w
  cross join lateral (
    select from crm.events e
    where e.workspace_id = w.id and e.position >= p.position and e.position < v_horizon
      and e.id >= crm.uuid_v7_floor(p.reached_at - interval '2 days')
    order by e.position limit 1
  ) changed
  on conflict do nothing;
  update crm.search_progress p set position = v_horizon, reached_at = now() where p.position < v_horizon;
  -- Take 500 events of each workspace in turn, so that an import in one workspace does not delay the others.
  loop
    v_looked := 0;
    for v_next in select b.* from crm.search_backlog b order by b.reached_at, b.position loop
      exit when clock_timestamp() >= v_end;
      begin
        v_looked := v_looked + crm.index_texts_of(v_next, v_horizon, 500);
      exception when others then
        -- The workspace stays in the backlog, and `deno task doctor` reports it. The other workspaces go on.
        raise log 'crm.index_texts of %: % (%)', v_next.workspace_id, sqlerrm, sqlstate;
      end;
    end loop;
    v_count := v_count + v_looked;
    exit when v_looked = 0 or clock_timestamp() >= v_end;
  end loop;
  perform crm.index_defined(v_end);
  return v_count;
end
$$;
comment on function crm.index_texts(interval) is
  'Writes the searched texts and indexed values of the records that changed since the last run, then the values of '
  'newly defined fields, and returns how many events it read. Ends after p_most, because erasures wait for it.';

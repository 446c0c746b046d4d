-- The searched texts are written by a job, because writing them takes longer than the rest of a creation. Until then a
-- search compares the records themselves: the events since the job's last run name those that changed. See
-- docs/decisions/0013-search.md.

create table crm.search_progress (
  only_row boolean primary key default true check (only_row),
  position bigint not null default 0,
  reached_at timestamptz not null default now()
);
comment on table crm.search_progress is
  'How far in the feed the texts are up to date, except for the workspaces in crm.search_backlog.';
comment on column crm.search_progress.position is
  'Events below this position are done: crm.feed_horizon when the job ran.';
comment on column crm.search_progress.reached_at is
  'When the job ran. Events still to read were written later, or in a transaction that was open then.';
alter table crm.search_progress enable row level security, force row level security;
insert into crm.search_progress default values;

create table crm.search_backlog (
  workspace_id uuid primary key,
  position bigint not null,
  event_id uuid not null,
  reached_at timestamptz not null
);
comment on table crm.search_backlog is
  'Workspaces with more changes than one run of the job could write, after an import for example: other workspaces do '
  'not wait for them.';
comment on column crm.search_backlog.event_id is
  'The id of the last event read, whose place in the feed is `position`.';
comment on column crm.search_backlog.reached_at is 'As in crm.search_progress, when the workspace fell behind.';
call crm.protect('crm.search_backlog');

-- written by deno task records: searched records
create function crm.text_changed(p_event crm.event_type, p_facts jsonb) returns text
language sql immutable as $$
  select case p_event
    when 'company.created' then 'company'
    when 'company.updated' then
      case when p_facts -> 'changed_fields' ?| array['name', 'legal_name', 'tax_id', 'domain', 'email', 'external_id', 'phone']
        then 'company'
      end
    when 'contact.created' then 'contact'
    when 'contact.updated' then
      case when p_facts -> 'changed_fields' ?| array['name', 'email', 'job_title', 'external_id', 'phone', 'phone2', 'whatsapp']
        then 'contact'
      end
    when 'deal.created' then 'deal'
    when 'deal.updated' then
      case when p_facts -> 'changed_fields' ?| array['title', 'external_id']
        then 'deal'
      end
  end
$$;
comment on function crm.text_changed(crm.event_type, jsonb) is
  'The kind of the record whose searched text an event changes; null if it changes none.';

create function crm.keep_texts(p_workspace_id uuid, p_record text, p_ids uuid[]) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  case p_record
    when 'company' then
      perform crm.lock_texts_of(p_workspace_id);
      insert into crm.search_texts as kept (workspace_id, record, id, text)
      select t.workspace_id, p_record, t.id, crm.company_text(t) from crm.companies t
      where t.workspace_id = p_workspace_id and t.id = any (p_ids)
      on conflict (workspace_id, record, id) do update set text = excluded.text where kept.text <> excluded.text;
    when 'contact' then
      perform crm.lock_texts_of(p_workspace_id);
      insert into crm.search_texts as kept (workspace_id, record, id, text)
      select t.workspace_id, p_record, t.id, crm.contact_text(t) from crm.contacts t
      where t.workspace_id = p_workspace_id and t.id = any (p_ids)
      on conflict (workspace_id, record, id) do update set text = excluded.text where kept.text <> excluded.text;
    when 'deal' then
      perform crm.lock_texts_of(p_workspace_id);
      insert into crm.search_texts as kept (workspace_id, record, id, text)
      select t.workspace_id, p_record, t.id, crm.deal_text(t) from crm.deals t
      where t.workspace_id = p_workspace_id and t.id = any (p_ids)
      on conflict (workspace_id, record, id) do update set text = excluded.text where kept.text <> excluded.text;
    else
      null;
  end case;
end
$$;
comment on function crm.keep_texts(uuid, text, uuid[]) is
  'Writes the current searched texts of records of a kind; nothing for a kind without search.';
-- end of what is written

create function crm.pending_texts(p_record text, p_most integer) returns uuid[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan'
-- In the order of the feed, whose index starts where events are pending; in order of id the statement would read the
-- events of two days.
set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_done crm.search_backlog;
  v_from uuid;
  -- Keeps the partitions of the coming week from being opened.
  v_to uuid := crm.uuid_v7_floor(now() + interval '1 day');
  v_looked integer;
  v_ids uuid[];
begin
  select v_workspace_id, coalesce(b.position, p.position), coalesce(b.event_id, crm.uuid_v7_floor('epoch')),
    coalesce(b.reached_at, p.reached_at)
  into v_done
  from crm.search_progress p left join crm.search_backlog b on b.workspace_id = v_workspace_id;
  -- As in api.event_list.
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
  'The records of the current workspace whose text may have changed since it was written; null if there are more than '
  'p_most events since then. Security definer, because verbs may not read the job''s progress.';

create function crm.index_texts_of(p_done crm.search_backlog, p_horizon bigint, p_most integer) returns integer
language plpgsql set search_path = '' set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off
set enable_bitmapscan = off set enable_sort = off set jit = off as $$
declare
  v_events crm.events[];
  v_changed record;
begin
  -- Somebody else, such as an erasure, is writing texts of the workspace and goes first: the next run comes back.
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
  'returns the number of events. Removes the workspace from the backlog if none is left. Returns 0 while somebody '
  'else writes texts of the workspace.';

create function crm.index_texts(p_most interval default '1500 milliseconds') returns integer
language plpgsql set search_path = ''
-- As in crm.pending_texts.
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
  -- One index look-up for each workspace: one statement for all would read all events of two days.
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
  -- In turns, so that a workspace with an import delays no other.
  loop
    v_looked := 0;
    for v_next in select b.* from crm.search_backlog b order by b.reached_at, b.position loop
      exit when clock_timestamp() >= v_end;
      begin
        v_looked := v_looked + crm.index_texts_of(v_next, v_horizon, 500);
      exception when others then
        -- The workspace stays in the backlog, which `deno task doctor` reports; the others go on.
        raise log 'crm.index_texts of %: % (%)', v_next.workspace_id, sqlerrm, sqlstate;
      end;
    end loop;
    v_count := v_count + v_looked;
    exit when v_looked = 0 or clock_timestamp() >= v_end;
  end loop;
  return v_count;
end
$$;
comment on function crm.index_texts(interval) is
  'Writes the searched texts of the records that changed since the last run, and returns how many events it read. '
  'Ends after p_most, because the feed and erasures wait for it.';

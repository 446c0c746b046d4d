-- Events, deliveries, attempts and requests have a partition for each day (UTC). Events are kept for 90 days,
-- deliveries and attempts for 30, requests for 7. Then their partition is dropped, because deleting the rows of a large
-- day would take minutes. An id begins with a time (UUIDv7), so a day is a range of ids, and a statement that knows an
-- id reads one partition. Each table has its own job, because a job that locked two tables could deadlock with a
-- transaction that writes to both. See docs/decisions/0008-queue.md.

create function crm.uuid_v7_clock() returns uuid
-- In SQL, because Postgres inlines the function into each insert. In plpgsql the function would take 50 % longer.
language sql volatile as $$
  -- In units of 1/4,096 ms, so that the three hexadecimal digits after the version are the fraction of a millisecond.
  select (
    overlay(
      lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 4096000)::bigint), 15, '0') placing '7' from 13 for 0
    )
    || substr(gen_random_uuid()::text, 19)
  )::uuid
$$;
comment on function crm.uuid_v7_clock() is
  'A UUIDv7 with microseconds (RFC 9562, 6.2, method 3), so that the ids of one transaction sort in the order in which '
  'they were made.';

create function crm.partition_key(p_table regclass) returns name
language sql stable set search_path = '' as $$
  select a.attname
  from pg_catalog.pg_partitioned_table t
  join pg_catalog.pg_attribute a on a.attrelid = t.partrelid and a.attnum = t.partattrs[0]
  where t.partrelid = p_table
$$;
comment on function crm.partition_key(regclass) is 'The column by which a table is partitioned, a UUIDv7.';

create function crm.partitions_of(p_table regclass) returns table (partition regclass, day date)
language sql stable set search_path = '' as $$
  select c.oid::regclass, to_date(d.day, 'YYYY_MM_DD')
  from pg_catalog.pg_inherits i
  join pg_catalog.pg_class c on c.oid = i.inhrelid
  cross join lateral substring(c.relname from '_(\d{4}_\d\d_\d\d)$') d (day)
  where i.inhparent = p_table and d.day is not null
  order by 2
$$;
comment on function crm.partitions_of(regclass) is
  'The partitions of a table with their days, oldest first, without the default partition.';

create function crm.kept_days(p_table regclass) returns integer
language sql stable set search_path = ''
as $$ select case p_table::text when 'crm.events' then 90 when 'crm.requests' then 7 else 30 end $$;
comment on function crm.kept_days(regclass) is
  'How many days a partitioned table keeps its rows. Events are kept longer, for the change log.';

create function crm.given_columns(p_table regclass) returns text
language sql stable set search_path = '' as $$
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
  from pg_catalog.pg_attribute a
  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
$$;
comment on function crm.given_columns(regclass) is
  'The columns of a table as a list for SQL. Generated columns are left out, because an insert cannot name them.';

create function crm.missing_days(p_table regclass, p_oldest date, p_today date) returns date[]
language plpgsql stable set search_path = '' as $$
declare
  v_days date[];
begin
  execute format(
    $sql$
      select array_agg(d.day order by d.day)
      from (
        -- A week ahead, so that no row goes to the default partition if the job does not run for some days.
        select $2 + n from generate_series(0, 7) n
        union
        select (crm.uuid_v7_time(r.%I) at time zone 'UTC')::date from %s r
      ) d (day)
      where d.day between $1 and $2 + 7 and not exists (select from crm.partitions_of($3) p where p.day = d.day)
    $sql$,
    crm.partition_key(p_table), p_table || '_default'
  ) into v_days using p_oldest, p_today, p_table;
  return coalesce(v_days, '{}');
end
$$;
comment on function crm.missing_days(regclass, date, date) is
  'The days that need a partition and have none: the days from p_today to a week ahead, and the days since p_oldest '
  'that have rows in the default partition.';

create function crm.make_partition(p_table regclass, p_day date) returns bigint
language plpgsql set search_path = '' as $$
declare
  v_partition text := p_table || to_char(p_day, '_YYYY_MM_DD');
  v_from uuid := crm.uuid_v7_floor(p_day::timestamp at time zone 'UTC');
  v_to uuid := crm.uuid_v7_floor((p_day + 1)::timestamp at time zone 'UTC');
  v_columns text := crm.given_columns(p_table);
  v_moved bigint;
begin
  -- Created without indexes, because moving rows into the new partition is then five times as fast; `attach` creates
  -- the indexes. The fillfactor leaves room in deliveries' pages: most deliveries are updated once, when they end. Such
  -- an update adds no index entry (HOT) and needs no vacuum: the next update in the page reuses the old version's room.
  execute format(
    'create table %s (like %s including all excluding indexes) with (fillfactor = %s)',
    v_partition, p_table, case p_table::text when 'crm.webhook_deliveries' then 90 else 100 end
  );
  call crm.protect(v_partition);
  execute format('comment on table %s is %L', v_partition, format('The rows of %s of %s (UTC).', p_table, p_day));
  execute format(
    $sql$
      with moved as (delete from %1$s r where r.%2$I >= $1 and r.%2$I < $2 returning r.*)
      insert into %3$s (%4$s) select %4$s from moved
    $sql$,
    p_table || '_default', crm.partition_key(p_table), v_partition, v_columns
  ) using v_from, v_to;
  get diagnostics v_moved = row_count;
  execute format(
    'alter table %s attach partition %s for values from (%L) to (%L)', p_table, v_partition, v_from, v_to
  );
  return v_moved;
end
$$;
comment on function crm.make_partition(regclass, date) is
  'Creates the partition of a day and moves the day''s rows out of the default partition without firing triggers; '
  'returns how many rows it moved. The caller must have locked the table.';

create function crm.manage_partitions(
  p_table regclass, p_now timestamptz default now(), p_max_rows bigint default 100000, out made integer,
  out moved bigint, out dropped integer, out hindrance text
)
-- Security definer, so that a partition gets the owner of its table, whoever runs the job.
language plpgsql security definer set search_path = ''
-- While this function waits for its lock, everybody who uses the table waits behind it. The timeout is below
-- deadlock_timeout, so that this function gives up first in a deadlock. Otherwise Postgres could fail a statement of
-- the other transaction instead. In crm.emit, which catches errors, the event would then be lost.
set lock_timeout = '200ms' as $$
declare
  v_today date := (p_now at time zone 'UTC')::date;
  v_oldest date := ((p_now - make_interval(days => crm.kept_days(p_table))) at time zone 'UTC')::date;
  v_floor uuid := crm.uuid_v7_floor(v_oldest::timestamp at time zone 'UTC');
  v_default text := p_table || '_default';
  v_is_missing boolean;
  v_rows bigint;
  v_day date;
  v_partition regclass;
begin
  made := 0;
  moved := 0;
  dropped := 0;
  if p_table::text = 'crm.webhook_deliveries' then
    -- Delete queue rows before deliveries, because every caller locks them in this order. Rows that a dispatcher has
    -- locked are left to the next run.
    delete from crm.webhook_queue q
    where q.ctid = any (array(
      select o.ctid from crm.webhook_queue o where o.delivery_id < v_floor for update skip locked
    ));
  end if;
  execute format(
    'delete from %1$s where ctid = any (array(select r.ctid from %1$s r where r.%2$I < $1 limit $2))',
    v_default, crm.partition_key(p_table)
  ) using v_floor, p_max_rows;

  v_is_missing := crm.missing_days(p_table, v_oldest, v_today) <> '{}';
  if v_is_missing then
    execute format('select count(*) from (select from %s limit $1 + 1) r', v_default) into v_rows using p_max_rows;
    if v_rows > p_max_rows then
      v_is_missing := false;
      hindrance := format('%s has too many rows', v_default);
    end if;
  end if;
  if v_is_missing or exists (select from crm.partitions_of(p_table) p where p.day < v_oldest) then
    begin
      if p_table::text = 'crm.events' then
        -- Wait up to 5 s, because the job index-texts holds this lock for some seconds while it reads events, and may
        -- always start together with this job. No request waits for this lock.
        perform set_config('lock_timeout', '5s', true);
        perform crm.lock_texts();
        perform set_config('lock_timeout', '200ms', true);
      end if;
      -- Lock before `attach`, which takes a weaker lock. Under that lock, a simultaneous insert for the same day would
      -- fail, because the row still goes to the default partition. `only` is enough: except a vacuum, nobody locks a
      -- day's partition before the table. The default partition is locked too, because its bounds change and a vacuum
      -- may hold it.
      execute format('lock table only %s, %s in access exclusive mode', p_table, v_default);
      if v_is_missing then
        -- Compute the days again, because others may have written rows before this function got the lock.
        foreach v_day in array crm.missing_days(p_table, v_oldest, v_today) loop
          moved := moved + crm.make_partition(p_table, v_day);
          made := made + 1;
        end loop;
      end if;
      -- Dropping a partition blocks all requests, so each run drops at most ten.
      for v_partition in select p.partition from crm.partitions_of(p_table) p where p.day < v_oldest limit 10 loop
        begin
          execute format('lock table %s in access exclusive mode nowait', v_partition);
          execute format('drop table %s', v_partition);
          dropped := dropped + 1;
        exception
          -- A vacuum holds this partition; the others can be dropped.
          when lock_not_available then
            hindrance := sqlerrm;
        end;
      end loop;
    exception
      when lock_not_available then
        hindrance := sqlerrm;
    end;
  end if;
  if hindrance is not null then raise log 'crm.manage_partitions(%): %', p_table, hindrance; end if;
end
$$;
comment on function crm.manage_partitions(regclass, timestamptz, bigint) is
  'Creates the missing partitions of a table up to a week ahead, and moves their rows out of the default partition. '
  'Drops partitions older than crm.kept_days, at most ten in each run, and deletes rows of that age from the queue and '
  'the default partition. If a table lock takes more than 200 ms, the function gives up and returns the reason in '
  '`hindrance`; the next run tries again. Moving rows blocks everybody, for about a second with 100,000 rows. So if '
  'the default partition has more than p_max_rows rows, the function moves no rows and creates no partition. p_now '
  'replaces the current time.';

-- Events: what happened in a workspace (spec 6.1). The feed and webhooks go back 30 days, the change log 90.

create table crm.feed_offset (
  only_row boolean primary key default true check (only_row),
  added bigint not null default 0,
  -- 244 random bits from two UUIDs, because gen_random_bytes would need an extension.
  cursor_secret bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
comment on table crm.feed_offset is
  'The number added to a transaction id to get a position in the feed. If a database is restored into another cluster, '
  'transaction ids start from small numbers: then crm.continue_feed() must be called to raise this number.';
comment on column crm.feed_offset.cursor_secret is
  'Signs the cursors of the feed (crm.feed_cursor_text). If it changes, every earlier cursor becomes invalid.';
alter table crm.feed_offset enable row level security, force row level security;
insert into crm.feed_offset default values;

create function crm.feed_position() returns bigint
language plpgsql volatile set search_path = ''
as $$ begin return pg_current_xact_id()::text::bigint + (select o.added from crm.feed_offset o); end $$;
comment on function crm.feed_position() is 'The position in the feed of the events that this transaction writes.';

create function crm.feed_horizon() returns bigint
language plpgsql stable security definer set search_path = '' as $$
begin
  return pg_snapshot_xmin(pg_current_snapshot())::text::bigint + (select o.added from crm.feed_offset o);
end
$$;
comment on function crm.feed_horizon() is
  'Every transaction below this position has ended, in the snapshot of the statement. An event below this position is '
  'visible now or never, so a reader that stays below it misses no late commit. Security definer, because verbs may '
  'not read crm.feed_offset.';

create table crm.events (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7_clock(),
  event crm.event_type not null,
  object_id uuid not null,
  facts jsonb not null,
  is_test boolean not null default false,
  caller_id uuid default crm.current_caller_id(),
  occurred_at timestamptz not null default now(),
  position bigint not null default crm.feed_position(),
  primary key (workspace_id, id)
) partition by range (id);
comment on table crm.events is
  'One row for each event, whether or not anybody subscribes. Written in the transaction of the change, by crm.emit '
  'and its variants for many objects, and by crm.send_test_event. Kept for 90 days in daily partitions. There are no '
  'foreign keys, because each event would lock the workspace''s row.';
comment on column crm.events.facts is
  'Facts that the object does not show, such as the previous stage. A delivery adds them to the object''s JSON.';
comment on column crm.events.is_test is
  'Whether the event is a test of a receiver: nothing happened in the workspace (crm.send_test_event).';
comment on column crm.events.caller_id is
  'The caller whose request caused the event (crm.current_caller_id); null if no request did.';
comment on column crm.events.position is
  'The place in the feed (crm.feed_position). Events of one transaction have the same position and are ordered by id.';
call crm.protect('crm.events');
create table crm.events_default partition of crm.events default;
comment on table crm.events_default is
  'Rows of crm.events whose day has no partition. Empty unless the job partition-events did not run for a week.';
call crm.protect('crm.events_default');
create index events_in_order on crm.events (workspace_id, position, id);
create index events_of_object on crm.events (workspace_id, object_id, position, id);

create function crm.continue_feed() returns bigint
language sql volatile set search_path = '' as $$
  update crm.feed_offset o
  set added = greatest(
    o.added,
    coalesce((select max(e.position) from crm.events e), 0) + 1000000000000 - pg_current_xact_id()::text::bigint
  )
  returning o.added
$$;
comment on function crm.continue_feed() is
  'Must be called once after a dump is restored into another cluster, before the first call of the API. New positions '
  'then begin a trillion above the greatest stored position. So new events come after every cursor that a client '
  'holds, even if the event of a cursor was lost with the old cluster. Reads all events. Returns the new offset.';

-- A test event has a made-up object in the shape of a real event (spec 6.2). The object comes from the examples in the
-- OpenAPI documents, and the functions for real events turn it into JSON.

create function crm.sample_data(p_event crm.event_type) returns json
language plpgsql stable set search_path = '' as $$
declare
  -- The object_id of a test event.
  v_id jsonb := '{"id": "00000000-0000-0000-0000-000000000000"}';
  v_object_type text := (select t.object_type from crm.event_types t where t.event = p_event);
  v_row jsonb := crm.sample_row(v_object_type) || crm.sample_state(p_event) || v_id;
  v_contact jsonb := crm.sample_row('contact') || jsonb_build_object('id', v_row -> 'contact_id');
  v_company jsonb := crm.sample_row('company') || jsonb_build_object('id', v_row -> 'company_id');
  v_object json;
  v_facts jsonb := crm.sample_facts(p_event);
begin
  if p_event = 'lead.received' then
    return crm.lead_data(
      jsonb_populate_record(null::crm.deals, v_row || jsonb_build_object('lead', crm.sample_row('lead'))),
      jsonb_populate_record(null::crm.contacts, v_contact), jsonb_populate_record(null::crm.companies, v_company)
    );
  elsif p_event = 'contact.erased' then
    return v_id;
  end if;

  execute format(
    'select crm.%I(t) from jsonb_populate_record(null::crm.%I, $1) t', v_object_type || '_json',
    crm.table_of(v_object_type)
  ) into v_object using v_row;
  return case when v_facts = '{}' then v_object else crm.with_fields(v_object, v_facts::json) end;
end
$$;
comment on function crm.sample_data(crm.event_type) is
  'The `data` of a test event: a made-up object and made-up facts in the shape of that event. Like the event''s '
  'object_id, the object''s id is the nil UUID.';

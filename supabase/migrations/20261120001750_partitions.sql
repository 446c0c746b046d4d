-- Partitions by day (UTC): events are kept for 90 days, deliveries and attempts for 30. Older rows are dropped with
-- their partition, because deleting a large day takes minutes. An id begins with the time of its event (UUIDv7), so a
-- day is a range of ids, and a statement that knows an id reads one partition. Each table has its own job: a
-- transaction that locked two tables could deadlock with one that writes both. See
-- docs/decisions/0008-queue.md.

create function crm.uuid_v7_clock() returns uuid
-- sql, so that Postgres inlines it into each insert: a default in plpgsql takes half as long again.
language sql volatile as $$
  -- Counts in units of 1/4,096 ms: the three hexadecimal digits after the version are the fraction of a millisecond.
  select (
    overlay(
      lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 4096000)::bigint), 15, '0') placing '7' from 13 for 0
    )
    || substr(gen_random_uuid()::text, 19)
  )::uuid
$$;
comment on function crm.uuid_v7_clock() is
  'A UUIDv7 for this moment with microseconds (RFC 9562, 6.2, method 3), so that ids made by one transaction sort in '
  'the order in which they were made.';

create function crm.partition_key(p_table regclass) returns name
language sql stable set search_path = '' as $$
  select a.attname
  from pg_catalog.pg_partitioned_table t
  join pg_catalog.pg_attribute a on a.attrelid = t.partrelid and a.attnum = t.partattrs[0]
  where t.partrelid = p_table
$$;
comment on function crm.partition_key(regclass) is 'The column, a UUIDv7, by whose time a table is partitioned.';

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
as $$ select case p_table::text when 'crm.events' then 90 else 30 end $$;
comment on function crm.kept_days(regclass) is
  'For how many days a partitioned table keeps its rows: crm.events as long as the change log goes back.';

create function crm.partition_fillfactor(p_table regclass) returns integer
language sql stable set search_path = ''
-- A delivery is updated once, when it ends. With free room in its page the update needs no new index entry and no
-- vacuum: the next delivery to end in that page reuses the room of the first version.
as $$ select case p_table::text when 'crm.webhook_deliveries' then 90 else 100 end $$;
comment on function crm.partition_fillfactor(regclass) is
  'To what percentage inserts fill a page of a partition; the rest is room for updates.';

create function crm.given_columns(p_table regclass) returns text
language sql stable set search_path = '' as $$
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
  from pg_catalog.pg_attribute a
  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
$$;
comment on function crm.given_columns(regclass) is
  'The columns of a table as a list for SQL, without generated ones, which an insert cannot name.';

create function crm.missing_days(p_table regclass, p_oldest date, p_today date) returns date[]
language plpgsql stable set search_path = '' as $$
declare
  v_days date[];
begin
  execute format(
    $sql$
      select array_agg(d.day order by d.day)
      from (
        -- A week ahead, so that no row goes to the default partition while the job cannot run.
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
  'The days that need a partition and have none: from p_today to a week ahead, and those from p_oldest on that have '
  'rows in the default partition.';

create function crm.make_partition(p_table regclass, p_day date) returns bigint
language plpgsql set search_path = '' as $$
declare
  v_partition text := p_table || to_char(p_day, '_YYYY_MM_DD');
  v_from uuid := crm.uuid_v7_floor(p_day::timestamp at time zone 'UTC');
  v_to uuid := crm.uuid_v7_floor((p_day + 1)::timestamp at time zone 'UTC');
  v_columns text := crm.given_columns(p_table);
  v_moved bigint;
begin
  -- `attach` adds the indexes: moving rows is five times as fast without them.
  execute format(
    'create table %s (like %s including all excluding indexes) with (fillfactor = %s)',
    v_partition, p_table, crm.partition_fillfactor(p_table)
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
  'returns how many. The caller has locked the table.';

create function crm.manage_partitions(
  p_table regclass, p_now timestamptz default now(), p_max_rows bigint default 100000, out made integer,
  out moved bigint, out dropped integer, out hindrance text
)
-- Security definer, so that a partition gets the owner of its table, whoever runs the job.
language plpgsql security definer set search_path = ''
-- While this function waits for its lock, everybody who uses the table waits behind it. The timeout is below
-- deadlock_timeout, so this function gives up before Postgres resolves a deadlock by an error in another transaction:
-- crm.emit would catch that error, and the event would be lost.
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
    -- Queue rows before deliveries, the order in which everybody locks them. The next run deletes rows that a
    -- dispatcher has locked now.
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
        -- Wait up to 5 s: the job index-texts holds this lock for some seconds while it reads events, and may start at
        -- the same moment as this job every time. No request waits behind this lock.
        perform set_config('lock_timeout', '5s', true);
        perform crm.lock_texts();
        perform set_config('lock_timeout', '200ms', true);
      end if;
      -- `attach` alone takes a weaker lock: a row being written into the default partition would then be refused once
      -- its day has a partition. `only`, because nobody locks another partition without locking the table. The default
      -- partition is locked too, because its bounds change and a vacuum may hold it.
      execute format('lock table only %s, %s in access exclusive mode', p_table, v_default);
      if v_is_missing then
        -- Computed again, because rows may have been written meanwhile.
        foreach v_day in array crm.missing_days(p_table, v_oldest, v_today) loop
          moved := moved + crm.make_partition(p_table, v_day);
          made := made + 1;
        end loop;
      end if;
      -- Dropping a partition blocks all requests, so each run drops ten at most.
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
  'Creates the missing partitions of a table up to a week ahead, moves their rows out of the default partition, drops '
  'partitions older than crm.kept_days (at most ten in each run), and deletes rows that old from the queue and the '
  'default partition. Gives up waiting for a lock after 200 ms and returns the reason in `hindrance`: the next run '
  'tries again. Moving rows blocks everybody (100,000 rows take about a second), so if the default partition has more '
  'than p_max_rows, nothing is moved and no partition is created. p_now replaces the current time.';

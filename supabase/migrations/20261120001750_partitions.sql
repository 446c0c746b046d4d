-- Partitions by day: events, deliveries and attempts are kept for 30 days, and what is older is dropped with its
-- partition, because deleting a day of many rows takes minutes. An id begins with the time of its event (UUIDv7), so a
-- day is a range of ids, and a statement that knows an id reaches one partition.

create function crm.uuid_v7_clock() returns uuid
language sql volatile
as $$
  select encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing substring(int8send(t.us / 1000) from 3) || int2send((28672 + t.us % 1000 * 4096 / 1000)::smallint)
      from 1 for 8
    ),
    'hex'
  )::uuid
  from (select floor(extract(epoch from clock_timestamp()) * 1000000)::bigint as us offset 0) t
$$;
comment on function crm.uuid_v7_clock() is
  'A UUIDv7 of this moment with microseconds (RFC 9562, 6.2, method 3), so that the ids that one transaction makes '
  'rise in the order in which it makes them.';

create function crm.partition_day(p_partition name) returns date
language sql immutable
set search_path = ''
as $$ select to_date(substring(p_partition from '_(\d{4}_\d\d_\d\d)$'), 'YYYY_MM_DD') $$;
comment on function crm.partition_day(name) is
  'The day in UTC whose rows a partition has; null for the default partition.';

create function crm.make_partition(p_table regclass, p_day date) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_table name := (select c.relname from pg_class c where c.oid = p_table);
  v_key name := (
    select a.attname from pg_partitioned_table t
    join pg_attribute a on a.attrelid = t.partrelid and a.attnum = t.partattrs[0]
    where t.partrelid = p_table
  );
  v_partition name := format('%s_%s', v_table, to_char(p_day, 'YYYY_MM_DD'));
  v_from uuid := crm.uuid_v7_floor(p_day::timestamp at time zone 'UTC');
  v_to uuid := crm.uuid_v7_floor((p_day + 1)::timestamp at time zone 'UTC');
begin
  if to_regclass(format('crm.%I', v_partition)) is not null then
    return false;
  end if;
  execute format('create table crm.%I (like %s including defaults including constraints)', v_partition, p_table);
  -- The default partition has rows of this day only if the job did not run for a week: they are moved.
  execute format('lock table crm.%I in access exclusive mode', v_table || '_default');
  execute format(
    'with moved as (delete from crm.%I where %I >= %L and %I < %L returning *) insert into crm.%I select * from moved',
    v_table || '_default', v_key, v_from, v_key, v_to, v_partition
  );
  execute format('alter table %s attach partition crm.%I for values from (%L) to (%L)', p_table, v_partition, v_from, v_to);
  call crm.protect(format('crm.%I', v_partition)::regclass);
  execute format('comment on table crm.%I is %L', v_partition, format('The rows of crm.%s of a day in UTC.', v_table));
  return true;
end
$$;
comment on function crm.make_partition(regclass, date) is
  'Makes the partition of a day (UTC) and moves its rows out of the default partition; false if it exists.';

create function crm.make_partitions(p_table regclass) returns void
language sql volatile
set search_path = ''
as $$
  -- A week ahead, so that no row goes to the default partition while the job cannot run.
  select crm.make_partition(p_table, (now() at time zone 'UTC')::date + n) from generate_series(-1, 7) n
$$;
comment on function crm.make_partitions(regclass) is
  'Makes the partitions of a table from yesterday to a week ahead.';

create function crm.manage_partitions() returns void
language plpgsql
set search_path = ''
as $$
declare
  v_partition record;
begin
  perform crm.make_partitions(t.name)
  from unnest(array['crm.events', 'crm.webhook_deliveries', 'crm.webhook_attempts']::regclass[]) t (name);

  -- A short wait: everybody who uses the table waits behind a drop that waits. The next run tries again.
  perform set_config('lock_timeout', '200ms', true);
  for v_partition in
    select c.oid::regclass as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('crm.events'::regclass, 'crm.webhook_deliveries'::regclass, 'crm.webhook_attempts'::regclass)
      and crm.partition_day(c.relname) + 1 <= ((now() - interval '30 days') at time zone 'UTC')::date
    order by i.inhparent, c.relname
  loop
    begin
      execute format('drop table %s', v_partition.name);
    exception when lock_not_available then
      raise log 'The partition % is in use and is dropped later', v_partition.name;
    end;
  end loop;

  delete from crm.webhook_queue q where q.delivery_id < crm.uuid_v7_floor(now() - interval '31 days');
end
$$;
comment on function crm.manage_partitions() is
  'Makes the partitions of the coming week, and drops those whose events are all older than 30 days, with their '
  'deliveries and attempts, those that wait included.';

-- Scheduled work: one table of jobs, run by pg_cron where there is one, else by the local stack's scheduler.

create table crm.jobs (
  name text primary key,
  every interval not null check (every >= interval '1 second'),
  command text not null,
  description text not null
);
comment on table crm.jobs is
  'What runs by itself: each command on its interval. pg_cron and the local scheduler run these same rows.';
alter table crm.jobs enable row level security;
alter table crm.jobs force row level security;

insert into crm.jobs (name, every, command, description) values
  ('webhook-dispatch', '10 seconds', 'select crm.poke_dispatcher()',
    'Wakes the dispatcher: the net under the poke that follows each request'),
  ('deals-stale', '1 hour', 'select crm.emit_stale_deals()', 'Emits deal.stale for deals without movement'),
  ('activities-overdue', '1 minute', 'select crm.emit_overdue_activities()',
    'Emits activity.overdue for activities past their due date'),
  ('purge-idempotency-keys', '1 day', $$delete from crm.idempotency_keys where created_at < now() - interval '24 hours'$$,
    'Forgets Idempotency-Keys after 24 hours'),
  ('purge-events', '1 day', 'select crm.purge_events()',
    'Forgets events and their deliveries after 30 days');

create function crm.cron_schedule(p_every interval) returns text
language sql stable
set search_path = ''
as $$
  select case
    -- pg_cron knows seconds since 1.5; before, a minute is the shortest.
    when p_every < interval '1 minute' and regexp_match(e.extversion, '^(\d+)\.(\d+)')::integer[] >= array[1, 5]
      then extract(epoch from p_every)::integer || ' seconds'
    when p_every < interval '1 hour' then '*/' || greatest(1, extract(epoch from p_every)::integer / 60) || ' * * * *'
    when p_every < interval '1 day' then '7 */' || extract(epoch from p_every)::integer / 3600 || ' * * *'
    else '17 3 * * *'
  end
  from pg_catalog.pg_extension e
  where e.extname = 'pg_cron'
$$;
comment on function crm.cron_schedule(interval) is 'An interval of crm.jobs in pg_cron''s words; null without pg_cron.';

create function crm.schedule_jobs() returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_job crm.jobs;
  v_count integer := 0;
begin
  if to_regnamespace('cron') is null then
    return 0;
  end if;
  for v_job in select * from crm.jobs order by name loop
    -- A job of the same name is replaced, so this may run any number of times.
    execute 'select cron.schedule($1, $2, $3)'
      using 'crm:' || v_job.name, crm.cron_schedule(v_job.every), v_job.command;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
comment on function crm.schedule_jobs() is
  'Puts every row of crm.jobs on pg_cron''s schedule; returns how many, 0 where there is no pg_cron. '
  'Call it after changing crm.jobs.';

do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
    perform crm.schedule_jobs();
  end if;
exception
  -- On a plain Postgres pg_cron may be on the disk without being loaded; the scheduler outside takes the jobs then.
  when others then
    raise notice 'pg_cron is not used: %', sqlerrm;
end
$$;

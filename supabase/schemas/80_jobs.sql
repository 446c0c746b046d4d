-- Jobs: a table of periodic tasks, run by pg_cron, or by the scheduler of the local stack.

create table crm.jobs (
  name text primary key,
  every interval not null check (every >= interval '1 second'),
  command text not null,
  description text not null
);
comment on table crm.jobs is
  'Periodic tasks. Each command runs at its interval. pg_cron and the local scheduler run the same rows.';
alter table crm.jobs enable row level security, force row level security;

insert into crm.jobs (name, every, command, description) values
  ('webhook-dispatch', '10 seconds', 'select crm.poke_dispatcher()',
    'Wakes the dispatcher for retries that are due within 15 seconds, for deliveries whose poke was lost, and for mails'),
  ('webhook-catch-up', '10 seconds', 'select crm.catch_up_subscriptions()',
    'Makes the deliveries of subscriptions that are behind, as far as the queue has room'),
  ('deals-stale', '1 hour', 'select crm.emit_stale_deals()', 'Emits deal.stale for deals without movement'),
  ('activities-overdue', '1 minute', 'select crm.emit_overdue_activities()',
    'Emits activity.overdue for activities past their due date'),
  ('index-texts', '10 seconds', 'select crm.index_texts()',
    'Stores the searched texts of changed records; until then, searches compare these records one by one'),
  ('run-operations', '5 seconds', 'select crm.run_operations()',
    'Takes the next steps of erasures and merges that are too large for one call'),
  ('count-calls', '1 minute', 'select crm.drain_calls()', 'Counts the calls of each key by hour'),
  ('purge-key-calls', '1 day', $$delete from crm.key_calls where hour < now() - interval '90 days'$$,
    'Deletes the counted calls of keys after 90 days'),
  -- Until then a call with such a secret gets revoked_api_key, afterwards the less clear invalid_api_key.
  ('purge-key-secrets', '1 day', $$delete from crm.key_secrets where expires_at < now() - interval '30 days'$$,
    'Deletes secrets of keys 30 days after a rotation ended them'),
  ('purge-rate-limits', '1 day', 'select crm.purge_rate_limits()',
    'Deletes the rate limits of callers that made no call for a day'),
  ('purge-idempotency-keys', '1 day',
    $$with cursors as (delete from crm.list_cursors where created_at < now() - interval '48 hours')
    delete from crm.idempotency_keys where created_at < now() - interval '24 hours'$$,
    'Deletes Idempotency-Keys after 24 hours, and the cursors of sorted lists'),
  ('purge-operations', '1 day',
    $$delete from crm.operations where state = 'done' and ended_at < now() - interval '90 days'$$,
    'Deletes finished operations 90 days after their end'),
  ('partition-events', '1 hour', $$select crm.manage_partitions('crm.events')$$,
    'Creates the partitions for the events of the coming week, and drops events after 90 days'),
  ('partition-deliveries', '1 hour', $$select crm.manage_partitions('crm.webhook_deliveries')$$,
    'Creates the partitions for the deliveries of the coming week, and drops deliveries after 30 days'),
  ('partition-attempts', '1 hour', $$select crm.manage_partitions('crm.webhook_attempts')$$,
    'Creates the partitions for the attempts of the coming week, and drops attempts after 30 days'),
  ('partition-requests', '1 hour', $$select crm.manage_partitions('crm.requests')$$,
    'Creates the partitions for the requests of the coming week, and drops requests after 7 days'),
  ('purge-cron-history', '1 day', 'select crm.purge_cron_history()',
    'Deletes the history that pg_cron keeps of these jobs after 7 days');

-- Create the partitions now, because pg_cron first runs an hourly job at 7 minutes past the hour (crm.cron_schedule).
select crm.manage_partitions(t.name)
from unnest(
  array['crm.events', 'crm.webhook_deliveries', 'crm.webhook_attempts', 'crm.requests']::regclass[]
) t (name);

create function crm.purge_cron_history() returns integer
language plpgsql set search_path = '' as $$
declare
  v_deleted integer;
begin
  if to_regclass('cron.job_run_details') is null then return 0; end if;
  -- Dynamic, because the schema cron may not exist.
  execute $sql$
    delete from cron.job_run_details d
    using cron.job j
    where j.jobid = d.jobid and j.jobname like 'crm:%'
      and coalesce(d.end_time, d.start_time) < now() - interval '7 days'
  $sql$;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
comment on function crm.purge_cron_history() is
  'Deletes pg_cron''s history of these jobs after 7 days, and returns the number of deleted runs. pg_cron itself '
  'deletes nothing, and adds 8,640 rows a day for a job that runs every 10 seconds.';

create function crm.cron_schedule(p_every interval) returns text
language sql stable set search_path = '' as $$
  select case
    -- pg_cron accepts seconds since version 1.5. Before 1.5, the shortest interval is a minute.
    when p_every < interval '1 minute' and regexp_match(e.extversion, '^(\d+)\.(\d+)')::integer[] >= array[1, 5]
      then extract(epoch from p_every)::integer || ' seconds'
    when p_every < interval '1 hour' then '*/' || greatest(1, extract(epoch from p_every)::integer / 60) || ' * * * *'
    when p_every < interval '1 day' then '7 */' || extract(epoch from p_every)::integer / 3600 || ' * * *'
    else '17 3 * * *'
  end
  from pg_catalog.pg_extension e
  where e.extname = 'pg_cron'
$$;
comment on function crm.cron_schedule(interval) is
  'Converts an interval of crm.jobs into a schedule of pg_cron; null without pg_cron.';

create function crm.schedule_jobs() returns integer
language plpgsql set search_path = '' as $$
declare
  v_job crm.jobs;
  v_count integer := 0;
begin
  if to_regnamespace('cron') is null then return 0; end if;
  for v_job in select * from crm.jobs order by name loop
    -- cron.schedule replaces a job of the same name, so this function may run repeatedly.
    execute 'select cron.schedule($1, $2, $3)'
      using 'crm:' || v_job.name, crm.cron_schedule(v_job.every), v_job.command;
    v_count := v_count + 1;
  end loop;
  if to_regproc('net.http_post') is null then
    raise warning 'pg_cron is enabled and pg_net is not: the job webhook-dispatch wakes no dispatcher, so webhooks are '
      'neither retried nor sent after a lost poke. Enable it: create extension pg_net with schema extensions';
  end if;
  return v_count;
end
$$;
comment on function crm.schedule_jobs() is
  'Schedules every row of crm.jobs with pg_cron and returns their number; 0 without pg_cron. Warns if pg_net is '
  'missing. Call it after changing crm.jobs.';

do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_net') then
    create extension if not exists pg_net with schema extensions;
  end if;
exception
  -- A plain Postgres may have pg_net installed without loading it. Then the local scheduler wakes the dispatcher.
  when others then
    raise notice 'pg_net is not used: %', sqlerrm;
end
$$;

do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
  end if;
exception
  -- A plain Postgres may have pg_cron installed without loading it. Then the local scheduler runs the jobs.
  when others then
    raise notice 'pg_cron is not used: %', sqlerrm;
end
$$;

-- Jobs (crm.jobs), for the operator alone, because they belong to no workspace.

create function app.job_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  perform crm.check_args(p_args, '{}');
  return (
    select coalesce(
      json_agg(
        json_build_object('name', j.name, 'every', j.every::text, 'description', j.description) order by j.name
      ),
      '[]'
    )
    from crm.jobs j
  );
end
$$;
comment on function app.job_list(jsonb) is
  'Lists the jobs, in order of name. `every` is an interval as Postgres writes it. Arguments: none. Codes: '
  'validation_error.';

create function app.job_run(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{name}');
  v_name text := v_args ->> 'name';
  v_command text;
  v_started_at timestamptz := clock_timestamp();
begin
  select j.command into v_command from crm.jobs j where j.name = v_name;
  if not found then
    perform crm.raise_code(
      'not_found', 'name', null, (select string_agg(format('"%s"', j.name), ', ' order by j.name) from crm.jobs j)
    );
  end if;
  -- Run as a job, because while a workspace moves, nodes.fence refuses the operator's writes but skips a job's rows.
  perform set_config('application_name', 'crm-job', true);
  begin
    execute v_command;
  exception when others then
    perform crm.raise_code('job_failed', 'name', 'A tarefa falhou', sqlerrm);
  end;
  return json_build_object(
    'name', v_name, 'duration_ms', round(extract(epoch from clock_timestamp() - v_started_at) * 1000)
  );
end
$$;
comment on function app.job_run(jsonb) is
  'Runs a job now, independently of its schedule. Returns name, duration_ms. Arguments: name. Codes: '
  'validation_error, not_found (its value lists the names), job_failed (its value is the reason).';

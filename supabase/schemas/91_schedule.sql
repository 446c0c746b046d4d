-- Schedules the jobs, in a migration and transaction of its own. Postgres tells pg_cron's worker about new jobs by
-- invalidation messages. The first migration sends thousands of messages, more than Postgres keeps for a worker that
-- reads once a second. Postgres then resets the worker's caches, after which pg_cron 1.4 does not reload its jobs and
-- runs none.
do $$
begin
  if to_regnamespace('cron') is not null then
    perform pg_sleep(2);
    perform crm.schedule_jobs();
  end if;
end
$$;

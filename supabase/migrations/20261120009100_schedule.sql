-- The schedule of the jobs, last and in its own transaction. Postgres tells pg_cron's worker of new jobs by
-- invalidation messages. The earlier migrations send thousands, more than Postgres keeps for a worker that looks once a
-- second. The worker is then told to forget everything, which pg_cron 1.4 does not take as news of its jobs, and it
-- runs none.
do $$
begin
  if to_regnamespace('cron') is not null then
    perform pg_sleep(2);
    perform crm.schedule_jobs();
  end if;
end
$$;

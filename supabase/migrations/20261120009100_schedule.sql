-- The schedule of the jobs, last and in a transaction of its own. pg_cron's worker learns of new jobs by an invalidation
-- message. The migrations before this one send thousands, more than Postgres keeps for a worker that looks once a second:
-- it is then told to forget everything, which pg_cron 1.4 does not take for news of its jobs, and it runs none of them.
do $$
begin
  if to_regnamespace('cron') is not null then
    perform pg_sleep(2);
    perform crm.schedule_jobs();
  end if;
end
$$;

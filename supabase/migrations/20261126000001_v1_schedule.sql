do $$
begin
  if to_regnamespace('cron') is not null then
    perform pg_sleep(2);
    perform crm.schedule_jobs();
  end if;
end
$$;

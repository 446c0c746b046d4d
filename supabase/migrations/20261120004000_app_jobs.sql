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
  'Lists the jobs by name; `every` is an interval in the format of Postgres. Arguments: none. Codes: '
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

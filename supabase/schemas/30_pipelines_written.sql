-- Written by deno task records.

create type api.stage as (
  id uuid, name text, position integer, type text, is_active boolean
);
comment on type api.stage is 'A step of a pipeline: its public fields, in order.';

create function crm.stage_json(t crm.stages) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.name, t.position, t.type, t.is_active
  )::api.stage)
$$;
comment on function crm.stage_json(crm.stages) is 'A row as public JSON, with the fields of api.stage.';

create type api.pipeline as (
  id uuid, workspace_id uuid, name text, is_default boolean, is_active boolean, created_at text, stages json
);
comment on type api.pipeline is 'A sales funnel with its stages: its public fields, in order.';

create function crm.pipeline_json(t crm.pipelines) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.is_default, t.is_active, crm.iso(t.created_at), crm.stages_of(t)
  )::api.pipeline)
$$;
comment on function crm.pipeline_json(crm.pipelines) is 'A row as public JSON, with the fields of api.pipeline.';

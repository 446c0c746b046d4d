-- Pipelines and their stages (spec 2.5): the API shows them, the operator manages them.

create table crm.pipelines (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  is_default boolean not null default false,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table crm.pipelines is
  'The sales funnels of a workspace. A deal whose call names no pipeline enters the default one.';
create unique index pipelines_one_default on crm.pipelines (workspace_id) where is_default;
call crm.protect('crm.pipelines');
create trigger touch before update on crm.pipelines for each row execute function crm.touch();

create table crm.stages (
  workspace_id uuid not null,
  pipeline_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  position integer not null,
  type text not null check (char_length(type) between 1 and 40),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, pipeline_id, id),
  unique (workspace_id, pipeline_id, position),
  foreign key (workspace_id, pipeline_id) references crm.pipelines (workspace_id, id)
);
comment on table crm.stages is
  'The steps of a pipeline, in order of position. A new deal starts in the first active one.';
comment on column crm.stages.type is
  'Known values: pre-venda, venda, won, lost (spec 2.5). Not an enum, because the application may add others.';
call crm.protect('crm.stages');
create trigger touch before update on crm.stages for each row execute function crm.touch();

-- written by deno task records: stage
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
-- end of what is written

create function crm.stages_of(p crm.pipelines) returns json
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(crm.stage_json(s) order by s.position), '[]')
    from crm.stages s
    where s.workspace_id = p.workspace_id and s.pipeline_id = p.id
  );
end
$$;
comment on function crm.stages_of(crm.pipelines) is 'The stages of a pipeline as JSON, in order (spec 2.5).';

-- written by deno task records: pipeline
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
-- end of what is written

create function api.pipeline_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return (
    select json_build_object('data', coalesce(json_agg(crm.pipeline_json(p) order by p.created_at, p.id), '[]'::json))
    from crm.pipelines p
    where p.workspace_id = crm.current_workspace_id() and p.is_active
  );
end
$$;
comment on function api.pipeline_list(jsonb) is 'Lists the active pipelines, oldest first (spec 4.4).';

create function crm.require_active_pipeline(p_id uuid) returns uuid
language plpgsql stable set search_path = '' as $$
begin
  if not exists (
    select from crm.pipelines p
    where p.workspace_id = crm.current_workspace_id() and p.id = p_id and p.is_active
  ) then
    perform api.fail('pipeline_not_found', array['pipeline_id']);
  end if;
  return p_id;
end
$$;
comment on function crm.require_active_pipeline(uuid) is
  'Returns the same id if it is an active pipeline; raises pipeline_not_found.';

create function crm.require_active_stage(p_pipeline_id uuid, p_id uuid) returns uuid
language plpgsql stable set search_path = '' as $$
begin
  if not exists (
    select from crm.stages s
    where s.workspace_id = crm.current_workspace_id() and s.pipeline_id = p_pipeline_id and s.id = p_id and s.is_active
  ) then
    perform api.fail('stage_not_found', array['stage_id']);
  end if;
  return p_id;
end
$$;
comment on function crm.require_active_stage(uuid, uuid) is
  'Returns the same id if it is an active stage of the pipeline; raises stage_not_found.';

create function crm.first_stage(p_pipeline_id uuid) returns uuid
language plpgsql stable set search_path = '' as $$
declare
  v_id uuid;
begin
  select s.id into v_id from crm.stages s
  where s.workspace_id = crm.current_workspace_id() and s.pipeline_id = p_pipeline_id and s.is_active
  order by s.position limit 1;
  if v_id is null then perform api.fail('pipeline_has_no_stage'); end if;
  return v_id;
end
$$;
comment on function crm.first_stage(uuid) is 'The first active stage of a pipeline; raises pipeline_has_no_stage.';

create function crm.stage_of_new_deal(p_pipeline_id uuid, p_stage_id uuid)
returns table (pipeline_id uuid, stage_id uuid)
language sql stable
-- Must stay one statement, so that Postgres inlines it.
as $$
  select p.id, (
    select s.id from crm.stages s
    where s.workspace_id = p.workspace_id and s.pipeline_id = p.id and s.id = coalesce(p_stage_id, s.id) and s.is_active
    order by s.position limit 1
  )
  from crm.pipelines p
  where p.workspace_id = crm.current_workspace_id() and p.is_active
    and case when p_pipeline_id is null then p.is_default else p.id = p_pipeline_id end
$$;
comment on function crm.stage_of_new_deal(uuid, uuid) is
  'The pipeline and stage of a new deal, both active: those named by the call, otherwise the default pipeline and its '
  'first stage. No row if there is no such pipeline, a null stage if there is no such stage (crm.choose_stage).';

create function crm.choose_stage(p_pipeline_id uuid, p_stage_id uuid, out pipeline_id uuid, out stage_id uuid)
language plpgsql stable set search_path = '' as $$
begin
  select s.pipeline_id, s.stage_id into choose_stage.pipeline_id, choose_stage.stage_id
  from crm.stage_of_new_deal(p_pipeline_id, p_stage_id) s;
  -- A null means that nothing was found: the called functions raise the reason.
  if pipeline_id is null then
    if p_pipeline_id is null then perform api.fail('no_default_pipeline'); end if;
    perform crm.require_active_pipeline(p_pipeline_id);
  end if;
  if stage_id is null then
    if p_stage_id is null then perform crm.first_stage(pipeline_id); end if;
    perform crm.require_active_stage(pipeline_id, p_stage_id);
  end if;
end
$$;
comment on function crm.choose_stage(uuid, uuid) is
  'The pipeline and stage of a new deal: those named by the call, otherwise the default pipeline and its first active '
  'stage. Raises pipeline_not_found, no_default_pipeline, stage_not_found, pipeline_has_no_stage (spec 4.1).';

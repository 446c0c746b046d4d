-- Pipelines and their stages (spec 2.5). Read through the API, managed by the operator.

create table crm.pipelines (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  name text not null check (char_length(name) between 1 and 255),
  is_default boolean not null default false,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table crm.pipelines is 'Sales funnels of a workspace; one of them is where a deal goes that names none.';
create unique index pipelines_one_default on crm.pipelines (workspace_id) where is_default;
call crm.protect('crm.pipelines');
grant select on crm.pipelines to crm_api;
create trigger touch before update on crm.pipelines for each row execute function crm.touch();

create table crm.stages (
  workspace_id uuid not null,
  pipeline_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  name text not null check (char_length(name) between 1 and 255),
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
comment on table crm.stages is 'Steps of a pipeline in order of position; the first active one is where a new deal starts.';
comment on column crm.stages.type is 'Values seen: pre-venda, venda, won, lost (spec 2.5). Not an enum: the application may add others.';
call crm.protect('crm.stages');
grant select on crm.stages to crm_api;
create trigger touch before update on crm.stages for each row execute function crm.touch();

create function crm.stage_json(s crm.stages) returns json
language sql stable
as $$
  select json_build_object(
    'id', s.id,
    'name', s.name,
    'position', s.position,
    'type', s.type,
    'is_active', s.is_active
  )
$$;
comment on function crm.stage_json(crm.stages) is 'Public JSON of a stage (spec 2.5).';

create function crm.pipeline_json(p crm.pipelines) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'id', p.id,
    'workspace_id', p.workspace_id,
    'name', p.name,
    'is_default', p.is_default,
    'is_active', p.is_active,
    'created_at', crm.iso(p.created_at),
    'stages', (
      select coalesce(json_agg(crm.stage_json(s) order by s.position), '[]'::json)
      from crm.stages s
      where s.workspace_id = p.workspace_id and s.pipeline_id = p.id
    )
  );
end
$$;
comment on function crm.pipeline_json(crm.pipelines) is 'Public JSON of a pipeline with its stages in order (spec 2.5).';

create function api.pipeline_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select json_build_object(
      'data', coalesce(json_agg(crm.pipeline_json(p) order by p.created_at, p.id), '[]'::json)
    )
    from crm.pipelines p
    where p.workspace_id = crm.current_workspace_id() and p.is_active
  );
end
$$;
comment on function api.pipeline_list(jsonb) is 'Active pipelines, oldest first (spec 4.4).';

create function crm.place(p_pipeline_id uuid, p_stage_id uuid, out pipeline_id uuid, out stage_id uuid)
language plpgsql stable
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
begin
  select p.id into pipeline_id from crm.pipelines p
  where p.workspace_id = v_workspace_id and p.is_active
    and case when p_pipeline_id is null then p.is_default else p.id = p_pipeline_id end;
  if not found and p_pipeline_id is null then
    perform api.fail('no_default_pipeline');
  elsif not found then
    perform api.fail('pipeline_not_found', array['pipeline_id']);
  end if;

  select s.id into stage_id from crm.stages s
  where s.workspace_id = v_workspace_id and s.pipeline_id = place.pipeline_id and s.is_active
    and (p_stage_id is null or s.id = p_stage_id)
  order by s.position
  limit 1;
  if not found and p_stage_id is null then
    perform api.fail('pipeline_has_no_stage');
  elsif not found then
    perform api.fail('stage_not_found', array['stage_id']);
  end if;
end
$$;
comment on function crm.place(uuid, uuid) is
  'Where a new deal goes: the default pipeline and its first active stage where the call names none. '
  'Raises pipeline_not_found, no_default_pipeline, stage_not_found, pipeline_has_no_stage (spec 4.1).';

-- Pipelines of a workspace and their stages (spec 2.5), for the operator.

create function crm.pipeline_row_json(p crm.pipelines) returns json
language sql stable as $$
  select json_build_object(
    'id', p.id, 'workspace_id', p.workspace_id, 'name', p.name, 'is_default', p.is_default, 'is_active', p.is_active
  )
$$;
comment on function crm.pipeline_row_json(crm.pipelines) is 'JSON of a pipeline without its stages, for the operator.';

create function crm.stage_row_json(s crm.stages) returns json
language sql stable as $$
  select json_build_object(
    'id', s.id, 'pipeline_id', s.pipeline_id, 'name', s.name, 'type', s.type, 'position', s.position,
    'is_active', s.is_active
  )
$$;
comment on function crm.stage_row_json(crm.stages) is 'JSON of a stage with its pipeline''s id, for the operator.';

create function crm.unset_default_pipeline(p_workspace_id uuid) returns void
language plpgsql set search_path = '' as $$
begin
  -- Without this lock, two simultaneous calls could each set a default pipeline, and the second would fail.
  perform from crm.workspaces w where w.id = p_workspace_id for no key update;
  update crm.pipelines p set is_default = false where p.workspace_id = p_workspace_id and p.is_default;
end
$$;
comment on function crm.unset_default_pipeline(uuid) is
  'Leaves a workspace without a default pipeline, so that another one can become the default in the same transaction.';

create function app.pipeline_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, name, stages}', '{is_default}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_is_default boolean := coalesce((v_args ->> 'is_default')::boolean, false);
  v_id uuid;
  v_stages json;
begin
  perform crm.require_workspace(v_workspace_id);
  if v_is_default then perform crm.unset_default_pipeline(v_workspace_id); end if;
  insert into crm.pipelines (workspace_id, name, is_default)
  values (v_workspace_id, v_args ->> 'name', v_is_default)
  returning id into v_id;

  with stage as (
    insert into crm.stages (workspace_id, pipeline_id, name, type, position)
    select v_workspace_id, v_id, s.value ->> 'name', s.value ->> 'type', s.position
    from jsonb_array_elements(v_args -> 'stages') with ordinality s (value, position)
    returning id, name, type, position
  )
  select coalesce(json_agg(stage order by stage.position), '[]') into v_stages from stage;
  return json_build_object('id', v_id, 'stages', v_stages);
end
$$;
comment on function app.pipeline_create(jsonb) is
  'Creates a pipeline with its stages, the first at position 1. With is_default it replaces the current default. '
  'Returns id, stages (id, name, type, position). Arguments: workspace_id, name, stages (each name, type), '
  'is_default. Codes: validation_error, not_found.';

create function app.pipeline_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{is_active, is_default}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_is_default boolean := (v_args ->> 'is_default')::boolean;
  v_pipeline crm.pipelines;
begin
  if not v_is_default then
    perform crm.raise_code('validation_error', 'is_default', 'Torne outro pipeline o padrão');
  end if;
  if v_is_default then perform crm.unset_default_pipeline(v_workspace_id); end if;
  update crm.pipelines p
  set
    is_active = coalesce((v_args ->> 'is_active')::boolean, p.is_active),
    is_default = coalesce(v_is_default, p.is_default)
  where p.workspace_id = v_workspace_id and p.id = (v_args ->> 'id')::uuid
  returning p.* into v_pipeline;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  return crm.pipeline_row_json(v_pipeline);
end
$$;
comment on function app.pipeline_update(jsonb) is
  'Deactivates a pipeline, activates it again, or makes it the default. No deal enters an inactive pipeline, even the '
  'default one. Returns the pipeline without its stages. Arguments: workspace_id, id, is_active, is_default (true '
  'alone). Codes: validation_error, not_found.';

create function app.pipeline_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  return (
    select coalesce(
      json_agg(
        crm.with_fields(
          crm.pipeline_row_json(p),
          json_build_object('stages', (
            select coalesce(json_agg(crm.stage_row_json(s) order by s.position), '[]')
            from crm.stages s
            where s.workspace_id = p.workspace_id and s.pipeline_id = p.id
          ))
        )
        order by p.id
      ),
      '[]'
    )
    from crm.pipelines p
    where p.workspace_id = v_workspace_id
  );
end
$$;
comment on function app.pipeline_list(jsonb) is
  'Lists every pipeline of a workspace with every stage, oldest pipeline first, including the inactive ones, which '
  'the API does not show, so that the operator can activate them again. Arguments: workspace_id. Codes: '
  'validation_error, not_found.';

create function app.stage_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, is_active}');
  v_stage crm.stages;
begin
  update crm.stages s
  set is_active = (v_args ->> 'is_active')::boolean
  where s.workspace_id = (v_args ->> 'workspace_id')::uuid and s.id = (v_args ->> 'id')::uuid
  returning s.* into v_stage;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  return crm.stage_row_json(v_stage);
end
$$;
comment on function app.stage_update(jsonb) is
  'Deactivates a stage, or activates it again: no deal enters an inactive stage. Returns the stage. Arguments: '
  'workspace_id, id, is_active. Codes: validation_error, not_found.';

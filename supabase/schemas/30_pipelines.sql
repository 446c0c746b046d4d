-- Pipelines, their stages (spec 2.5) and loss reasons: the API shows them, the operator manages them.

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
comment on table crm.pipelines is 'The sales funnels. A deal that names no pipeline enters the default pipeline.';
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
comment on table crm.stages is 'The steps of a pipeline. A new deal that names no stage enters the first active stage.';
comment on column crm.stages.type is
  'Known values: pre-venda, venda, won, lost (spec 2.5). Not an enum, because the application may add others.';
call crm.protect('crm.stages');
create trigger touch before update on crm.stages for each row execute function crm.touch();

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
  'Returns the id if it belongs to an active pipeline; otherwise raises pipeline_not_found.';

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
  'Returns the id if it belongs to an active stage of the pipeline; otherwise raises stage_not_found.';

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
  'The pipeline and stage of a new deal, both active. A null p_pipeline_id means the default pipeline, a null '
  'p_stage_id the first stage. Returns no row if there is no such pipeline, and a null stage_id if the pipeline has no '
  'such stage.';

create function crm.choose_stage(p_pipeline_id uuid, p_stage_id uuid, out pipeline_id uuid, out stage_id uuid)
language plpgsql stable set search_path = '' as $$
begin
  select s.pipeline_id, s.stage_id into choose_stage.pipeline_id, choose_stage.stage_id
  from crm.stage_of_new_deal(p_pipeline_id, p_stage_id) s;
  -- Null means not found. The functions below raise the code for the reason.
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
  'The pipeline and stage of a new deal, by crm.stage_of_new_deal. Raises pipeline_not_found, no_default_pipeline, '
  'stage_not_found, pipeline_has_no_stage (spec 4.1).';

-- Loss reasons: the operator manages them, and a lost deal may name one of them.

create table crm.loss_reasons (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table crm.loss_reasons is 'Why a workspace loses deals, in its own words.';
call crm.protect('crm.loss_reasons');
create trigger touch before update on crm.loss_reasons for each row execute function crm.touch();

-- GET /api-v1-workspace: one call returns everything that the users of an integration can choose from in a form.

create function api.workspace_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
begin
  return json_build_object(
    'id', v_workspace_id,
    'name', crm.own_key() #>> '{workspace,name}',
    'members', (
      select coalesce(json_agg(json_build_object(
        'id', m.id, 'name', m.name, 'email', m.email, 'role', m.role, 'is_active', m.is_active
      ) order by m.is_active desc, m.id), '[]')
      from (
        (select t.* from crm.members t where t.workspace_id = v_workspace_id and t.is_active)
        union all
        (
          select t.* from crm.members t where t.workspace_id = v_workspace_id and not t.is_active
          order by t.id desc limit 200
        )
      ) m
    ),
    'loss_reasons', (
      select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name) order by l.id), '[]')
      from crm.loss_reasons l
      where l.workspace_id = v_workspace_id and l.is_active
    ),
    'pipelines', (
      select coalesce(json_agg(json_build_object(
        'id', p.id,
        'name', p.name,
        'is_default', p.is_default,
        'stages', (
          select coalesce(
            json_agg(json_build_object('id', s.id, 'name', s.name, 'type', s.type) order by s.position), '[]'
          )
          from crm.stages s
          where s.workspace_id = v_workspace_id and s.pipeline_id = p.id and s.is_active
        )
      ) order by p.created_at, p.id), '[]')
      from crm.pipelines p
      where p.workspace_id = v_workspace_id and p.is_active
    ),
    'event_types', (select json_agg(e.event order by e.event) from crm.event_types e),
    'custom_fields', (
      select coalesce(json_agg(json_build_object(
        'object_type', f.object_type, 'key', f.key, 'label', f.label, 'type', f.type, 'choices', f.choices
      ) order by f.object_type, f.id), '[]')
      from crm.custom_fields f
      where f.workspace_id = v_workspace_id and f.archived_at is null
    )
  );
end
$$;
comment on function api.workspace_get(jsonb) is
  'Returns what calls can refer to in the caller''s workspace: active loss reasons, active pipelines with their active '
  'stages, event types, custom fields in use, all active members, and the newest 200 inactive members.';

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
  -- Without this lock, two simultaneous calls could each set a default pipeline, and the second call would fail.
  perform from crm.workspaces w where w.id = p_workspace_id for no key update;
  update crm.pipelines p set is_default = false where p.workspace_id = p_workspace_id and p.is_default;
end
$$;
comment on function crm.unset_default_pipeline(uuid) is
  'Leaves a workspace without a default pipeline, so that another pipeline can become the default in the same '
  'transaction.';

create function app.pipeline_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id, name, stages}', '{is_default}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_is_default boolean := coalesce((v_args ->> 'is_default')::boolean, false);
  v_id uuid;
  v_stages json;
begin
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
  'Creates a pipeline with its stages, the first at position 1. With is_default, the new pipeline replaces the current '
  'default. Returns id, stages (id, name, type, position). Arguments: workspace_id, name, stages (each name, type), '
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
  'Deactivates a pipeline, activates it again, or makes it the default. No deal enters an inactive pipeline, even if '
  'it is the default. Returns the pipeline without its stages. Arguments: workspace_id, id, is_active, is_default '
  '(only true). Codes: validation_error, not_found.';

create function app.pipeline_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
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
  'Lists every pipeline of a workspace with every stage, oldest pipeline first. Includes inactive pipelines and '
  'stages, so that the operator can activate them again. Arguments: workspace_id. Codes: validation_error, not_found.';

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
  'Deactivates a stage, or activates it again. No deal enters an inactive stage. Returns the stage. Arguments: '
  'workspace_id, id, is_active. Codes: validation_error, not_found.';

create function crm.loss_reason_json(r crm.loss_reasons) returns json
language sql stable as $$
  select json_build_object(
    'id', r.id, 'workspace_id', r.workspace_id, 'name', r.name, 'is_active', r.is_active,
    'created_at', crm.iso(r.created_at)
  )
$$;
comment on function crm.loss_reason_json(crm.loss_reasons) is 'JSON of a loss reason, for the operator.';

create function app.loss_reason_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id, name}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid;
begin
  insert into crm.loss_reasons (workspace_id, name)
  values (v_workspace_id, v_args ->> 'name')
  returning id into v_id;
  return json_build_object('id', v_id);
end
$$;
comment on function app.loss_reason_create(jsonb) is
  'Adds an active loss reason. Returns id. Arguments: workspace_id, name. Codes: validation_error, not_found.';

create function app.loss_reason_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, is_active}');
  v_reason crm.loss_reasons;
begin
  update crm.loss_reasons r
  set is_active = (v_args ->> 'is_active')::boolean
  where r.workspace_id = (v_args ->> 'workspace_id')::uuid and r.id = (v_args ->> 'id')::uuid
  returning r.* into v_reason;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  return crm.loss_reason_json(v_reason);
end
$$;
comment on function app.loss_reason_update(jsonb) is
  'Deactivates a loss reason, or activates it again. No deal can be lost for an inactive reason; deals that were lost '
  'for the reason keep it. Returns the loss reason. Arguments: workspace_id, id, is_active. Codes: validation_error, '
  'not_found.';

create function app.loss_reason_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  return (
    select coalesce(json_agg(crm.loss_reason_json(r) order by r.id), '[]')
    from crm.loss_reasons r
    where r.workspace_id = v_workspace_id
  );
end
$$;
comment on function app.loss_reason_list(jsonb) is
  'Lists all loss reasons, oldest first. Arguments: workspace_id. Codes: validation_error, not_found.';

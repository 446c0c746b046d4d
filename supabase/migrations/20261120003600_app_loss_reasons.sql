-- Loss reasons of a workspace, for the operator.

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
  v_args jsonb := crm.check_args(p_args, '{workspace_id, name}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid;
begin
  perform crm.require_workspace(v_workspace_id);
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
  'Deactivates a loss reason, or activates it again. No deal can be lost for an inactive reason; deals already lost '
  'for it keep it. Returns the loss reason. Arguments: workspace_id, id, is_active. Codes: validation_error, '
  'not_found.';

create function app.loss_reason_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  return (
    select coalesce(json_agg(crm.loss_reason_json(r) order by r.id), '[]')
    from crm.loss_reasons r
    where r.workspace_id = v_workspace_id
  );
end
$$;
comment on function app.loss_reason_list(jsonb) is
  'Lists the loss reasons of a workspace, oldest first, inactive ones included. Arguments: workspace_id. Codes: '
  'validation_error, not_found.';

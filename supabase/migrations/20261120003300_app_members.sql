-- Members of a workspace, for the operator.

create function crm.member_json(m crm.members) returns json
language sql stable
as $$
  select json_build_object(
    'id', m.id,
    'workspace_id', m.workspace_id,
    'name', m.name,
    'email', m.email,
    'role', m.role,
    'is_active', m.is_active,
    'created_at', crm.iso(m.created_at)
  )
$$;
comment on function crm.member_json(crm.members) is 'JSON of a member, for the operator.';

create function app.member_add(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, name, email, role}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  insert into crm.members (workspace_id, name, email, role)
  values (v_workspace_id, v_args ->> 'name', v_args ->> 'email', v_args ->> 'role')
  on conflict (workspace_id, lower(email)) do nothing
  returning id into v_id;
  if v_id is null then
    perform crm.raise_code('email_taken', 'email', 'O workspace já tem um membro com este e-mail');
  end if;
  return json_build_object('id', v_id);
end
$$;
comment on function app.member_add(jsonb) is
  'Adds an active member; the e-mail is unique in the workspace, in any case. Returns id. Arguments: workspace_id, '
  'name, email, role (admin, gestor, vendedor). Codes: validation_error, not_found, email_taken.';

create function app.member_update(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, is_active}');
  v_member crm.members;
  v_keys json;
  v_managers integer;
begin
  update crm.members m
  set is_active = (v_args ->> 'is_active')::boolean
  where m.workspace_id = (v_args ->> 'workspace_id')::uuid and m.id = (v_args ->> 'id')::uuid
  returning m.* into v_member;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  select coalesce(
    json_agg(
      json_build_object(
        'id', k.id, 'name', k.name, 'prefix', k.prefix, 'scopes', k.scopes, 'expires_at', crm.iso(k.expires_at)
      )
      order by k.id
    ),
    '[]'
  )
  into v_keys
  from crm.api_keys k
  where k.workspace_id = v_member.workspace_id and k.member_id = v_member.id
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
  select count(*) into v_managers from crm.members m
  where m.workspace_id = v_member.workspace_id and m.is_active and m.role in ('admin', 'gestor');
  return crm.with_fields(
    crm.member_json(v_member), json_build_object('working_keys', v_keys, 'active_managers', v_managers)
  );
end
$$;
comment on function app.member_update(jsonb) is
  'Deactivates a member, or activates it again. An inactive member owns no new records and authors no notes. Keys that '
  'the member created go on working (spec 5), and writing a note with them is no_author_available (spec 2.2). Returns '
  'the member, with working_keys (those neither revoked nor expired, oldest first) and active_managers, the number of '
  'active admins and gestores: without one, a lead that names no owner is owner_unresolved (spec 4.1) unless the '
  'creator of its key is active. Arguments: workspace_id, id, is_active. Codes: validation_error, not_found.';

create function app.member_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  return (
    select coalesce(json_agg(crm.member_json(m) order by m.id), '[]')
    from crm.members m
    where m.workspace_id = v_workspace_id
  );
end
$$;
comment on function app.member_list(jsonb) is
  'Lists the members of a workspace, oldest first, inactive ones included. Arguments: workspace_id. Codes: '
  'validation_error, not_found.';

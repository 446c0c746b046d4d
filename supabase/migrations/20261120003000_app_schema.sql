-- Schema app: the verbs of the operator (`deno task crm`) and of signed-in members.

create schema app;
comment on schema app is
  'Verbs of the operator and of members: app.<object>_<verb>(p_args jsonb) returns json. A verb raises its codes with '
  'crm.raise_code. Clients of the API cannot reach this schema: crm_api has no rights on it.';

create function crm.raise_code(
  p_code text, p_field text default null, p_message text default null, p_value text default null
) returns void
language plpgsql set search_path = '' as $$
begin
  raise exception using
    errcode = 'CRM00',
    message = p_code,
    detail = case
      when p_field is null then ''
      else json_build_array(json_build_object('field', p_field, 'message', p_message, 'value', p_value))::text
    end;
end
$$;
comment on function crm.raise_code(text, text, text, text) is
  'Raises a code from a verb of schema app, as api.fail does for schema api. Besides the field and its Portuguese '
  'message (null if the code is enough) it can carry a value for the caller''s own message, such as the id of the '
  'inactive subscription of a delivery.';

create function crm.require_workspace(p_workspace_id uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  if not exists (select from crm.workspaces w where w.id = p_workspace_id) then
    perform crm.raise_code('not_found', 'workspace_id');
  end if;
end
$$;
comment on function crm.require_workspace(uuid) is
  'Raises not_found if there is no such workspace, so that an empty list always means that the workspace exists.';

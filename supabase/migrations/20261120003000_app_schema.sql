-- Schema app: the operator's verbs, which `deno task crm` calls. A web application for signed-in members may call the
-- same verbs later.

create schema app;
comment on schema app is
  'The operator''s verbs: app.<object>_<verb>(p_args jsonb) returns json. A verb raises its codes with '
  'crm.raise_code. No client of the API reaches this schema: crm_api has no rights on it.';

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
      else json_build_array(
        json_build_object('field', p_field, 'message', p_message, 'value', p_value)
      )::text
    end;
end
$$;
comment on function crm.raise_code(text, text, text, text) is
  'Raises a code from a verb of schema app, as api.fail does for schema api. Besides the field and its Portuguese '
  'message (null if the code is enough) it can carry a value that the caller needs for its own message, such as the '
  'id of the inactive subscription that a delivery belongs to.';

create function crm.require_workspace(p_workspace_id uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  if not exists (select from crm.workspaces w where w.id = p_workspace_id) then
    perform crm.raise_code('not_found', 'workspace_id');
  end if;
end
$$;
comment on function crm.require_workspace(uuid) is
  'Raises not_found if there is no such workspace, so that an empty list always means an existing workspace.';

-- Schema app: the operator's verbs. deno task crm calls them now; a web application for signed-in members may call the
-- same ones later.

create schema app;
comment on schema app is
  'The operator''s verbs: app.<object>_<verb>(p_args jsonb) returns json. A verb raises a code with sqlstate CRM00, as '
  'the verbs of api do. No client of the API reaches this schema: crm_api has no rights on it.';

create function crm.fail_value(p_code text, p_field text, p_message text, p_value text) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception using
    errcode = 'CRM00',
    message = p_code,
    detail = json_build_array(
      json_build_object('field', p_field, 'message', p_message, 'value', p_value)
    )::text;
end
$$;
comment on function crm.fail_value(text, text, text, text) is
  'As api.fail, with a value that the caller cannot know and needs for its own words, such as the id of the inactive '
  'subscription that a delivery belongs to.';

create function crm.require_workspace(p_workspace_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from crm.workspaces w where w.id = p_workspace_id) then
    perform api.fail('not_found', 'workspace_id');
  end if;
end
$$;
comment on function crm.require_workspace(uuid) is
  'Raises not_found where there is no such workspace, so that an empty list always means an existing workspace.';

revoke execute on function crm.fail_value(text, text, text, text), crm.require_workspace(uuid) from public;

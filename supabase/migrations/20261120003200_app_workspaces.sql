-- Workspaces, for the operator.

create function crm.workspace_json(w crm.workspaces) returns json
language sql stable
as $$
  select json_build_object(
    'id', w.id,
    'name', w.name,
    'suspended', w.suspended,
    'public_api', w.public_api,
    'rate_limit_per_minute', w.rate_limit_per_minute,
    'stale_after_days', w.stale_after_days,
    'created_at', crm.iso(w.created_at)
  )
$$;
comment on function crm.workspace_json(crm.workspaces) is 'JSON of a workspace and its plan, for the operator.';

create function app.workspace_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{name}', '{member_name, member_email}');
  v_workspace_id uuid;
begin
  insert into crm.workspaces (name) values (v_args ->> 'name') returning id into v_workspace_id;
  return json_build_object(
    'id', v_workspace_id,
    'member_id', app.member_add(jsonb_build_object(
      'workspace_id', v_workspace_id,
      'name', coalesce(v_args ->> 'member_name', 'Administrador'),
      -- An address that cannot exist (RFC 2606): nobody can sign in as this member.
      'email', coalesce(v_args ->> 'member_email', 'admin@workspace.invalid'),
      'role', 'admin'
    )) -> 'id',
    'pipeline_id', app.pipeline_create(jsonb_build_object(
      'workspace_id', v_workspace_id,
      'name', 'Vendas',
      'is_default', true,
      'stages', '[
        {"name": "Prospecção", "type": "pre-venda"},
        {"name": "Proposta", "type": "venda"},
        {"name": "Ganho", "type": "won"},
        {"name": "Perdido", "type": "lost"}
      ]'::jsonb
    )) -> 'id'
  );
end
$$;
comment on function app.workspace_create(jsonb) is
  'Creates a workspace that is ready for its first lead: with an admin, and a default pipeline of four stages. '
  'The admin signs in with member_email; without one nobody can. Returns id, member_id, pipeline_id. Arguments: name, '
  'member_name, member_email. Codes: validation_error.';

create function app.workspace_update(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(
    p_args, '{workspace_id}', '{suspended, public_api, rate_limit_per_minute, stale_after_days}'
  );
  v_workspace crm.workspaces;
begin
  update crm.workspaces w
  set
    suspended = coalesce((v_args ->> 'suspended')::boolean, w.suspended),
    public_api = coalesce((v_args ->> 'public_api')::boolean, w.public_api),
    rate_limit_per_minute = coalesce((v_args ->> 'rate_limit_per_minute')::numeric::integer, w.rate_limit_per_minute),
    stale_after_days = coalesce((v_args ->> 'stale_after_days')::numeric::integer, w.stale_after_days)
  where w.id = (v_args ->> 'workspace_id')::uuid
  returning w.* into v_workspace;
  if not found then
    perform crm.raise_code('not_found', 'workspace_id');
  end if;
  return crm.workspace_json(v_workspace);
end
$$;
comment on function app.workspace_update(jsonb) is
  'Suspends a workspace or changes its plan; an absent argument changes nothing. For the operator alone, because no '
  'member may change the plan. Returns the workspace. Arguments: workspace_id, suspended, public_api, '
  'rate_limit_per_minute, stale_after_days. Codes: validation_error, not_found.';

create function app.workspace_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform crm.check_args(p_args, '{}');
  return (select coalesce(json_agg(crm.workspace_json(w) order by w.id), '[]') from crm.workspaces w);
end
$$;
comment on function app.workspace_list(jsonb) is
  'Lists every workspace, oldest first. For the operator alone, because it reaches all of them. Arguments: none. '
  'Codes: validation_error.';

create function app.workspace_find(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{object, id}');
  v_id uuid := (v_args ->> 'id')::uuid;
  v_workspace_id uuid;
begin
  case v_args ->> 'object'
    when 'member' then select t.workspace_id into v_workspace_id from crm.members t where t.id = v_id;
    when 'key' then select t.workspace_id into v_workspace_id from crm.api_keys t where t.id = v_id;
    when 'pipeline' then select t.workspace_id into v_workspace_id from crm.pipelines t where t.id = v_id;
    when 'stage' then select t.workspace_id into v_workspace_id from crm.stages t where t.id = v_id;
    when 'loss_reason' then select t.workspace_id into v_workspace_id from crm.loss_reasons t where t.id = v_id;
    when 'deal' then select t.workspace_id into v_workspace_id from crm.deals t where t.id = v_id;
    when 'proposal' then select t.workspace_id into v_workspace_id from crm.proposals t where t.id = v_id;
    when 'subscription' then
      select t.workspace_id into v_workspace_id from crm.webhook_subscriptions t where t.id = v_id;
    when 'delivery' then select t.workspace_id into v_workspace_id from crm.webhook_deliveries t where t.id = v_id;
  end case;
  if v_workspace_id is null then
    perform crm.raise_code('not_found', 'id');
  end if;
  return json_build_object('workspace_id', v_workspace_id);
end
$$;
comment on function app.workspace_find(jsonb) is
  'Finds the workspace that a record belongs to, so that the operator can name a record by its id alone. For the '
  'operator alone, because it reaches every workspace. No index serves it. Arguments: object (member, key, pipeline, '
  'stage, loss_reason, deal, proposal, subscription, delivery), id. Codes: validation_error, not_found.';

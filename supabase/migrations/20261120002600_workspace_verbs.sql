-- The workspace for integrations: everything that their forms let a user choose from, in one call.

create function crm.own_workspace_name() returns text
language plpgsql stable security definer set search_path = ''
as $$ begin return (select w.name from crm.workspaces w where w.id = crm.current_workspace_id()); end $$;
comment on function crm.own_workspace_name() is
  'The name of the caller''s workspace. Security definer, because crm_api cannot read the table, which also has the '
  'plan.';

create function api.workspace_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
begin
  return json_build_object(
    'id', v_workspace_id,
    'name', crm.own_workspace_name(),
    'members', (
      select coalesce(
        json_agg(
          json_build_object('id', m.id, 'name', m.name, 'email', m.email, 'role', m.role, 'is_active', m.is_active)
          order by m.is_active desc, m.id
        ),
        '[]'
      )
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
      select coalesce(
        json_agg(
          json_build_object(
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
          )
          order by p.created_at, p.id
        ),
        '[]'
      )
      from crm.pipelines p
      where p.workspace_id = v_workspace_id and p.is_active
    ),
    'event_types', (select json_agg(e.event order by e.event) from crm.event_types e)
  );
end
$$;
comment on function api.workspace_get(jsonb) is
  'Returns everything that a call may name in the caller''s workspace: active loss reasons, pipelines with their '
  'stages, event types, and the members, active ones first, then the newest 200 inactive ones.';

-- Workspaces, for the operator and for signed-in members.

create function crm.workspace_json(w crm.workspaces) returns json
language sql stable as $$
  select json_build_object(
    'id', w.id, 'name', w.name, 'suspended', w.suspended, 'public_api', w.public_api,
    'rate_limit_per_minute', w.rate_limit_per_minute, 'stale_after_days', w.stale_after_days,
    'time_zone', w.time_zone, 'refuses_undefined_fields', w.refuses_undefined_fields,
    'created_at', crm.iso(w.created_at)
  )
$$;
comment on function crm.workspace_json(crm.workspaces) is 'JSON of a workspace and its plan, for the operator.';

create function app.workspace_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{name}', '{member_name, member_email}');
  v_workspace_id uuid;
begin
  insert into crm.workspaces (name) values (v_args ->> 'name') returning id into v_workspace_id;
  return json_build_object(
    'id', v_workspace_id,
    'member_id', app.member_invite(jsonb_build_object(
      'workspace_id', v_workspace_id,
      'name', coalesce(v_args ->> 'member_name', 'Administrador'),
      -- An address that cannot exist (RFC 2606), so nobody can sign in as this member.
      'email', coalesce(v_args ->> 'member_email', 'admin@workspace.invalid'),
      'role', 'admin'
    )) -> 'id',
    'pipeline_id', app.pipeline_create(jsonb_build_object(
      'workspace_id', v_workspace_id,
      'name', 'Vendas',
      'is_default', true,
      'stages', '[
        {"name": "Prospecção", "type": "pre-venda"}, {"name": "Proposta", "type": "venda"},
        {"name": "Ganho", "type": "won"}, {"name": "Perdido", "type": "lost"}
      ]'::jsonb
    )) -> 'id'
  );
end
$$;
comment on function app.workspace_create(jsonb) is
  'Creates a workspace that is ready for its first lead, with an admin, and a default pipeline of four stages. The '
  'admin signs in with member_email. Without this argument nobody can sign in. Returns id, member_id, pipeline_id. '
  'Arguments: name, member_name, member_email. Codes: validation_error.';

create function crm.workspaces_of_current_user() returns json
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object('id', w.id, 'name', w.name, 'role', m.role) order by w.name, w.id), '[]')
    from crm.members m
    join crm.workspaces w on w.id = m.workspace_id
    where m.user_id = crm.current_user_id() and m.is_active
  );
end
$$;
comment on function crm.workspaces_of_current_user() is
  'The workspaces of the signed-in person, by name. Security definer, because row-level security shows a member one '
  'workspace only.';

create function crm.invitations_of_current_user() returns json
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', i.id, 'workspace_id', w.id, 'workspace_name', w.name, 'role', i.role, 'invited_at', crm.iso(i.invited_at)
    ) order by w.name, w.id), '[]')
    from crm.open_invitations(crm.current_user_id()) i
    join crm.workspaces w on w.id = i.workspace_id
  );
end
$$;
comment on function crm.invitations_of_current_user() is
  'The open invitations of the signed-in person, by the workspace''s name. Security definer, because row-level '
  'security shows a member one workspace only.';

create function app.workspace_choices(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  perform crm.check_args(p_args, '{}');
  return json_build_object(
    'data', crm.workspaces_of_current_user(), 'invitations', crm.invitations_of_current_user()
  );
end
$$;
comment on function app.workspace_choices(jsonb) is
  'Lists the workspaces of the signed-in person, so that later calls can name one of them, and the person''s open '
  'invitations. Both lists are empty for the operator. Arguments: none. Codes: validation_error.';

create function crm.answer_invitation(p_id uuid, p_accepts boolean) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id uuid := crm.current_user_id();
  v_member crm.members;
begin
  select i.* into v_member from crm.open_invitations(v_user_id) i where i.id = p_id;
  if found then
    update crm.members m set user_id = case when p_accepts then v_user_id end, is_active = p_accepts
    where m.workspace_id = v_member.workspace_id and m.id = p_id and m.is_active
      -- If two answers arrive at the same time, the second answer changes nothing.
      and m.user_id is not distinct from v_member.user_id;
  end if;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  insert into crm.audit_log (workspace_id, member_id, action, object_type, object_id, object_name)
  values (
    v_member.workspace_id, p_id, case when p_accepts then 'invitation_accepted' else 'invitation_declined' end,
    'member', p_id, v_member.name
  );
end
$$;
comment on function crm.answer_invitation(uuid, boolean) is
  'Links the signed-in person to the member of an open invitation, or deactivates that member. Raises not_found. '
  'Security definer, because members may not link people.';

create function app.invitation_accept(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  perform crm.answer_invitation((crm.check_args(p_args, '{id}') ->> 'id')::uuid, true);
  return app.workspace_choices('{}');
end
$$;
comment on function app.invitation_accept(jsonb) is
  'Makes the signed-in person the member whom an admin invited. Returns the result of workspace_choices. Arguments: '
  'id. Codes: validation_error, not_found.';

create function app.invitation_decline(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  perform crm.answer_invitation((crm.check_args(p_args, '{id}') ->> 'id')::uuid, false);
  return app.workspace_choices('{}');
end
$$;
comment on function app.invitation_decline(jsonb) is
  'Declines an invitation of the signed-in person: the member becomes inactive. Returns the result of '
  'workspace_choices. Arguments: id. Codes: validation_error, not_found.';

create function crm.workspace_usage(p_workspace_id uuid) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_zone text := crm.zone_of(p_workspace_id);
  v_today timestamptz := crm.day_start((now() at time zone v_zone)::date, v_zone);
  v_calls_today bigint;
  v_calls_7_days bigint;
begin
  -- Each count has a bound, so that it is fast in a workspace of any size.
  select coalesce(sum(c.calls) filter (where c.hour >= v_today), 0), coalesce(sum(c.calls), 0)
  into v_calls_today, v_calls_7_days
  from (
    select c.hour, c.calls from crm.key_calls c
    where c.workspace_id = p_workspace_id and c.hour >= v_today - interval '6 days'
    order by c.hour desc limit 20000
  ) c;
  return json_build_object(
    'calls_today', v_calls_today,
    'calls_7_days', v_calls_7_days,
    'active_keys', (
      select count(*) from (
        select from crm.api_keys k
        where k.workspace_id = p_workspace_id and k.revoked_at is null and k.client_id is null and crm.is_working(k)
        limit 5000
      ) k
    ),
    'active_webhooks', (
      select count(*) from (
        select from crm.webhook_subscriptions s where s.workspace_id = p_workspace_id and s.is_active limit 1000
      ) s
    ),
    'active_members', (
      select count(*) from (
        select from crm.members m where m.workspace_id = p_workspace_id and m.is_active limit 5000
      ) m
    ),
    'waiting_deliveries', (
      select count(*) from (select from crm.webhook_queue q where q.workspace_id = p_workspace_id limit 10000) q
    )
  );
end
$$;
comment on function crm.workspace_usage(uuid) is
  'The usage of a workspace: calls of all keys today and in 7 days (in the workspace''s time zone), working keys '
  '(counted up to 5,000), active webhooks (1,000), active members (5,000), and deliveries that wait for an attempt '
  '(10,000). Calls are counted in the newest 20,000 rows of crm.key_calls, up to a minute late.';

create function crm.workspace_overview(w crm.workspaces) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_member crm.members;
begin
  select m.* into v_member from crm.members m where m.workspace_id = w.id and m.id = crm.current_member_id();
  return crm.with_fields(crm.workspace_json(w), json_build_object(
    'member', case
      when v_member.id is not null then json_build_object(
        'id', v_member.id, 'name', v_member.name, 'email', v_member.email, 'role', v_member.role
      )
    end,
    'workspaces', crm.workspaces_of_current_user(),
    'usage', crm.workspace_usage(w.id),
    -- Show alerts and first steps only to callers whose role can act on them.
    'alerts', case when v_member.role = 'vendedor' then '[]' else crm.workspace_alerts(w) end,
    'first_steps', case when v_member.role = 'admin' then crm.workspace_first_steps(w) end
  ));
end
$$;
comment on function crm.workspace_overview(crm.workspaces) is
  'JSON of a workspace with its usage, the calling member (null for the operator), that person''s workspaces, alerts '
  '(an empty list for a vendedor), and first_steps (null unless the caller is an admin).';

create function app.workspace_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace crm.workspaces;
begin
  select w.* into v_workspace from crm.workspaces w where w.id = (v_args ->> 'workspace_id')::uuid;
  if not found then perform crm.raise_code('not_found', 'workspace_id'); end if;
  return crm.workspace_overview(v_workspace);
end
$$;
comment on function app.workspace_get(jsonb) is
  'Returns a workspace with its plan, its usage (calls_today, calls_7_days, active_keys, active_webhooks, '
  'active_members, waiting_deliveries), the calling member, that person''s workspaces, alerts and first_steps. '
  'Arguments: workspace_id. Codes: validation_error, not_found.';

create function app.workspace_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(
    p_args, '{workspace_id}', '{name, suspended, public_api, rate_limit_per_minute, stale_after_days, time_zone, refuses_undefined_fields}'
  );
  v_before crm.workspaces;
  v_after crm.workspaces;
  v_changes jsonb;
begin
  -- A member who could change the plan could lift a suspension.
  if crm.current_member_id() is not null and v_args ?| array['suspended', 'public_api', 'rate_limit_per_minute'] then
    perform crm.raise_code('validation_error', f, 'Só o operador do serviço muda o plano')
    from unnest(array['suspended', 'public_api', 'rate_limit_per_minute']) f
    where v_args ? f;
  end if;
  select w.* into v_before from crm.workspaces w where w.id = (v_args ->> 'workspace_id')::uuid for no key update;
  if not found then perform crm.raise_code('not_found', 'workspace_id'); end if;
  -- Changes to members take the same lock, so the caller may have lost the role while this call waited for it.
  perform crm.require_role_still(v_before.id, 'admin');
  v_changes := crm.describe_changes(to_jsonb(v_before), v_args - 'workspace_id');
  if v_changes = '{}' then return crm.workspace_overview(v_before); end if;
  update crm.workspaces w
  set
    name = coalesce(v_args ->> 'name', w.name),
    stale_after_days = coalesce((v_args ->> 'stale_after_days')::numeric::integer, w.stale_after_days),
    time_zone = coalesce(v_args ->> 'time_zone', w.time_zone),
    refuses_undefined_fields = coalesce((v_args ->> 'refuses_undefined_fields')::boolean, w.refuses_undefined_fields)
  where w.id = v_before.id
  returning w.* into v_after;
  -- A separate statement, because members may not write the columns of the plan.
  if v_args ?| array['suspended', 'public_api', 'rate_limit_per_minute'] then
    update crm.workspaces w
    set
      suspended = coalesce((v_args ->> 'suspended')::boolean, w.suspended),
      public_api = coalesce((v_args ->> 'public_api')::boolean, w.public_api),
      rate_limit_per_minute = coalesce((v_args ->> 'rate_limit_per_minute')::numeric::integer, w.rate_limit_per_minute)
    where w.id = v_before.id
    returning w.* into v_after;
  end if;
  perform crm.record_action(v_after.id, 'workspace_updated', 'workspace', v_after.id, v_after.name, v_changes);
  return crm.workspace_overview(v_after);
end
$$;
comment on function app.workspace_update(jsonb) is
  'Changes the name, settings or plan of a workspace; an absent argument changes nothing. Members may change name, '
  'stale_after_days, time_zone and refuses_undefined_fields only. Returns the workspace as workspace_get does. '
  'Arguments: workspace_id, name, suspended, public_api, rate_limit_per_minute, stale_after_days, time_zone, '
  'refuses_undefined_fields. Codes: validation_error, not_found, insufficient_role (for a member who is no longer an '
  'admin).';

create function app.workspace_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  perform crm.check_args(p_args, '{}');
  return (select coalesce(json_agg(crm.workspace_json(w) order by w.id), '[]') from crm.workspaces w);
end
$$;
comment on function app.workspace_list(jsonb) is
  'Lists every workspace, oldest first. For the operator alone. Arguments: none. Codes: validation_error.';

create function app.workspace_find(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{object, id}');
  v_workspace_id uuid;
begin
  execute format('select t.workspace_id from crm.%I t where t.id = $1', case v_args ->> 'object'
    when 'key' then 'api_keys'
    when 'subscription' then 'webhook_subscriptions'
    when 'delivery' then 'webhook_deliveries'
    else crm.table_of(v_args ->> 'object')
  end) into v_workspace_id using (v_args ->> 'id')::uuid;
  -- While a workspace moves, two nodes have the record, but only the node where the workspace lives has the workspace's
  -- row.
  if not exists (select from crm.workspaces w where w.id = v_workspace_id) then
    perform crm.raise_code('not_found', 'id');
  end if;
  return json_build_object('workspace_id', v_workspace_id);
end
$$;
comment on function app.workspace_find(jsonb) is
  'Finds the workspace of a record, so that the operator can name a record by its id alone. For the operator alone, '
  'because it reaches every workspace. May scan a whole table, because most tables have no index by id alone. '
  'Arguments: object (member, key, pipeline, stage, loss_reason, deal, proposal, subscription, delivery), id. Codes: '
  'validation_error, not_found.';

create function app.action_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}', '{cursor, limit}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_cursor uuid := coalesce((v_args ->> 'cursor')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_limit integer := coalesce((v_args ->> 'limit')::numeric::integer, 50);
  v_ids uuid[] := array(
    select l.id from crm.audit_log l
    where l.workspace_id = v_workspace_id and l.id < v_cursor
    order by l.id desc limit v_limit + 1
  );
begin
  return crm.page(
    (
      select array_agg(json_build_object(
        'id', l.id, 'at', crm.iso(l.created_at),
        'actor', case when m.id is not null then json_build_object('id', m.id, 'name', m.name) end,
        'action', l.action,
        'object', json_build_object(
          'type', l.object_type, 'id', l.object_id, 'name', coalesce(p.title, w.name, l.object_name)
        ),
        'details', l.details
      ) order by l.id desc)
      from crm.audit_log l
      left join crm.members m on m.workspace_id = l.workspace_id and m.id = l.member_id
      left join crm.proposals p
        on l.object_type = 'proposal' and p.workspace_id = l.workspace_id and p.id = l.object_id
      left join crm.webhook_subscriptions w
        on l.object_type = 'webhook' and w.workspace_id = l.workspace_id and w.id = l.object_id
      where l.workspace_id = v_workspace_id and l.id = any (v_ids[: v_limit])
    ),
    case when cardinality(v_ids) > v_limit then v_ids[v_limit] end
  );
end
$$;
comment on function app.action_list(jsonb) is
  'Lists the changes in a workspace''s audit log: data (id, at, actor, action, object, details), newest first, and '
  'meta (next_cursor, has_more). The actor is null for operator and dispatcher. Arguments: workspace_id, cursor '
  '(meta.next_cursor of the previous page), limit (50 if absent, 200 at most). Codes: validation_error, not_found.';

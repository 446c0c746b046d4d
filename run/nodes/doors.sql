-- The proxy's doors that are written by hand, because they combine the answers of several nodes. tools/nodes/ makes the
-- other doors.

create function nodes.refused(p_code text) returns api.reply
language sql stable set search_path = '' as $$
  select jsonb_populate_record(null::api.reply, jsonb_build_object(
    'error_code', p_code, 'replayed', false, 'found', false, 'events', false
  ))
$$;
comment on function nodes.refused(text) is 'An error with which the proxy itself answers a call.';

create function nodes.is_answer(p_state text, p_message text) returns boolean
language sql immutable set search_path = ''
as $$ select p_state = '57014' and p_message like '%REMOTE ERROR%' $$;
comment on function nodes.is_answer(text, text) is
  'Whether an error says that the node itself cancelled the statement, which shows that the node works. If only the '
  'proxy cancelled the statement, the node hangs.';

create function nodes.unanswered(p_node integer, p_state text, p_message text) returns api.reply
language plpgsql volatile set search_path = '' as $$
begin
  perform nodes.note_failure(p_node, p_state, p_message);
  return nodes.refused('service_unavailable');
end
$$;
comment on function nodes.unanswered(integer, text, text) is
  'Notes that a call to a node failed (nodes.note_failure), and returns the error service_unavailable.';

create function nodes.reachable() returns setof integer
language sql volatile set search_path = '' as $$
  select n from nodes.numbers() n where (nodes.may_call(n)).may order by random()
$$;
comment on function nodes.reachable() is
  'The nodes that may be called, in a random order, so that none is always asked last.';

create function nodes.parts(p_list json) returns table (node integer, list json)
language sql volatile set search_path = '' as $$
  select s.node, json_agg(e.value order by e.position)
  from json_array_elements(p_list) with ordinality e (value, position)
  left join nodes.slots s on s.slot = nodes.slot_of((e.value ->> 'workspace_id')::uuid)
  group by s.node
$$;
comment on function nodes.parts(json) is
  'Divides a list of objects with a workspace_id into one list for each node that has some of the workspaces. Objects '
  'with an unknown slot are in a list whose node is null. For that list PL/Proxy calls no node and raises an error.';

create function crm.next_delivery_due(p_within interval) returns double precision
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_node integer;
  v_least double precision;
begin
  for v_node in select n from nodes.reachable() n loop
    begin
      v_least := least(v_least, nodes.crm_next_delivery_due_at(v_node, p_within));
      perform nodes.note_answer(v_node);
    exception
      when others then perform nodes.note_failure(v_node, sqlstate, sqlerrm);
    end;
  end loop;
  return v_least;
end
$$;

create function crm.check_health() returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_node integer;
  v_health text := 'ok';
begin
  for v_node in select n from nodes.numbers() n loop
    begin
      perform nodes.route_to(v_node);
      if nodes.crm_check_health_at(v_node) <> 'ok' then v_health := 'degraded'; end if;
      perform nodes.note_answer(v_node);
    exception
      when others then
        perform nodes.note_failure(v_node, sqlstate, sqlerrm);
        v_health := 'degraded';
    end;
  end loop;
  return v_health;
end
$$;

-- Signed-in people: Supabase Auth is at node 0, so the proxy reads the person's data and sessions there, and passes
-- them along with a call to another node.

create function nodes.person_at(p_user_id uuid) returns jsonb
language plproxy volatile as $$
  cluster 'crm';
  run on 0;
  select nodes.person(p_user_id);
$$;

create function nodes.person_for(p_node integer, p_user_id uuid) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  v_route nodes.route;
  v_person jsonb;
begin
  if p_node = 0 then return null; end if;
  v_route := nodes.route_to(0);
  v_person := nodes.person_at(p_user_id);
  if v_route.is_retry then perform nodes.note_answer(0); end if;
  return v_person;
end
$$;
comment on function nodes.person_for(integer, uuid) is
  'What a node must know about a person, read at node 0 (nodes.person); null if p_node is 0. If this function fails, '
  'the caller notes the failure against node 0, because p_node was not called.';

create function nodes.call_member(
  p_node integer, p_person jsonb, p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text,
  p_args jsonb
) returns api.reply
language plpgsql volatile set search_path = '' as $$
begin
  if p_node = 0 then
    return nodes.app_call_at(0, p_user_id, p_session_id, p_workspace_id, p_role, p_verb, p_args);
  end if;
  return nodes.app_call_with_person(
    p_node, p_person, p_user_id, p_session_id, p_workspace_id, p_role, p_verb, p_args
  );
end
$$;
comment on function nodes.call_member(integer, jsonb, uuid, uuid, uuid, text, text, jsonb) is
  'Runs app.call on a node. p_person: what nodes.person_for returned. The caller runs nodes.person_for in a statement '
  'of its own, because PL/Proxy calls cannot be nested.';

create type nodes.answer as (node integer, reply api.reply);
comment on type nodes.answer is 'A node''s answer. reply is null if the node did not answer.';

create function nodes.ask_all(
  p_user_id uuid, p_session_id uuid, p_role text, p_verb text, p_args jsonb
) returns setof nodes.answer
language plpgsql volatile set search_path = '' as $$
declare
  v_node integer;
  -- The node to which the call is sent now. A failure is noted against it.
  v_called integer;
  v_person jsonb;
  v_answer nodes.answer;
begin
  for v_node in select n from nodes.numbers() n order by n loop
    v_answer := row(v_node, null);
    begin
      v_called := 0;
      v_person := coalesce(v_person, nodes.person_for(v_node, p_user_id));
      v_called := v_node;
      perform nodes.route_to(v_node);
      v_answer.reply := nodes.call_member(v_node, v_person, p_user_id, p_session_id, null, p_role, p_verb, p_args);
      perform nodes.note_answer(v_node);
    exception
      when others then perform nodes.note_failure(v_called, sqlstate, sqlerrm);
    end;
    return next v_answer;
    -- Every other node would also say that the session has ended.
    exit when (v_answer.reply).error_code = 'invalid_session';
  end loop;
end
$$;
comment on function nodes.ask_all(uuid, uuid, text, text, jsonb) is
  'The answers of all nodes to a call that names no workspace.';

create function nodes.best(p_answers nodes.answer[]) returns api.reply
language sql stable set search_path = '' as $$
  select coalesce(
    (
      select a.reply from unnest(p_answers) a
      where (a.reply).error_code is distinct from 'not_a_member' and a.reply is distinct from null
      order by (a.reply).error_code is null desc, (a.reply).error_code = 'not_found', a.node limit 1
    ),
    case when exists (select from unnest(p_answers) a where a.reply is not distinct from null)
      then nodes.refused('service_unavailable') end,
    (select a.reply from unnest(p_answers) a limit 1)
  )
$$;
comment on function nodes.best(nodes.answer[]) is
  'The answer of a node where the person is a member. If no node gives such an answer: service_unavailable if a node '
  'did not answer, because the person may be a member at that node; otherwise the first answer.';

create function nodes.with_choices(p_reply api.reply, p_answers nodes.answer[], p_fields text[]) returns api.reply
language plpgsql stable set search_path = '' as $$
declare
  v_body jsonb := p_reply.body;
  v_field text;
begin
  foreach v_field in array p_fields loop
    v_body := v_body || jsonb_build_object(case when v_body ? 'workspaces' then 'workspaces' else v_field end, (
      select coalesce(jsonb_agg(c order by coalesce(c ->> 'name', c ->> 'workspace_name'), c ->> 'id'), '[]')
      from unnest(p_answers) a, jsonb_array_elements((a.reply).body::jsonb -> v_field) c
      where (a.reply).error_code is null
    ));
  end loop;
  p_reply.body := v_body::text;
  return p_reply;
end
$$;
comment on function nodes.with_choices(api.reply, nodes.answer[], text[]) is
  'Fills the lists of a reply with the person''s workspaces and invitations from all answers. The workspaces of a node '
  'that did not answer are missing.';

create function nodes.call_any_workspace(
  p_user_id uuid, p_session_id uuid, p_verb text, p_args jsonb
) returns api.reply
language plpgsql volatile set search_path = '' as $$
declare
  v_answers nodes.answer[] := array(select a from nodes.ask_all(p_user_id, p_session_id, null, p_verb, p_args) a);
  v_reply api.reply := nodes.best(v_answers);
begin
  if v_reply.error_code is not null
    or p_verb is null or p_verb not in ('workspace_choices', 'invitation_accept', 'invitation_decline') then
    return v_reply;
  end if;
  if p_verb <> 'workspace_choices' then
    v_answers := array(select a from nodes.ask_all(p_user_id, p_session_id, null, 'workspace_choices', '{}') a);
  end if;
  return nodes.with_choices(v_reply, v_answers, '{data, invitations}');
end
$$;
comment on function nodes.call_any_workspace(uuid, uuid, text, jsonb) is
  'Runs a verb that requires no role. It runs at every node, because the person may be a member at several nodes. An '
  'invitation exists at one node only, and nodes.best prefers that node''s answer to the not_found of the others.';

create function nodes.only_node(p_user_id uuid, p_session_id uuid, p_role text, out node integer, out refusal api.reply)
language plpgsql volatile set search_path = '' as $$
declare
  -- Without arguments app.call only identifies the caller.
  v_answers nodes.answer[] := array(select a from nodes.ask_all(p_user_id, p_session_id, p_role, null, null) a);
  v_found integer[];
begin
  -- While a workspace moves, two nodes have the member, but the workspace lives at the node of its slot. The answer of
  -- the other node counts only if it is workspace_required, because the person then has another workspace at that node.
  v_answers := array(
    select row(
      a.node,
      case
        when (a.reply).error_code is distinct from 'workspace_required' and (a.reply).workspace_id is not null
          and not exists (
            select from nodes.slots s where s.slot = nodes.slot_of((a.reply).workspace_id) and s.node = a.node
          )
        then nodes.refused('not_a_member')
        else a.reply
      end
    )::nodes.answer
    from unnest(v_answers) a
  );
  v_found := array(
    select a.node from unnest(v_answers) a
    where (a.reply).workspace_id is not null and (a.reply).error_code is distinct from 'not_a_member'
  );
  if cardinality(v_found) = 1 then
    node := v_found[1];
  elsif cardinality(v_found) = 0 then
    refusal := nodes.best(v_answers);
  else
    select a.reply into refusal from unnest(v_answers) a where a.node = v_found[1];
    refusal.error_code := 'workspace_required';
  end if;
end
$$;
comment on function nodes.only_node(uuid, uuid, text) is
  'node: the node with the person''s only workspace. refusal: the answer to a person who has no workspace or several.';

create function app.call(
  p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text, p_args jsonb
) returns api.reply
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_route nodes.route;
  v_only record;
  -- The node to which the call is sent now. A failure is noted against it.
  v_called integer := 0;
  v_person jsonb;
  v_reply api.reply;
  -- Whether the verb is about the person and not about the workspace. If so, the workspace's node only admits the
  -- person, and all nodes run the verb.
  v_is_of_person boolean := p_args is not null
    and coalesce(p_verb in ('workspace_choices', 'invitation_accept', 'invitation_decline'), false);
begin
  if p_role is null and p_workspace_id is null then
    return nodes.call_any_workspace(p_user_id, p_session_id, p_verb, p_args);
  end if;
  if p_workspace_id is null then
    select * into v_only from nodes.only_node(p_user_id, p_session_id, p_role);
    if v_only.node is null then return v_only.refusal; end if;
    v_route := nodes.route_to(v_only.node);
  else
    v_route := nodes.route_of_slot(nodes.slot_of(p_workspace_id));
    -- If no node has the workspace, node 0 answers as a single database does for an unknown workspace.
    if v_route.node is null then v_route := nodes.route_to(0); end if;
  end if;
  v_person := nodes.person_for(v_route.node, p_user_id);
  v_called := v_route.node;
  v_reply := nodes.call_member(
    v_route.node, v_person, p_user_id, p_session_id, p_workspace_id, p_role,
    case when not v_is_of_person then p_verb end, case when not v_is_of_person then p_args end
  );
  if v_route.is_retry then perform nodes.note_answer(v_route.node); end if;
  if v_reply.error_code is not null or p_args is null then return v_reply; end if;
  if v_is_of_person then
    return nodes.call_any_workspace(p_user_id, p_session_id, p_verb, p_args);
  elsif p_verb in ('workspace_get', 'workspace_update') then
    return nodes.with_choices(
      v_reply, array(select a from nodes.ask_all(p_user_id, p_session_id, null, 'workspace_choices', '{}') a), '{data}'
    );
  end if;
  return v_reply;
exception
  when query_canceled or internal_error or connection_exception or lock_not_available or admin_shutdown
    or crash_shutdown or cannot_connect_now then
    if nodes.is_answer(sqlstate, sqlerrm) then raise; end if;
    return nodes.unanswered(v_called, sqlstate, sqlerrm);
end
$$;

create function api.call_by_grant(
  p_user_id uuid, p_session_id uuid, p_client_id uuid, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text,
  p_request_hash bytea
) returns api.reply
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_node integer;
  -- The node to which the call is sent now. A failure is noted against it.
  v_called integer;
  v_person jsonb;
  v_reply api.reply;
  v_refusal api.reply;
begin
  -- The token names no workspace, so ask the nodes in turn. A node without the grant runs no verb.
  for v_node in select n from nodes.numbers() n order by n loop
    begin
      v_called := 0;
      v_person := coalesce(v_person, nodes.person_for(v_node, p_user_id));
      v_called := v_node;
      perform nodes.route_to(v_node);
      if v_node = 0 then
        v_reply := nodes.api_call_by_grant_at(
          0, p_user_id, p_session_id, p_client_id, p_scope, p_verb, p_args, p_idempotency_key, p_request_hash
        );
      else
        v_reply := nodes.api_call_by_grant_with_person(
          v_node, v_person, p_user_id, p_session_id, p_client_id, p_scope, p_verb, p_args, p_idempotency_key,
          p_request_hash
        );
      end if;
      perform nodes.note_answer(v_node);
    exception
      when internal_error or connection_exception or lock_not_available or admin_shutdown or crash_shutdown
        or cannot_connect_now then
        v_reply := nodes.unanswered(v_called, sqlstate, sqlerrm);
    end;
    if v_reply.error_code is null
      or v_reply.error_code not in ('invalid_api_key', 'revoked_api_key', 'service_unavailable') then
      return v_reply;
    end if;
    -- Ask the next node, because the person may have a grant there, even if a grant at this node was revoked.
    if v_refusal is null or v_refusal.error_code = 'invalid_api_key' then v_refusal := v_reply; end if;
  end loop;
  return v_refusal;
end
$$;

grant execute on all functions in schema api, app, crm to crm_functions;

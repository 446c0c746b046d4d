-- Written by deno task nodes.

create type api.reply as (
  error_code text, details json, body text, replayed boolean, found boolean, events boolean, caller_id uuid,
  workspace_id uuid, rate_limit integer, rate_remaining integer, rate_reset integer
);

create function nodes.api_call_at(p_node integer, p_key_hash bytea, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea, p_address text)
returns api.reply
language plproxy volatile as $$
  cluster 'crm';
  run on p_node;
  select * from api.call(p_key_hash, p_scope, p_verb, p_args, p_idempotency_key, p_request_hash, p_address);
$$;

create function api.call(p_key_hash bytea, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea, p_address text default null) returns api.reply
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_route nodes.route;
  -- Usually this look-up is enough. It costs a third of nodes.route_of.
  v_node integer := (
    select s.node from nodes.slots s
    where s.slot = encode(substring(p_key_hash from 33), 'escape') and not s.paused
      and not exists (select from nodes.failures f where f.node = s.node)
  );
  v_reply api.reply;
begin
  if v_node is not null then return nodes.api_call_at(v_node, p_key_hash, p_scope, p_verb, p_args, p_idempotency_key, p_request_hash, p_address); end if;
  v_route := nodes.route_of(p_key_hash);
  v_node := v_route.node;
  if v_node is null then return nodes.refused('invalid_api_key'); end if;
  v_reply := nodes.api_call_at(v_node, p_key_hash, p_scope, p_verb, p_args, p_idempotency_key, p_request_hash, p_address);
  if v_route.is_retry then perform nodes.note_answer(v_node); end if;
  return v_reply;
exception
  when query_canceled or internal_error or connection_exception or lock_not_available or admin_shutdown
    or crash_shutdown or cannot_connect_now then
    if nodes.is_answer(sqlstate, sqlerrm) then raise; end if;
    return nodes.unanswered(v_node, sqlstate, sqlerrm);
end
$$;

create function nodes.api_call_by_grant_at(p_node integer, p_user_id uuid, p_session_id uuid, p_client_id uuid, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea)
returns api.reply
language plproxy volatile as $$
  cluster 'crm';
  run on p_node;
  select * from api.call_by_grant(p_user_id, p_session_id, p_client_id, p_scope, p_verb, p_args, p_idempotency_key, p_request_hash);
$$;

create function nodes.api_call_by_grant_with_person(p_node integer, p_person jsonb, p_user_id uuid, p_session_id uuid, p_client_id uuid, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea)
returns api.reply
language plproxy volatile as $$
  cluster 'crm';
  run on p_node;
  select r.* from nodes.take_person(p_user_id, p_person), lateral api.call_by_grant(p_user_id, p_session_id, p_client_id, p_scope, p_verb, p_args, p_idempotency_key, p_request_hash) r;
$$;

create function nodes.api_call_by_link_at(p_node integer, p_token_hash bytea, p_verb text, p_args jsonb)
returns api.reply
language plproxy volatile as $$
  cluster 'crm';
  run on p_node;
  select * from api.call_by_link(p_token_hash, p_verb, p_args);
$$;

create function api.call_by_link(p_token_hash bytea, p_verb text, p_args jsonb) returns api.reply
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_route nodes.route;
  -- Usually this look-up is enough. It costs a third of nodes.route_of.
  v_node integer := (
    select s.node from nodes.slots s
    where s.slot = encode(substring(p_token_hash from 33), 'escape') and not s.paused
      and not exists (select from nodes.failures f where f.node = s.node)
  );
  v_reply api.reply;
begin
  if v_node is not null then return nodes.api_call_by_link_at(v_node, p_token_hash, p_verb, p_args); end if;
  v_route := nodes.route_of(p_token_hash);
  v_node := v_route.node;
  if v_node is null then return nodes.refused('not_found'); end if;
  v_reply := nodes.api_call_by_link_at(v_node, p_token_hash, p_verb, p_args);
  if v_route.is_retry then perform nodes.note_answer(v_node); end if;
  return v_reply;
exception
  when query_canceled or internal_error or connection_exception or lock_not_available or admin_shutdown
    or crash_shutdown or cannot_connect_now then
    if nodes.is_answer(sqlstate, sqlerrm) then raise; end if;
    return nodes.unanswered(v_node, sqlstate, sqlerrm);
end
$$;

create function nodes.app_call_at(p_node integer, p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text, p_args jsonb)
returns api.reply
language plproxy volatile as $$
  cluster 'crm';
  run on p_node;
  select * from app.call(p_user_id, p_session_id, p_workspace_id, p_role, p_verb, p_args);
$$;

create function nodes.app_call_with_person(p_node integer, p_person jsonb, p_user_id uuid, p_session_id uuid, p_workspace_id uuid, p_role text, p_verb text, p_args jsonb)
returns api.reply
language plproxy volatile as $$
  cluster 'crm';
  run on p_node;
  select r.* from nodes.take_person(p_user_id, p_person), lateral app.call(p_user_id, p_session_id, p_workspace_id, p_role, p_verb, p_args) r;
$$;

create function nodes.crm_check_health_at(p_node integer)
returns text
language plproxy volatile as $$
  cluster 'crm_each';
  run on p_node;
  select * from crm.check_health();
$$;

create function nodes.crm_delivery_claim_at(p_node integer, p_batch integer)
returns table (
  claimed_at double precision, workspace_id uuid, subscription_id uuid, delivery_id uuid, event_id uuid,
  lease_token bigint, event text, target_url text, secret bytea, next_secret bytea, body text,
  header_name text, header_value bytea
)
language plproxy volatile as $$
  cluster 'crm_each';
  run on p_node;
  select * from crm.delivery_claim(p_batch);
$$;

create function crm.delivery_claim(p_batch integer) returns table (
  claimed_at double precision, workspace_id uuid, subscription_id uuid, delivery_id uuid, event_id uuid,
  lease_token bigint, event text, target_url text, secret bytea, next_secret bytea, body text,
  header_name text, header_value bytea
)
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_column
declare
  v_node integer;
  v_left integer := p_batch;
  v_count integer;
begin
  for v_node in select n from nodes.reachable() n loop
    exit when v_left <= 0;
    begin
      return query select * from nodes.crm_delivery_claim_at(v_node, v_left);
      get diagnostics v_count = row_count;
      v_left := v_left - v_count;
      perform nodes.note_answer(v_node);
    exception
      when others then perform nodes.note_failure(v_node, sqlstate, sqlerrm);
    end;
  end loop;
end
$$;

create function nodes.crm_delivery_record_at(p_node integer, p_outcomes json)
returns table (lease_token bigint, attempt integer, state text, deactivated boolean)
language plproxy volatile as $$
  cluster 'crm_each';
  run on p_node;
  select * from crm.delivery_record(p_outcomes);
$$;

create function crm.delivery_record(p_outcomes json) returns table (lease_token bigint, attempt integer, state text, deactivated boolean)
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_column
declare
  v_part record;
  v_failure text;
begin
  for v_part in select * from nodes.parts(p_outcomes) p loop
    begin
      return query select * from nodes.crm_delivery_record_at(v_part.node, v_part.list);
    exception
      when others then
        perform nodes.note_failure(v_part.node, sqlstate, sqlerrm);
        v_failure := format(
          '%s has recorded nothing: %s (%s)', coalesce('Node ' || v_part.node, 'An unknown node'), sqlerrm, sqlstate
        );
    end;
  end loop;
  -- Raised after all other nodes have recorded their outcomes. The caller may send the whole list again, because a node
  -- that has recorded an outcome changes nothing.
  if v_failure is not null then raise exception using errcode = '08006', message = v_failure; end if;
end
$$;

create function nodes.crm_log_requests_at(p_node integer, p_entries json)
returns void
language plproxy volatile as $$
  cluster 'crm_each';
  run on p_node;
  select * from crm.log_requests(p_entries);
$$;

create function crm.log_requests(p_entries json) returns void
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_column
declare
  v_part record;
  v_failure text;
begin
  for v_part in select * from nodes.parts(p_entries) p loop
    begin
      perform nodes.crm_log_requests_at(v_part.node, v_part.list);
    exception
      when others then
        perform nodes.note_failure(v_part.node, sqlstate, sqlerrm);
        v_failure := format(
          '%s has recorded nothing: %s (%s)', coalesce('Node ' || v_part.node, 'An unknown node'), sqlerrm, sqlstate
        );
    end;
  end loop;
  -- Raised after all other nodes have recorded their outcomes. The caller may send the whole list again, because a node
  -- that has recorded an outcome changes nothing.
  if v_failure is not null then raise exception using errcode = '08006', message = v_failure; end if;
end
$$;

create function nodes.crm_next_delivery_due_at(p_node integer, p_within interval)
returns double precision
language plproxy volatile as $$
  cluster 'crm_each';
  run on p_node;
  select * from crm.next_delivery_due(p_within);
$$;

create function nodes.crm_notice_claim_at(p_node integer)
returns table (
  workspace_id uuid, subscription_id uuid, claim text, deactivated_at double precision, workspace_name text,
  time_zone text, target_url text, last_status integer, last_reason text, recipients text[]
)
language plproxy volatile as $$
  cluster 'crm_each';
  run on p_node;
  select * from crm.notice_claim();
$$;

create function crm.notice_claim() returns table (
  workspace_id uuid, subscription_id uuid, claim text, deactivated_at double precision, workspace_name text,
  time_zone text, target_url text, last_status integer, last_reason text, recipients text[]
)
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_column
declare
  v_node integer;
begin
  for v_node in select n from nodes.reachable() n loop
    begin
      return query select * from nodes.crm_notice_claim_at(v_node);
      perform nodes.note_answer(v_node);
    exception
      when others then perform nodes.note_failure(v_node, sqlstate, sqlerrm);
    end;
  end loop;
end
$$;

create function nodes.crm_notice_sent_at(p_node integer, p_workspace_id uuid, p_subscription_id uuid, p_claim text)
returns void
language plproxy volatile as $$
  cluster 'crm_each';
  run on p_node;
  select * from crm.notice_sent(p_workspace_id, p_subscription_id, p_claim);
$$;

create function crm.notice_sent(p_workspace_id uuid, p_subscription_id uuid, p_claim text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_node integer := nodes.node_of_workspace(p_workspace_id);
begin
  if v_node is not null then perform nodes.crm_notice_sent_at(v_node, p_workspace_id, p_subscription_id, p_claim); end if;
end
$$;

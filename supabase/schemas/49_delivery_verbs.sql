-- Webhook deliveries of a workspace (spec 6.5), for the operator and signed-in members.

create function app.delivery_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}', '{subscription_id, state, event, since, until, cursor, limit}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_subscription_id uuid := (v_args ->> 'subscription_id')::uuid;
begin
  perform crm.require_workspace(v_args);
  if v_subscription_id is not null and not exists (
    select from crm.webhook_subscriptions s where s.workspace_id = v_workspace_id and s.id = v_subscription_id
  ) then
    perform crm.raise_code('not_found', 'subscription_id');
  end if;
  return crm.delivery_page(v_workspace_id, v_subscription_id, v_args);
end
$$;
comment on function app.delivery_list(jsonb) is
  'Lists deliveries of a workspace or of one subscription, newest event first (spec 6.5): data, and meta with '
  'next_cursor and has_more. last_status, last_reason and last_duration_ms describe the last attempt. next_attempt_at '
  'is null if there is no next attempt. Arguments: workspace_id, subscription_id, state, event, since, until, cursor, '
  'limit (50 if absent). Codes: validation_error, not_found.';

create function app.delivery_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_detail json := crm.delivery_detail((v_args ->> 'workspace_id')::uuid, (v_args ->> 'id')::uuid);
begin
  if v_detail is null then perform crm.raise_code('not_found', 'id'); end if;
  return v_detail;
end
$$;
comment on function app.delivery_get(jsonb) is
  'Returns a delivery with its attempts, and the body and headers that an attempt would send now '
  '(crm.delivery_detail). A delivery whose event was dropped is not_found. Arguments: workspace_id, id. Codes: '
  'validation_error, not_found.';

create function app.delivery_retry(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_ids uuid[] := array(
    select q.delivery_id from crm.webhook_queue q
    where q.workspace_id = v_workspace_id and q.state in ('waiting', 'held') and q.due_at > statement_timestamp()
    for update skip locked
  );
begin
  update crm.webhook_deliveries d
  set next_attempt_at = statement_timestamp()
  where d.workspace_id = v_workspace_id and d.id = any (v_ids) and d.state = 'pending';
  perform crm.poke_dispatcher();
  return json_build_object('retried', cardinality(v_ids));
end
$$;
comment on function app.delivery_retry(jsonb) is
  'Makes the waiting deliveries of a workspace due now, except locked ones, and pokes the dispatcher. Deliveries of an '
  'inactive subscription still wait until it is reactivated. Returns retried, the number of deliveries that were '
  'waiting. Arguments: workspace_id. Codes: validation_error, not_found.';

create function app.delivery_redeliver(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_delivery crm.webhook_deliveries;
  v_event crm.event_type;
begin
  select d.* into v_delivery from crm.webhook_deliveries d
  where d.workspace_id = v_workspace_id and d.id = (v_args ->> 'id')::uuid;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  select e.event into v_event from crm.events e
  where e.workspace_id = v_workspace_id and e.id = v_delivery.event_id;
  -- Events are kept longer than deliveries, so an event is missing only if the job partition-deliveries did not run for
  -- weeks.
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  perform crm.require_active_subscription(v_workspace_id, v_delivery.subscription_id);
  perform crm.redeliver(v_workspace_id, v_delivery.subscription_id, array[v_delivery.id]);
  perform crm.record_action(
    v_workspace_id, 'delivery_redelivered', 'delivery', v_delivery.id, v_event::text,
    jsonb_build_object('subscription_id', v_delivery.subscription_id)
  );
  perform crm.poke_dispatcher();
  return crm.with_fields(
    crm.delivery_summary(v_workspace_id, v_delivery.id), json_build_object('held', crm.holds_webhooks(v_workspace_id))
  );
end
$$;
comment on function app.delivery_redeliver(jsonb) is
  'Sends a delivery now, under the same id. An ended delivery gets five new attempts. A waiting delivery gets no '
  'additional attempts. Returns the delivery as delivery_list does, with held: whether it waits because the workspace '
  'is suspended or has no public API. Arguments: workspace_id, id. Codes: validation_error, not_found, '
  'subscription_inactive, queue_full.';

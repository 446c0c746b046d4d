-- Webhook deliveries of a workspace (spec 6.5), for the operator.

create function app.delivery_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  return (
    select coalesce(
      json_agg(
        json_build_object(
          'id', d.id,
          'subscription_id', d.subscription_id,
          'target_url', d.target_url,
          'event', d.event,
          'state', d.state,
          'attempts', d.attempts,
          'last_status', d.last_status,
          'last_reason', d.last_reason,
          'last_attempt_at', crm.iso(d.last_attempt_at),
          'next_attempt_at', crm.iso(d.next_attempt_at),
          'created_at', crm.iso(d.created_at)
        )
        order by d.id desc
      ),
      '[]'
    )
    from crm.recent_deliveries(v_workspace_id) d
  );
end
$$;
comment on function app.delivery_list(jsonb) is
  'Lists the last 50 deliveries of a workspace, newest first (spec 6.5). last_status and last_reason are those of '
  'the last attempt; next_attempt_at is null if there is no next one. Arguments: workspace_id. Codes: '
  'validation_error, not_found.';

create function app.delivery_retry(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_retried bigint;
begin
  perform crm.require_workspace(v_workspace_id);
  v_retried := crm.retry_deliveries(v_workspace_id);
  perform crm.poke_dispatcher();
  return json_build_object('retried', v_retried);
end
$$;
comment on function app.delivery_retry(jsonb) is
  'Makes the waiting deliveries of a workspace due now and pokes the dispatcher; those of an inactive subscription '
  'wait until it is reactivated. Returns retried, the number of deliveries that were waiting. Arguments: '
  'workspace_id. Codes: validation_error, not_found.';

create function app.delivery_redeliver(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_subscription_id uuid;
begin
  select d.subscription_id into v_subscription_id from crm.webhook_deliveries d
  where d.workspace_id = v_workspace_id and d.id = v_id;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  perform crm.require_active_subscription(v_workspace_id, v_subscription_id);
  perform crm.redeliver(v_workspace_id, v_id);
  perform crm.poke_dispatcher();
  return json_build_object('id', v_id, 'subscription_id', v_subscription_id, 'held', crm.holds_webhooks(v_workspace_id));
end
$$;
comment on function app.delivery_redeliver(jsonb) is
  'Sends a delivery now, under the same id. A delivery that had ended gets five new attempts; one that waits for its '
  'next attempt gets no additional ones. Returns id, subscription_id, and held: whether it waits, because the '
  'workspace is suspended or has no public API. Arguments: workspace_id, id. Codes: '
  'validation_error, not_found, subscription_inactive.';

-- Manual operations on subscriptions and deliveries (spec 6.5), for the operator's commands and the application.

create function crm.require_own_workspace(p_workspace_id uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  if p_workspace_id is distinct from coalesce(crm.current_workspace_id(), p_workspace_id) then
    raise exception 'The workspace % is not that of the caller', p_workspace_id;
  end if;
end
$$;
comment on function crm.require_own_workspace(uuid) is
  'For security definer functions that take a workspace: raises an error if the caller is in another one. The operator '
  'is in no workspace and may name any.';

create function crm.retry_deliveries(p_workspace_id uuid) returns bigint
language plpgsql set search_path = '' as $$
declare
  v_ids uuid[] := array(
    select q.delivery_id from crm.webhook_queue q
    where q.workspace_id = p_workspace_id and q.state in ('waiting', 'held') and q.due_at > statement_timestamp()
    for update skip locked
  );
begin
  update crm.webhook_deliveries d
  set next_attempt_at = statement_timestamp()
  where d.workspace_id = p_workspace_id and d.id = any (v_ids) and d.state = 'pending';
  return cardinality(v_ids);
end
$$;
comment on function crm.retry_deliveries(uuid) is
  'Makes every waiting delivery of a workspace due now, and returns how many there were.';

create function crm.redeliver(p_workspace_id uuid, p_delivery_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  v_queued text;
begin
  perform crm.require_own_workspace(p_workspace_id);
  -- The queue row is locked before the delivery, as when an outcome is recorded.
  select q.state into v_queued from crm.webhook_queue q
  where q.workspace_id = p_workspace_id and q.delivery_id = p_delivery_id
  for update;
  -- In flight already: its dispatcher will record the outcome.
  if v_queued = 'leased' then return; end if;
  if v_queued is null then
    perform crm.require_room(d.workspace_id, d.subscription_id) from crm.webhook_deliveries d
    where d.workspace_id = p_workspace_id and d.id = p_delivery_id;
  end if;
  update crm.webhook_deliveries d
  set
    state = 'pending',
    series = case when d.state = 'pending' then d.series else d.series + 1 end,
    attempts = case when d.state = 'pending' then d.attempts else 0 end,
    -- Not clock_timestamp(), or crm.poke_dispatcher in the same statement would not find the delivery due yet.
    next_attempt_at = statement_timestamp()
  where d.workspace_id = p_workspace_id and d.id = p_delivery_id;
end
$$;
comment on function crm.redeliver(uuid, uuid) is
  'Sends a delivery now, under the same id. An ended delivery gets five new attempts and keeps its earlier ones; a '
  'delivery that waits for its next attempt gets no additional ones. If the subscription is inactive, the delivery '
  'waits until reactivation. Raises queue_full. Security definer, because verbs may not write deliveries.';

create function crm.send_test_event(
  p_workspace_id uuid, p_subscription_id uuid, p_event crm.event_type default null
) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  v_delivery_id uuid;
begin
  perform crm.require_own_workspace(p_workspace_id);
  perform crm.require_room(p_workspace_id, p_subscription_id);
  with event as (
    insert into crm.events (workspace_id, event, object_id, facts, is_test)
    select s.workspace_id, coalesce(p_event, s.event_types[1]), '00000000-0000-0000-0000-000000000000', '{}', true
    from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id
    returning workspace_id, id
  )
  insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
  select e.workspace_id, crm.delivery_id(e.id, p_subscription_id), e.id, p_subscription_id from event e
  returning id into v_delivery_id;
  return v_delivery_id;
end
$$;
comment on function crm.send_test_event(uuid, uuid, crm.event_type) is
  'Enqueues a test event for one subscription and returns the id of its delivery; null if there is no such '
  'subscription. The event has the given type, otherwise the subscription''s first, the nil UUID as its object, and a '
  'sample as data beside "test": true, so that a receiver that mistakes it for a real event finds nothing to act on. '
  'Raises queue_full. Security definer, because verbs may not write events.';

create function crm.reactivate_subscription(p_workspace_id uuid, p_subscription_id uuid) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  v_resumed bigint;
begin
  perform crm.require_own_workspace(p_workspace_id);
  select count(*) into v_resumed
  from crm.webhook_subscriptions s
  join crm.webhook_queue q on q.shard = get_byte(uuid_send(s.workspace_id), 15) & 15
    and q.workspace_id = s.workspace_id and q.subscription_id = s.id
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and not s.is_active
    and q.state <> 'ready' and q.lease_until is null;

  update crm.webhook_subscriptions s
  set is_active = true, failure_count = 0, slow_since = null
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and not s.is_active;
  return v_resumed;
end
$$;
comment on function crm.reactivate_subscription(uuid, uuid) is
  'Activates an inactive subscription with a failure_count of 0, makes its waiting deliveries due now (the first 500 '
  'at once, the others as they are sent), and returns how many there are. Failed deliveries stay failed: see '
  'crm.redeliver. Changes nothing on an active subscription. Security definer, because verbs may not write '
  'deliveries.';

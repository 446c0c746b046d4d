-- Manual operations on subscriptions and deliveries (spec 6.5), for the operator's commands and for the application.

create function crm.delivery_summary(d crm.webhook_deliveries) returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'id', d.id,
    'subscription_id', d.subscription_id,
    'target_url', s.target_url,
    'event', e.event,
    'state', d.state,
    'attempts', d.attempts,
    'last_status', a.status,
    'last_reason', a.reason,
    'last_duration_ms', a.duration_ms,
    'last_attempt_at', crm.iso(a.finished_at),
    'next_attempt_at', case when d.state = 'pending' then crm.iso(d.next_attempt_at) end,
    'created_at', crm.iso(d.created_at)
  )
  from crm.events e
  join crm.webhook_subscriptions s on s.workspace_id = d.workspace_id and s.id = d.subscription_id
  left join lateral (
    -- A delivery that is sent again shows its previous attempt until the new series has one.
    select * from crm.webhook_attempts a
    where a.workspace_id = d.workspace_id and a.delivery_id = d.id
    order by a.series desc, a.number desc
    limit 1
  ) a on true
  where e.workspace_id = d.workspace_id and e.id = d.event_id
$$;
comment on function crm.delivery_summary(crm.webhook_deliveries) is
  'JSON of a delivery for the operator and the console: event, state, the receiver''s last response, times (spec 6.5). '
  'next_attempt_at is null if there is no next attempt.';

create function crm.retry_deliveries(p_workspace_id uuid) returns bigint
language sql volatile
set search_path = ''
as $$
  with retried as (
    update crm.webhook_deliveries d
    set next_attempt_at = statement_timestamp()
    where d.workspace_id = p_workspace_id and d.state = 'pending' and d.next_attempt_at > statement_timestamp()
      and d.lease_until is null
    returning 1
  )
  select count(*) from retried
$$;
comment on function crm.retry_deliveries(uuid) is
  'Makes every waiting delivery of a workspace due now, and returns how many there were.';

create function crm.redeliver(p_workspace_id uuid, p_delivery_id uuid) returns void
language sql volatile
set search_path = ''
as $$
  update crm.webhook_deliveries d
  set
    state = 'pending',
    series = case when d.state = 'pending' then d.series else d.series + 1 end,
    attempts = case when d.state = 'pending' then d.attempts else 0 end,
    -- Not clock_timestamp(), or crm.poke_dispatcher in the same statement would not find the delivery due yet.
    next_attempt_at = statement_timestamp()
  where d.workspace_id = p_workspace_id and d.id = p_delivery_id
    -- A leased delivery is in flight already, and its dispatcher will record the outcome.
    and d.lease_until is null
$$;
comment on function crm.redeliver(uuid, uuid) is
  'Sends a delivery now, under the same id. A delivery that has ended gets five new attempts and keeps the record of '
  'the earlier ones; one that waits for its next attempt gets no additional ones. A delivery of an inactive '
  'subscription waits until that is reactivated.';

create function crm.send_test_event(p_workspace_id uuid, p_subscription_id uuid) returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  v_delivery_id uuid;
begin
  if p_workspace_id is distinct from coalesce(crm.current_workspace_id(), p_workspace_id) then
    raise exception 'The workspace % is not that of the caller', p_workspace_id;
  end if;
  with event as (
    insert into crm.events (workspace_id, event, object_id, facts)
    select s.workspace_id, s.event_types[1], '00000000-0000-0000-0000-000000000000', '{"test": true}'
    from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id
    returning workspace_id, id
  )
  insert into crm.webhook_deliveries (workspace_id, event_id, subscription_id)
  select e.workspace_id, e.id, p_subscription_id from event e
  returning id into v_delivery_id;
  return v_delivery_id;
end
$$;
comment on function crm.send_test_event(uuid, uuid) is
  'Enqueues a test event for one subscription and returns the id of its delivery; null if there is no such '
  'subscription. The event has a type of the subscription, no object (the nil UUID) and {"test": true} as data, so '
  'that a receiver which takes it for a real event finds nothing to act on. Security definer, because members may write no '
  'event.';

create function crm.reactivate_subscription(p_workspace_id uuid, p_subscription_id uuid) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_resumed bigint;
begin
  select count(*) into v_resumed
  from crm.webhook_subscriptions s
  join crm.webhook_deliveries d on d.workspace_id = s.workspace_id and d.subscription_id = s.id
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and not s.is_active
    and d.state = 'pending' and d.lease_until is null;

  -- Deliveries first, as in crm.delivery_record: the same order of locks prevents a deadlock. Those that are due already
  -- need no change, and of the others the soonest are enough for the dispatcher to begin with.
  with waiting as (
    select d.workspace_id, d.id
    from crm.webhook_subscriptions s
    join crm.webhook_deliveries d on d.workspace_id = s.workspace_id and d.subscription_id = s.id
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id and not s.is_active
      and d.state = 'pending' and d.next_attempt_at > statement_timestamp() and d.lease_until is null
    order by d.next_attempt_at
    limit 1000
    for update of d skip locked
  )
  update crm.webhook_deliveries d
  set next_attempt_at = statement_timestamp()
  from waiting w
  where d.workspace_id = w.workspace_id and d.id = w.id;

  update crm.webhook_subscriptions s
  set is_active = true, failure_count = 0
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and not s.is_active;
  return v_resumed;
end
$$;
comment on function crm.reactivate_subscription(uuid, uuid) is
  'Activates an inactive subscription with a failure_count of 0, makes its waiting deliveries due now (of those whose '
  'time has not come, the soonest 1,000: the others keep it), and returns how many there were. Deliveries that have '
  'failed for good stay so: see crm.redeliver. Changes nothing on an active subscription.';

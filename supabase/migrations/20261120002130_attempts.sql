-- The record of an attempt, and the schedule of the next one (spec 6.5).

create function crm.retry_delay(p_failed_attempts integer) returns interval
language sql volatile
-- Up to 1 % later and never earlier, so that deliveries which failed together are not all retried together.
as $$
  select (array['30 s', '5 min', '30 min', '6 h']::interval[])[p_failed_attempts] * (1 + random() * 0.01)
$$;
comment on function crm.retry_delay(integer) is
  'How long to wait after the n-th failed attempt (spec 6.5); null after the fifth.';

create function crm.delivery_record(
  p_workspace_id uuid,
  p_delivery_id uuid,
  p_lease_token bigint,
  p_ok boolean,
  p_status integer,
  p_reason text,
  p_duration_ms integer,
  out attempt integer,
  out state text,
  out deactivated boolean
)
language plpgsql security definer
set search_path = ''
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_delivery crm.webhook_deliveries;
  v_subscription_id uuid;
begin
  deactivated := false;
  select q.subscription_id into v_subscription_id from crm.webhook_queue q
  where q.workspace_id = p_workspace_id and q.delivery_id = p_delivery_id and q.lease_token = p_lease_token
  for update;
  if not found then
    return;
  end if;
  -- The trigger enqueue_changed puts it into the queue again, or removes it.
  update crm.webhook_deliveries d
  set
    attempts = d.attempts + 1,
    state = case when p_ok then 'delivered' when d.attempts + 1 >= 5 then 'failed' else 'pending' end,
    next_attempt_at = coalesce(
      case when not p_ok then v_now + crm.retry_delay(d.attempts + 1) end,
      d.next_attempt_at
    )
  where d.workspace_id = p_workspace_id and d.id = p_delivery_id and d.state = 'pending'
    -- For plans that take the other index: they too read one row.
    and d.subscription_id = v_subscription_id
  returning d.* into v_delivery;
  if not found then
    return;
  end if;
  attempt := v_delivery.attempts;
  state := v_delivery.state;

  insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, reason, duration_ms)
  values (p_workspace_id, p_delivery_id, v_delivery.series, attempt, p_status, p_reason, p_duration_ms);

  if p_ok then
    -- Not at every success: hundreds a second would all write the same row.
    update crm.webhook_subscriptions s
    set failure_count = 0, last_success_at = v_now, slow_since = null
    where s.workspace_id = p_workspace_id and s.id = v_delivery.subscription_id
      and (
        s.failure_count > 0 or s.slow_since is not null or s.last_success_at is null
        or s.last_success_at < v_now - interval '10 s'
      );
  else
    update crm.webhook_subscriptions s
    set
      failure_count = s.failure_count + 1,
      last_failure_at = v_now,
      slow_since = case
        when p_reason like 'timeout\_%' then coalesce(s.slow_since, v_now)
        when p_status is null then s.slow_since
      end
    where s.workspace_id = p_workspace_id and s.id = v_delivery.subscription_id;
  end if;

  if state = 'failed' then
    update crm.webhook_subscriptions s
    set is_active = false, deactivated_reason = 'failures'
    where s.workspace_id = p_workspace_id and s.id = v_delivery.subscription_id and s.is_active;
    deactivated := found;
  end if;
end
$$;
comment on function crm.delivery_record(uuid, uuid, bigint, boolean, integer, text, integer) is
  'Records the outcome of an attempt and schedules the next one. The fifth failure ends the delivery and deactivates '
  'the subscription (spec 6.5). If another dispatcher has claimed the delivery meanwhile, nothing changes and '
  '`attempt` is null. last_success_at is up to 10 s late.';

-- Recording an attempt, and scheduling the next one (spec 6.5).

create function crm.retry_delay(p_failed_attempts integer) returns interval
language sql volatile
-- Up to 1 % later and never earlier, so that deliveries that failed together are not all retried together.
as $$
  select (array['30 s', '5 min', '30 min', '6 h']::interval[])[p_failed_attempts] * (1 + random() * 0.01)
$$;
comment on function crm.retry_delay(integer) is
  'The wait after the n-th failed attempt (spec 6.5); null after the fifth.';

create type crm.recorded_attempt as (
  workspace_id uuid, subscription_id uuid, delivery_id uuid, lease_token bigint, series integer,
  attempt integer, state text, status integer, reason text, duration_ms integer, position bigint
);
comment on type crm.recorded_attempt is
  'A recorded attempt: its number, the state of its delivery afterwards, and its position in the list of outcomes.';

create function crm.delivery_record(p_outcomes json)
returns table (lease_token bigint, attempt integer, state text, deactivated boolean)
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_recorded crm.recorded_attempt[];
  v_attempt crm.recorded_attempt;
  v_deactivating bigint[] := '{}';
begin
  -- Locked in order of id, so that two groups cannot deadlock.
  with held as materialized (
    select o.*, q.subscription_id
    from (
      select o.* from rows from (
        json_to_recordset(p_outcomes) as (
          workspace_id uuid, delivery_id uuid, lease_token bigint, status integer, reason text, duration_ms integer
        )
      ) with ordinality as o (workspace_id, delivery_id, lease_token, status, reason, duration_ms, position)
      -- Always true, but it makes Postgres expect one outcome and not a hundred. For a hundred it would read a whole
      -- day's partition, because it does not know that an id is in one partition only.
      where o.lease_token between 0 and 9223372036854775807
      order by o.workspace_id, o.delivery_id
    ) o
    cross join lateral (
      select q.subscription_id from crm.webhook_queue q
      where q.workspace_id = o.workspace_id and q.delivery_id = o.delivery_id and q.lease_token = o.lease_token
      for update
    ) q
  ),
  -- The trigger enqueue_changed puts these deliveries back into the queue, or removes them from it.
  recorded as (
    update crm.webhook_deliveries d
    set
      attempts = d.attempts + 1,
      state = case when h.reason is null then 'delivered' when d.attempts + 1 >= 5 then 'failed' else 'pending' end,
      next_attempt_at = coalesce(
        case when h.reason is not null then v_now + crm.retry_delay(d.attempts + 1) end,
        d.next_attempt_at
      )
    from held h
    where d.workspace_id = h.workspace_id and d.id = h.delivery_id and d.state = 'pending'
      -- With this condition, a plan that uses the index by subscription reads one row too.
      and d.subscription_id = h.subscription_id
    returning d.workspace_id, d.subscription_id, d.id, h.lease_token, d.series, d.attempts, d.state, h.status, h.reason,
      h.duration_ms, h.position
  ),
  stored as (
    insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, reason, duration_ms)
    select r.workspace_id, r.id, r.series, r.attempts, r.status, r.reason, r.duration_ms from recorded r
  )
  select array_agg(r::crm.recorded_attempt) into v_recorded from recorded r;

  -- In order of subscription, so that two groups cannot deadlock; within one, in the order of the outcomes.
  for v_attempt in
    select r.*
    from (
      select a as attempt, bool_or(a.reason is not null) over (partition by a.workspace_id, a.subscription_id) as has_failed
      from unnest(v_recorded) a
    ) g
    cross join lateral (select (g.attempt).*) r
    cross join lateral (
      select s.failure_count, s.slow_since, s.last_success_at from crm.webhook_subscriptions s
      where s.workspace_id = r.workspace_id and s.id = r.subscription_id
      offset 0
    ) s
    -- Not at every success: hundreds of successes in a second would all update the same row.
    where g.has_failed or s.failure_count > 0 or s.slow_since is not null or s.last_success_at is null
      or s.last_success_at < v_now - interval '10 s'
    order by r.workspace_id, r.subscription_id, r.position
  loop
    if v_attempt.reason is null then
      update crm.webhook_subscriptions s
      set failure_count = 0, last_success_at = v_now, slow_since = null
      where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id
        -- One update for all successes of the group.
        and (s.failure_count > 0 or s.slow_since is not null or s.last_success_at is distinct from v_now);
      continue;
    end if;
    update crm.webhook_subscriptions s
    set
      failure_count = s.failure_count + 1,
      last_failure_at = v_now,
      slow_since = case
        when v_attempt.reason like 'timeout\_%' then coalesce(s.slow_since, v_now)
        when v_attempt.status is null then s.slow_since
      end
    where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id;
    if v_attempt.state = 'failed' then
      update crm.webhook_subscriptions s
      set is_active = false, deactivated_reason = 'failures'
      where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id and s.is_active;
      if found then v_deactivating := v_deactivating || v_attempt.lease_token; end if;
    end if;
  end loop;

  return query
  select a.lease_token, a.attempt, a.state, a.lease_token = any (v_deactivating) from unnest(v_recorded) a;
end
$$;
comment on function crm.delivery_record(json) is
  'Records the outcomes of attempts in the order in which they ended, and schedules the next attempts. An outcome is '
  'an object with workspace_id, delivery_id, lease_token, status, reason (absent after a success) and duration_ms. The '
  'fifth failure ends a delivery and deactivates the subscription (spec 6.5). If another dispatcher has claimed the '
  'delivery meanwhile, the outcome changes nothing and is not returned. last_success_at is up to 10 s late.';

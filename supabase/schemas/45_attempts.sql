-- Recording an attempt, and scheduling the next one (spec 6.5).

create function crm.retry_delay(p_failed_attempts integer) returns interval
language sql volatile
-- Adds up to 1 % at random, so that deliveries that failed together are not all retried together.
as $$
  select (array['30 s', '5 min', '30 min', '6 h']::interval[])[p_failed_attempts] * (1 + random() * 0.01)
$$;
comment on function crm.retry_delay(integer) is
  'The wait after p_failed_attempts failures (spec 6.5); null after the fifth.';

create type crm.recorded_attempt as (
  workspace_id uuid, subscription_id uuid, delivery_id uuid, lease_token bigint, series integer,
  attempt integer, state text, status integer, reason text, duration_ms integer, answer text, body_digest text,
  position bigint
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
  -- The workspaces in which no erasure is running. Read before the main statement, whose snapshot then shows the
  -- erasures that have ended.
  v_keeping uuid[] := array(
    select w.id
    from (
      select distinct o.workspace_id as id from json_to_recordset(p_outcomes) as o (workspace_id uuid, answer text)
      where o.answer is not null
    ) w
    where pg_try_advisory_xact_lock_shared(crm.erasure_lock(w.id))
  );
  v_recorded crm.recorded_attempt[];
  v_attempt crm.recorded_attempt;
  v_deactivating bigint[] := '{}';
  v_cancelled bigint[] := '{}';
  v_is_deleted boolean;
  v_target_url text;
begin
  -- Locked in order of id, so that two simultaneous calls cannot deadlock.
  with erased as materialized (
    select e.workspace_id, e.position from crm.webhook_erasures e where e.workspace_id = any (v_keeping)
  ),
  held as materialized (
    select o.*, q.subscription_id, q.claim_horizon
    from (
      select o.* from rows from (
        json_to_recordset(p_outcomes) as (
          workspace_id uuid, delivery_id uuid, lease_token bigint, status integer, reason text, duration_ms integer,
          answer text, body_digest text
        )
      ) with ordinality as o (
        workspace_id, delivery_id, lease_token, status, reason, duration_ms, answer, body_digest, position
      )
      -- Always true, but with this condition Postgres expects one outcome instead of a hundred. For a hundred outcomes
      -- it would scan whole partitions, because it does not know that each id is in only one partition.
      where o.lease_token between 0 and 9223372036854775807
      order by o.workspace_id, o.delivery_id
    ) o
    cross join lateral (
      select q.subscription_id, q.claim_horizon from crm.webhook_queue q
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
      -- With this condition, the plan reads only one row even if it uses the index by subscription.
      and d.subscription_id = h.subscription_id
    returning d.workspace_id, d.subscription_id, d.id, h.lease_token, d.series, d.attempts, d.state, h.status, h.reason,
      h.duration_ms,
      case
        when h.answer is not null and h.workspace_id = any (v_keeping) and not exists (
          select from erased e
          where e.workspace_id = h.workspace_id and (e.position < h.claim_horizon) is not true
        ) then h.answer
      end as answer,
      h.body_digest, h.position
  ),
  stored as (
    insert into crm.webhook_attempts (
      workspace_id, delivery_id, series, number, status, reason, duration_ms, finished_at, answer, body_digest
    )
    select
      r.workspace_id, r.id, r.series, r.attempts, r.status, r.reason, r.duration_ms, v_now, r.answer,
      decode(r.body_digest, 'hex')
    from recorded r
  )
  select array_agg(r::crm.recorded_attempt) into v_recorded from recorded r;

  -- In order of subscription, so that two simultaneous calls cannot deadlock. The outcomes of one subscription keep
  -- their order.
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
    -- Do not update at every success: hundreds of successes in a second would all update the same row.
    where g.has_failed or s.failure_count > 0 or s.slow_since is not null or s.last_success_at is null
      or s.last_success_at < v_now - interval '10 s'
    order by r.workspace_id, r.subscription_id, r.position
  loop
    if v_attempt.reason is null then
      update crm.webhook_subscriptions s
      set failure_count = 0, last_success_at = v_now, slow_since = null
      where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id
        -- Only the first success of this call updates the row.
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
    where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id
    returning s.deactivated_reason is not distinct from 'deleted' into v_is_deleted;
    -- The subscription was deleted while the delivery was in flight, so the deletion did not cancel the delivery.
    if v_is_deleted and v_attempt.state = 'pending' then
      update crm.webhook_deliveries d set state = 'cancelled'
      where d.workspace_id = v_attempt.workspace_id and d.id = v_attempt.delivery_id
        and d.subscription_id = v_attempt.subscription_id;
      v_cancelled := v_cancelled || v_attempt.lease_token;
    end if;
    if v_attempt.state = 'failed' then
      update crm.webhook_subscriptions s
      set is_active = false, deactivated_reason = 'failures'
      where s.workspace_id = v_attempt.workspace_id and s.id = v_attempt.subscription_id and s.is_active
      returning s.target_url into v_target_url;
      if found then
        v_deactivating := v_deactivating || v_attempt.lease_token;
        perform crm.record_action(
          v_attempt.workspace_id, 'webhook_stopped', 'webhook', v_attempt.subscription_id, v_target_url,
          jsonb_build_object(
            'delivery_id', v_attempt.delivery_id, 'status', v_attempt.status, 'reason', v_attempt.reason
          )
        );
      end if;
    end if;
  end loop;

  return query
  select
    a.lease_token, a.attempt, case when a.lease_token = any (v_cancelled) then 'cancelled' else a.state end,
    a.lease_token = any (v_deactivating)
  from unnest(v_recorded) a;
end
$$;
comment on function crm.delivery_record(json) is
  'Records the outcomes of attempts in the order in which they ended, and schedules the next attempts. An outcome is '
  'an object with workspace_id, delivery_id, lease_token, status, reason (absent after a success), duration_ms, answer '
  'and body_digest (hexadecimal). An answer is dropped if its delivery may have been claimed before the last '
  'erasure in the workspace ended (crm.webhook_erasures). The fifth failure ends a delivery and deactivates the '
  'subscription (spec 6.5), and adds a line to the audit log. A failure after the subscription was deleted cancels the '
  'delivery. If another dispatcher has claimed the delivery meanwhile, the outcome changes nothing and is not returned. '
  'last_success_at may lag up to 10 s behind the newest success.';

-- Waking the dispatcher, and detecting that it does not run.

create function crm.deliveries_due() returns boolean
language plpgsql volatile set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return exists (select from crm.webhook_queue q where q.state = 'ready')
    or exists (select from crm.webhook_unsettled)
    or exists (select from crm.webhook_subscriptions s where s.notice_due_at <= statement_timestamp())
    or exists (select from crm.webhook_queue q where q.state = 'leased' and q.lease_until <= statement_timestamp())
    or exists (
      select from crm.webhook_shards s
      where exists (
        select from crm.webhook_queue q
        where q.shard = s.shard and q.state = 'waiting' and q.due_at <= statement_timestamp() + interval '15 s'
        offset 0
      )
    );
end
$$;
comment on function crm.deliveries_due() is
  'Whether a claim would find work now or within 15 seconds, or a mail is due (crm.notice_claim). The job '
  'webhook-dispatch asks every 10 seconds, so the dispatcher is awake at least 5 seconds before a delivery is due.';

create function crm.next_delivery_due(p_within interval) returns double precision
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
  v_next timestamptz;
begin
  -- Due now: a delivery that is still ready because another claim had locked its shard, or because it was added later.
  -- A ready delivery does not count while its workspace has another one in flight, because the dispatcher that sends
  -- that one will claim the ready one.
  if exists (select from crm.webhook_unsettled) or exists (
    select from (select distinct q.workspace_id from (
      select q.workspace_id from crm.webhook_queue q where q.state = 'ready' limit 1000
    ) q) r
    where not exists (
      select from crm.webhook_queue l
      where l.state = 'leased'
        and (l.shard, l.workspace_id) >= (get_byte(uuid_send(r.workspace_id), 15) & 15, r.workspace_id)
        and (l.shard, l.workspace_id) <= (get_byte(uuid_send(r.workspace_id), 15) & 15, r.workspace_id)
    )
  ) then
    return 0;
  end if;
  select min(d.due_at) into v_next
  from crm.webhook_shards s
  cross join lateral (
    select q.due_at from crm.webhook_queue q
    where q.shard = s.shard and q.state = 'waiting' and q.due_at <= v_now + p_within
    order by q.due_at limit 1
  ) d;
  -- Null needs its own case, because greatest() ignores null.
  return case when v_next is not null then greatest(extract(epoch from v_next - v_now), 0) end;
end
$$;
comment on function crm.next_delivery_due(interval) is
  'Seconds until the next delivery is due; null if none becomes due within p_within. A dispatcher calls this when it '
  'has claimed all that it may, so deliveries that wait because their subscription or workspace is at its limit do not '
  'count.';

create function crm.poke_dispatcher() returns void
language plpgsql security definer set search_path = '' as $$
declare
  v_url text;
  v_secret text;
begin
  if not crm.deliveries_due() then return; end if;
  -- On Supabase, pg_net calls the dispatcher. Elsewhere, the local scheduler listens for the notification. The
  -- statements are dynamic, because the schemas net and vault may not exist.
  if to_regproc('net.http_post') is null or to_regclass('vault.decrypted_secrets') is null then
    perform pg_notify('webhook_dispatch', '');
    return;
  end if;
  execute format(
    'select max(decrypted_secret) filter (where name = %L), max(decrypted_secret) filter (where name = %L) from %I.%I',
    'webhook_dispatcher_url', 'webhook_dispatcher_secret', 'vault', 'decrypted_secrets'
  ) into v_url, v_secret;
  if v_url is null or v_secret is null then
    raise warning 'webhook_dispatcher_url and webhook_dispatcher_secret are not in the vault: no dispatcher is called';
    return;
  end if;
  -- pg_net always puts its functions into the schema net.
  execute format('select %I.%I(url := $1, headers := $2)', 'net', 'http_post')
  using v_url, jsonb_build_object('Authorization', 'Bearer ' || v_secret, 'Content-Type', 'application/json');
end
$$;
comment on function crm.poke_dispatcher() is
  'Pokes the dispatcher if it has work now or within 15 seconds (crm.deliveries_due). Security definer, because '
  'members'' verbs call it and it reads the queue of every workspace.';

create function crm.resume_webhooks() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- Lock the shard first, as claims do. Otherwise this statement and a claim could deadlock, because claims lock
  -- markers in another order.
  perform from crm.webhook_shards p where p.shard = get_byte(uuid_send(new.id), 15) & 15 for update;
  perform crm.unsettle_subscription(s.workspace_id, s.id, false)
  from crm.webhook_subscriptions s
  where s.workspace_id = new.id and s.is_active;
  perform crm.poke_dispatcher();
  return null;
end
$$;
comment on function crm.resume_webhooks() is
  'Trigger: releases held deliveries and pokes the dispatcher when a workspace may send webhooks again. The deliveries '
  'kept their attempts and due times, so the dispatcher sends overdue deliveries at once.';
create trigger resume_webhooks after update of suspended, public_api on crm.workspaces for each row
when ((old.suspended or not old.public_api) and not new.suspended and new.public_api)
execute function crm.resume_webhooks();

create function crm.stuck_deliveries(p_bound integer) returns setof crm.webhook_queue
language plpgsql volatile set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  return query
    select q.*
    from (
      (select q.* from crm.webhook_queue q where q.state = 'ready' limit p_bound)
      union all
      (select q.* from crm.webhook_queue q where q.state = 'leased' limit p_bound)
      union all
      select w.* from crm.webhook_shards s
      cross join lateral (
        select q.* from crm.webhook_queue q where q.shard = s.shard and q.state = 'waiting' order by q.due_at limit p_bound
      ) w
    ) q
    where q.due_at <= statement_timestamp() - interval '1 minute'
      and (q.lease_until is null or q.lease_until <= statement_timestamp())
      and crm.may_send(q.workspace_id, q.subscription_id)
      -- If an attempt is in progress in the workspace, the dispatcher is running, and the other deliveries only wait
      -- for a slow receiver.
      and not exists (
        select from crm.webhook_queue l
        where l.state = 'leased' and l.lease_until > statement_timestamp()
          and (l.shard, l.workspace_id) >= (q.shard, q.workspace_id)
          and (l.shard, l.workspace_id) <= (q.shard, q.workspace_id)
      );
end
$$;
comment on function crm.stuck_deliveries(integer) is
  'Deliveries that have been due for over a minute while the dispatcher does nothing for their workspace. Reads at '
  'most p_bound ready rows, p_bound leased rows, and p_bound waiting rows of each shard.';

create function crm.check_health() returns text
language plpgsql volatile security definer set search_path = '' as $$
begin
  -- Bounded, because anybody may call the health check.
  return case when exists (select from crm.stuck_deliveries(1000)) then 'degraded' else 'ok' end;
end
$$;
comment on function crm.check_health() is
  'The state of webhooks for the health check: degraded if a delivery of an active subscription has been due for over '
  'a minute and the dispatcher does nothing for its workspace; otherwise ok.';

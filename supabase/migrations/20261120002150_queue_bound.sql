-- The bound of the queue. Every event is stored; its deliveries are created at once while the queue has room for the
-- workspace, otherwise later, from the events (migration catching_up). Without a bound, a key could store a delivery
-- for each of 50 subscriptions with every record it writes. See docs/decisions/0008-queue.md.

create function crm.waiting_deliveries(p_workspace_id uuid, p_subscription_id uuid, p_limit integer) returns integer
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  v_shard smallint := get_byte(uuid_send(p_workspace_id), 15) & 15;
begin
  return (
    select count(*)
    from (
      (
        select from crm.webhook_queue q
        where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
          and q.state = 'ready'
        limit p_limit
      )
      union all
      (
        select from crm.webhook_queue q
        where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
          and q.state <> 'ready' and q.lease_until is null
        limit p_limit
      )
      union all
      (
        select from crm.webhook_queue q
        where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
          and q.state = 'leased'
        limit p_limit
      )
      limit p_limit
    ) waiting
  );
end
$$;
comment on function crm.waiting_deliveries(uuid, uuid, integer) is
  'How many deliveries of a subscription are in the queue, counted up to p_limit.';

create function crm.queue_share(p_workspace_id uuid) returns integer
language sql stable set search_path = '' as $$
  select w.max_waiting_deliveries / greatest(
    (select count(*) from crm.webhook_subscriptions s where s.workspace_id = w.id and s.is_active), 1
  )::integer
  from crm.workspaces w
  where w.id = p_workspace_id
$$;
comment on function crm.queue_share(uuid) is
  'How many deliveries may wait for one subscription. The active subscriptions share max_waiting_deliveries equally, '
  'so that one receiver that is down does not delay the others.';

create function crm.queue_room(p_workspace_id uuid, p_subscription_id uuid) returns integer
language plpgsql stable set search_path = '' as $$
declare
  v_share integer := crm.queue_share(p_workspace_id);
begin
  return v_share - crm.waiting_deliveries(p_workspace_id, p_subscription_id, v_share);
end
$$;
comment on function crm.queue_room(uuid, uuid) is 'How many more deliveries may wait for a subscription now.';

create function crm.require_room(p_workspace_id uuid, p_subscription_id uuid) returns integer
language plpgsql stable set search_path = '' as $$
declare
  v_room integer := crm.queue_room(p_workspace_id, p_subscription_id);
begin
  if v_room <= 0 then perform crm.raise_code('queue_full'); end if;
  return v_room;
end
$$;
comment on function crm.require_room(uuid, uuid) is
  'crm.queue_room for deliveries that people add themselves; raises queue_full if there is no room.';

create function crm.subscribers(p_workspace_id uuid, p_event crm.event_type) returns uuid[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.is_active and p_event = any (s.event_types)
  );
end
$$;
comment on function crm.subscribers(uuid, crm.event_type) is
  'The active subscriptions of a workspace to a type of event.';

create function crm.catch_up_lock(p_subscription_id uuid) returns bigint
language sql immutable set search_path = ''
as $$ select crm.lock_number('catch-up of ' || p_subscription_id) $$;
comment on function crm.catch_up_lock(uuid) is
  'The advisory lock of a subscription that is behind. A transaction that leaves a delivery to the catch-up holds the '
  'lock, shared, until it ends. The last step of the catch-up takes it exclusively, and so sees every event that has '
  'no delivery.';

create function crm.fan_out_within_bound(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
declare
  v_share integer := crm.queue_share(p_workspace_id);
  v_behind uuid[];
  v_full uuid[];
begin
  -- If the lock is not free, the catch-up is about to end: the deliveries are created here, and nobody waits.
  v_behind := array(
    select b.id
    from (
      select s.id from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.id = any (p_subscription_ids) and s.behind_since is not null
      offset 0
    ) b
    where pg_try_advisory_xact_lock_shared(crm.catch_up_lock(b.id))
  );
  if v_behind <> '{}' then
    -- Read again in a new snapshot: a catch-up may have ended before the lock was taken. While this transaction holds
    -- the lock, none can end.
    v_behind := array(
      select s.id from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.id = any (v_behind) and s.behind_since is not null
    );
  end if;

  with chosen as materialized (
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = any (p_subscription_ids) and s.is_active and s.behind_since is null
      and crm.waiting_deliveries(s.workspace_id, s.id, v_share) + cardinality(p_event_ids) > v_share
    -- Skip locked rows: whoever holds the lock may be marking the subscription too. No request waits here; at worst
    -- some deliveries more than the share are created.
    for no key update skip locked
  ),
  marked as (
    update crm.webhook_subscriptions s
    -- Starts at the horizon: transactions that see this mark, and so leave deliveries out, have not ended yet.
    set behind_since = now(), behind_position = crm.feed_horizon() - 1, behind_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    from chosen c
    where s.workspace_id = p_workspace_id and s.id = c.id
    returning s.id
  )
  select coalesce(array_agg(m.id), '{}') into v_full from marked m;

  insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
  select p_workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
  from unnest(p_event_ids) e (id) cross join unnest(p_subscription_ids) s (id)
  where s.id <> all (v_behind || v_full);
  if found then perform set_config('app.events_enqueued', 'true', true); end if;
end
$$;
comment on function crm.fan_out_within_bound(uuid, uuid[], uuid[]) is
  'Creates the deliveries of events for subscriptions whose share of the queue has room. A subscription without room '
  'is marked as behind, and gets its deliveries from the job webhook-catch-up. Waits for nobody. Sets '
  'app.events_enqueued if it created any.';

create function crm.checks_queue(p_is_behind boolean, p_deliveries bigint, p_max_waiting integer) returns boolean
language sql volatile
-- Counting takes 1.5 microseconds for each waiting delivery. So deliveries are counted at random: on average once while
-- a tenth of the bound is added, and always if that many are added at once.
as $$ select p_is_behind or random() * p_max_waiting < p_deliveries * 10 $$;
comment on function crm.checks_queue(boolean, bigint, integer) is
  'Whether p_deliveries new deliveries must go through crm.fan_out_within_bound. Null if there is no subscription.';

create function crm.fan_out(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) returns void
language plpgsql set search_path = ''
-- The planner estimates a lower cost for short arrays than for unknown ones, so it would plan every call again, which
-- takes longer than adding a delivery.
set plan_cache_mode = 'force_generic_plan' as $$
begin
  if p_subscription_ids = '{}' then return; end if;
  insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
  select p_workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
  from unnest(p_event_ids) e (id) cross join unnest(p_subscription_ids) s (id)
  where not (
      select crm.checks_queue(
        false, cardinality(p_event_ids)::bigint * cardinality(p_subscription_ids), w.max_waiting_deliveries
      )
      from crm.workspaces w where w.id = p_workspace_id
    )
    and not exists (
      select from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.behind_since is not null and s.id = any (p_subscription_ids)
    );
  if found then
    perform set_config('app.events_enqueued', 'true', true);
  else
    perform crm.fan_out_within_bound(p_workspace_id, p_event_ids, p_subscription_ids);
  end if;
end
$$;
comment on function crm.fan_out(uuid, uuid[], uuid[]) is
  'Enqueues a delivery of each event for each subscription in the caller''s transaction, as far as the queue has room '
  '(crm.fan_out_within_bound). Sets app.events_enqueued if there is a delivery. The subscriptions must be active and '
  'have the events'' types.';

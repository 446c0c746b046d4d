-- The bound of the queue. Every event is stored. Its deliveries are created at once if the subscription's share of the
-- queue has room, otherwise later, from the events (see "Catching up" below). Without a bound, a key could store 50
-- deliveries with every record it writes, one for each subscription. See docs/decisions/0008-queue.md.

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
language plpgsql stable set search_path = '' as $$
begin
  return (
    select w.max_waiting_deliveries / greatest(
      (select count(*) from crm.webhook_subscriptions s where s.workspace_id = w.id and s.is_active), 1
    )::integer
    from crm.workspaces w
    where w.id = p_workspace_id
  );
end
$$;
comment on function crm.queue_share(uuid) is
  'How many deliveries may wait for one subscription. The active subscriptions share max_waiting_deliveries equally, '
  'so that the deliveries to a receiver that is down do not fill the queue for the others.';

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
  'Returns crm.queue_room, or raises queue_full if there is no room. Called for deliveries that somebody requests, '
  'such as a test.';

create function crm.subscribers(p_workspace_id uuid, p_event crm.event_type) returns uuid[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.is_active and p_event = any (s.event_types) and s.filters is null
  );
end
$$;
comment on function crm.subscribers(uuid, crm.event_type) is
  'A workspace''s active subscriptions to a type of event, without subscriptions that have filters '
  '(crm.fan_out_filtered).';

create function crm.catch_up_lock(p_subscription_id uuid) returns bigint
language sql immutable set search_path = ''
as $$ select crm.lock_number('catch-up of ' || p_subscription_id) $$;
comment on function crm.catch_up_lock(uuid) is
  'The advisory lock of a subscription that is behind. A transaction that leaves a delivery to the catch-up holds the '
  'lock in share mode until the transaction ends. The last step of the catch-up takes the lock exclusively. By then '
  'all these transactions have ended, so the step sees every event that has no delivery.';

create function crm.fan_out_within_bound(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
declare
  v_share integer := crm.queue_share(p_workspace_id);
  v_behind uuid[];
  v_full uuid[];
begin
  -- If the lock is not free, the catch-up is about to end: do not wait, but create the deliveries here.
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
    -- Read in a new snapshot, because a catch-up may have ended before this transaction took the lock. No catch-up can
    -- end while this transaction holds the lock.
    v_behind := array(
      select s.id from crm.webhook_subscriptions s
      where s.workspace_id = p_workspace_id and s.id = any (v_behind) and s.behind_since is not null
    );
  end if;

  with chosen as materialized (
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = any (p_subscription_ids) and s.is_active and s.behind_since is null
      and crm.waiting_deliveries(s.workspace_id, s.id, v_share) + cardinality(p_event_ids) > v_share
    -- Skip locked rows, so that no request waits here. The transaction with the lock may be marking the same
    -- subscription. At worst, this creates a few more deliveries than the share allows.
    for no key update skip locked
  ),
  marked as (
    update crm.webhook_subscriptions s
    -- The catch-up starts at the horizon, below which every transaction has ended. A transaction that sees this mark
    -- and creates no deliveries ends later, so its events are above the horizon and the catch-up finds them.
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
  'is marked as behind, and gets its deliveries from the job webhook-catch-up. Waits for no lock. Sets '
  'app.events_enqueued if it created a delivery.';

create function crm.checks_queue(p_is_behind boolean, p_deliveries bigint, p_max_waiting integer) returns boolean
language sql volatile
-- Counting takes 1.5 microseconds for each waiting delivery, so calls count only at random: on average once while a
-- tenth of p_max_waiting is added. A call that adds that many deliveries always counts.
as $$ select p_is_behind or random() * p_max_waiting < p_deliveries * 10 $$;
comment on function crm.checks_queue(boolean, bigint, integer) is
  'Whether p_deliveries new deliveries must go through crm.fan_out_within_bound. Null if there is no subscription.';

create function crm.fan_out(p_workspace_id uuid, p_event_ids uuid[], p_subscription_ids uuid[]) returns void
language plpgsql set search_path = ''
-- Without this setting, Postgres would plan every call again, because it estimates a lower cost for short arrays that
-- it knows than for unknown arrays. Planning would take longer than adding a delivery.
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
  '(crm.fan_out_within_bound). Sets app.events_enqueued if there is a delivery. The caller ensures that the '
  'subscriptions are active and have the events'' types, and that their filters let the events pass.';

create function crm.fan_out_filtered(p_workspace_id uuid, p_event crm.event_type, p_event_ids uuid[]) returns void
language plpgsql set search_path = ''
-- Without this setting, each call would plan for all partitions of crm.events, which takes milliseconds.
set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_subscription_id uuid;
  v_passing uuid[];
begin
  for v_subscription_id, v_passing in
    select s.id, array(
      select e.id from unnest(p_event_ids) i (id)
      join crm.events e on e.workspace_id = p_workspace_id and e.id = i.id
      where crm.passes_filters(s.filters, e.workspace_id, e.event, e.object_id, e.facts)
    )
    from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.is_active and p_event = any (s.event_types) and s.filters is not null
  loop
    if v_passing <> '{}' then perform crm.fan_out(p_workspace_id, v_passing, array[v_subscription_id]); end if;
  end loop;
end
$$;
comment on function crm.fan_out_filtered(uuid, crm.event_type, uuid[]) is
  'Does the same as crm.fan_out, for the active subscriptions with filters. p_event: the type of all these events.';

-- Catching up: subscriptions that are behind get their deliveries from the events, in the order of the feed, as far as
-- the queue has room. No event is lost: a subscription's place in the feed moves only over events of ended transactions
-- (crm.feed_horizon), and every event without its delivery is above this place. No event is sent twice, because the
-- delivery of an event to a subscription always has the same id.

create type crm.caught_up as (
  workspace_id uuid, subscription_id uuid, behind_since timestamptz, position bigint, id uuid,
  is_done boolean, queued bigint
);
comment on type crm.caught_up is
  'How far a subscription was caught up: the place reached in the feed, whether every event now has its delivery, how '
  'many deliveries were queued.';

create function crm.catch_up(s crm.webhook_subscriptions, p_deadline timestamptz) returns crm.caught_up
language plpgsql set search_path = ''
-- crm.recover_deliveries explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
-- The timeout limits how long the last step waits for transactions that left deliveries out.
set lock_timeout = '500ms' as $$
declare
  r crm.caught_up := row(s.workspace_id, s.id, s.behind_since, s.behind_position, s.behind_id, false, 0);
  v_room integer := crm.queue_room(s.workspace_id, s.id);
  -- 30 days, because deliveries are kept that long. Two days, because a transaction with earlier events may have been
  -- open that long when the subscription fell behind (api.event_list).
  v_from uuid := crm.uuid_v7_floor(
    greatest(s.created_at, s.behind_since - interval '2 days', now() - interval '30 days')
  );
  v_step integer;
  v_seen integer;
  v_added integer;
  v_last_position bigint;
  v_last_id uuid;
begin
  while v_room > 0 and clock_timestamp() < p_deadline loop
    v_step := least(v_room, 5000);
    with next as materialized (
      select
        e.position, e.id,
        e.event = any (s.event_types) and not e.is_test and (
          s.filters is null or crm.passes_filters(s.filters, e.workspace_id, e.event, e.object_id, e.facts)
        ) as is_owed
      from crm.events e
      where e.workspace_id = s.workspace_id
        and (e.position, e.id) > (r.position, r.id) and e.position < crm.feed_horizon() and e.id >= v_from
      order by e.position, e.id limit v_step
    ),
    added as (
      insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
      select s.workspace_id, crm.delivery_id(n.id, s.id), n.id, s.id from next n where n.is_owed
      on conflict (workspace_id, id) do nothing
      returning 1
    )
    select
      (select count(*) from next), (select count(*) from added), l.position, l.id
    into v_seen, v_added, v_last_position, v_last_id
    from (select) one
    left join lateral (select n.position, n.id from next n order by n.position desc, n.id desc limit 1) l on true;

    r.position := coalesce(v_last_position, r.position);
    r.id := coalesce(v_last_id, r.id);
    r.queued := r.queued + v_added;
    v_room := v_room - v_added;
    if v_seen < v_step then
      exit when v_room = 0;
      -- The lock is granted once all transactions that left deliveries out have ended. Later transactions find the lock
      -- taken, and create their deliveries themselves.
      begin
        perform pg_advisory_xact_lock(crm.catch_up_lock(s.id));
      exception
        -- A transaction that left deliveries out is still open. The next run tries again.
        when lock_not_available then
          exit;
      end;
      with rest as materialized (
        select e.id from crm.events e
        where e.workspace_id = s.workspace_id and (e.position, e.id) > (r.position, r.id) and e.id >= v_from
          and e.event = any (s.event_types) and not e.is_test
          and (s.filters is null or crm.passes_filters(s.filters, e.workspace_id, e.event, e.object_id, e.facts))
          and not exists (
            select from crm.webhook_deliveries d
            where d.workspace_id = s.workspace_id and d.id = crm.delivery_id(e.id, s.id)
          )
        order by e.position, e.id limit v_room + 1
      ),
      added as (
        insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
        select s.workspace_id, crm.delivery_id(n.id, s.id), n.id, s.id from rest n
        on conflict (workspace_id, id) do nothing
      )
      select count(*) into v_added from rest;
      r.queued := r.queued + v_added;
      r.is_done := v_added <= v_room;
      exit;
    end if;
  end loop;
  return r;
end
$$;
comment on function crm.catch_up(crm.webhook_subscriptions, timestamptz) is
  'Creates the deliveries that a subscription lacks, in the order of the feed, as many as the queue has room for, '
  'until p_deadline. Does not lock the subscription''s row, because recording outcomes would wait for that lock. When '
  'the caller has caught up all its subscriptions, it stores the place that each reached.';

create function crm.catch_up_subscriptions() returns bigint
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions;
  r crm.caught_up;
  v_all crm.caught_up[] := '{}';
  v_queued bigint := 0;
begin
  for s in
    select b.* from crm.webhook_subscriptions b where b.behind_since is not null and b.is_active order by random()
  loop
    exit when clock_timestamp() > statement_timestamp() + interval '2 s';
    -- One catch-up or recovery at a time in a workspace: two transactions that insert the same rows could deadlock.
    continue when not pg_try_advisory_xact_lock(crm.lock_number('recovery of ' || s.workspace_id));
    r := crm.catch_up(s, statement_timestamp() + interval '2 s');
    v_all := v_all || r;
    v_queued := v_queued + r.queued;
  end loop;

  with reached as (
    select b.workspace_id, b.id, c.position as reached_position, c.id as reached_id, c.is_done
    from unnest(v_all) c
    join crm.webhook_subscriptions b on b.workspace_id = c.workspace_id and b.id = c.subscription_id
    -- Skips a subscription that was deleted meanwhile, even if it has fallen behind again after a reactivation.
    where b.behind_since = c.behind_since
    -- The next run repeats the work for rows that are locked now.
    for no key update of b skip locked
  )
  update crm.webhook_subscriptions b
  set
    behind_since = case when not c.is_done then b.behind_since end,
    behind_position = case when not c.is_done then c.reached_position end,
    behind_id = case when not c.is_done then c.reached_id end
  from reached c
  where b.workspace_id = c.workspace_id and b.id = c.id;

  if v_queued > 0 then perform crm.poke_dispatcher(); end if;
  return v_queued;
end
$$;
comment on function crm.catch_up_subscriptions() is
  'Catches up the subscriptions that are behind, for about 2 seconds, and returns how many deliveries it created. A '
  'killed run changes nothing.';

-- Catching up: subscriptions that are behind get their deliveries from the events, in the order of the feed, as far as
-- the queue has room. Nothing is lost: a subscription's place moves only over events of ended transactions
-- (crm.feed_horizon), and everything left out is above it. Nothing is sent twice: an event has one delivery id for a
-- subscription.

create type crm.caught_up as (
  workspace_id uuid, subscription_id uuid, behind_since timestamptz, position bigint, id uuid,
  is_done boolean, queued bigint
);
comment on type crm.caught_up is
  'How far a subscription was caught up: the place in the feed, whether it is done, and how many deliveries were '
  'created.';

create function crm.catch_up(s crm.webhook_subscriptions, p_deadline timestamptz) returns crm.caught_up
language plpgsql set search_path = ''
-- As in crm.recover_deliveries.
set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off
-- For the lock of the last step, which waits for transactions that left deliveries out.
set lock_timeout = '500ms' as $$
declare
  r crm.caught_up := row(s.workspace_id, s.id, s.behind_since, s.behind_position, s.behind_id, false, 0);
  v_room integer := crm.queue_room(s.workspace_id, s.id);
  -- Deliveries are kept for 30 days. The two days are for clocks that were set back, as in the feed.
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
      select e.position, e.id, e.event = any (s.event_types) and not e.is_test as is_owed from crm.events e
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
      -- This lock is granted once the transactions that left out the remaining deliveries have ended; later
      -- transactions find it taken, and create their deliveries themselves.
      begin
        perform pg_advisory_xact_lock(crm.catch_up_lock(s.id));
      exception
        -- One of these transactions takes long. The next run tries again.
        when lock_not_available then
          exit;
      end;
      with rest as materialized (
        select e.id from crm.events e
        where e.workspace_id = s.workspace_id and (e.position, e.id) > (r.position, r.id) and e.id >= v_from
          and e.event = any (s.event_types) and not e.is_test
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
  'Creates deliveries for the events that a subscription has not got, in the order of the feed, as many as may wait, '
  'until p_deadline. The caller stores the place reached after catching up all subscriptions. Locks no row of the '
  'subscription, because recording outcomes would wait for that lock.';

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
    -- One catch-up or recovery at a time in a workspace: two that insert the same rows could deadlock.
    continue when not pg_try_advisory_xact_lock(crm.lock_number('recovery of ' || s.workspace_id));
    r := crm.catch_up(s, statement_timestamp() + interval '2 s');
    v_all := v_all || r;
    v_queued := v_queued + r.queued;
  end loop;

  with reached as (
    select b.workspace_id, b.id, c.position as reached_position, c.id as reached_id, c.is_done
    from unnest(v_all) c
    join crm.webhook_subscriptions b on b.workspace_id = c.workspace_id and b.id = c.subscription_id
    -- Skips a subscription that was deleted meanwhile, even if it was then reactivated and fell behind again.
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

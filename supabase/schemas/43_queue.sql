-- The queue of deliveries (spec 6.5). It is a small table beside the partitioned deliveries. So claims do not get
-- slower when more deliveries are stored, or when more deliveries are held for inactive subscriptions or suspended
-- workspaces. Only the database's clock decides what is due, so a dispatcher with a wrong clock changes nothing. The
-- dispatcher's functions are security definer, because its role has no rights on tables. See
-- docs/decisions/0008-queue.md.
--
-- Postgres often plans a statement while the queue is empty, and keeps the plan when the queue is long. Such a plan
-- uses the index with the fewest pages, even if another index would serve better. So the functions that read the queue
-- leave the planner one choice:
-- * They forbid scans of the whole table.
-- * They compare and sort row values that begin with the shard, which the primary key lacks.
-- * A search for rows in one state has a condition that no partial index for another state can serve.
-- * Claims find rows first and then write them by ctid: in a join, Postgres might search for them in the primary key.
--
-- Locks are taken in this order, so that transactions cannot deadlock: shard, marker in crm.webhook_unsettled, row of
-- the queue, delivery, subscription.

create sequence crm.webhook_leases;
comment on sequence crm.webhook_leases is 'The numbers of leases (lease_token), one for each claim of a delivery.';

create table crm.webhook_queue (
  workspace_id uuid not null,
  subscription_id uuid not null,
  delivery_id uuid not null,
  event_id uuid not null,
  shard smallint not null generated always as ((get_byte(uuid_send(workspace_id), 15) & 15)::smallint) stored,
  state text not null check (state in ('ready', 'waiting', 'leased', 'held')),
  due_at timestamptz not null,
  lease_until timestamptz,
  lease_token bigint,
  host text,
  claim_horizon bigint,
  primary key (workspace_id, delivery_id),
  check ((state = 'leased') = (lease_until is not null))
-- Vacuumed after a fixed number of changed rows instead of a share of the table, because the table is often empty.
-- There is no fill factor: free room would save no index entries, because each change of state changes indexed columns.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table crm.webhook_queue is
  'A row for each pending delivery. Written by claims, crm.settle_subscription and triggers on crm.webhook_deliveries. '
  'The dispatcher finds deliveries here, so it never reads ended deliveries.';
comment on column crm.webhook_queue.event_id is
  'The event of the delivery, copied so that a claim need not read the delivery.';
comment on column crm.webhook_queue.shard is
  'One of 16 parts of the queue, by workspace. Each part has its own lock for claims (crm.webhook_shards).';
comment on column crm.webhook_queue.state is
  'ready: may be sent now. waiting: becomes ready at due_at. leased: a dispatcher is sending it. held: claims ignore '
  'it, because its subscription is inactive or its workspace may not send.';
comment on column crm.webhook_queue.lease_token is
  'Fencing token of the last lease, cleared when the outcome is recorded. A dispatcher whose lease has ended cannot '
  'overwrite the outcome of the next dispatcher, and an outcome that is reported twice counts once.';
comment on column crm.webhook_queue.claim_horizon is
  'crm.feed_horizon() at the last claim: the body was made from a state that shows every transaction below it.';
call crm.protect('crm.webhook_queue');
create index webhook_queue_ready on crm.webhook_queue (shard, workspace_id, subscription_id, delivery_id)
  where state = 'ready';
create index webhook_queue_waiting on crm.webhook_queue (shard, due_at) where state = 'waiting';
create index webhook_queue_leased on crm.webhook_queue (shard, workspace_id, subscription_id) where state = 'leased';
create index webhook_queue_leased_of_host on crm.webhook_queue (host)
  where lease_until is not null and host is not null;
create index webhook_queue_not_ready on crm.webhook_queue (shard, workspace_id, subscription_id, delivery_id)
  where state <> 'ready' and lease_until is null;

create table crm.webhook_shards (
  shard smallint primary key check (shard between 0 and 15),
  last_workspace_id uuid not null default '00000000-0000-0000-0000-000000000000'
);
comment on table crm.webhook_shards is
  'The shards of the queue. A claim locks the row of its shard, so that two claims together cannot exceed the limits '
  'of a workspace. Claims from other shards do not wait.';
comment on column crm.webhook_shards.last_workspace_id is
  'The last workspace whose subscriptions the last claim read completely; zeros if it reached all workspaces. The next '
  'claim begins after this workspace.';
alter table crm.webhook_shards enable row level security, force row level security;
insert into crm.webhook_shards (shard) select generate_series(0, 15);

create table crm.webhook_unsettled (
  workspace_id uuid not null,
  subscription_id uuid not null,
  shard smallint not null generated always as ((get_byte(uuid_send(workspace_id), 15) & 15)::smallint) stored,
  send_now boolean not null default false,
  sent_to uuid not null default '00000000-0000-0000-0000-000000000000',
  primary key (workspace_id, subscription_id)
);
comment on table crm.webhook_unsettled is
  'Subscriptions whose queue rows must still be held, cancelled or released, because the subscription or its workspace '
  'changed. Claims do this work in small steps (crm.settle_subscription), so that a change of a subscription does not '
  'wait for a long queue.';
comment on column crm.webhook_unsettled.send_now is
  'Whether deliveries that wait for their next attempt become due at once, as after a reactivation.';
comment on column crm.webhook_unsettled.sent_to is
  'The last delivery that became due because of send_now. Later steps begin after it, so each becomes due only once.';
call crm.protect('crm.webhook_unsettled');
create index webhook_unsettled_of_shard on crm.webhook_unsettled (shard);

create function crm.enqueue_added() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into crm.webhook_queue (workspace_id, subscription_id, delivery_id, event_id, state, due_at)
  select
    d.workspace_id, d.subscription_id, d.id, d.event_id,
    case when d.next_attempt_at <= statement_timestamp() then 'ready' else 'waiting' end, d.next_attempt_at
  from added d
  where d.state = 'pending';
  return null;
end
$$;
comment on function crm.enqueue_added() is 'Trigger: puts new deliveries into the queue.';
create trigger enqueue_added after insert on crm.webhook_deliveries
  referencing new table as added for each statement execute function crm.enqueue_added();

create function crm.enqueue_changed() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off as $$
declare
  v_now timestamptz := clock_timestamp();
  v_change record;
begin
  -- One statement for all ended deliveries, because crm.delivery_record usually ends many at a time.
  delete from crm.webhook_queue q using changed c
  where c.state <> 'pending' and q.workspace_id = c.workspace_id and q.delivery_id = c.id;

  for v_change in
    select c.*, c.attempts <> b.attempts as is_recorded
    from changed c join before b on b.workspace_id = c.workspace_id and b.id = c.id
    where c.state = 'pending'
      and (b.state <> c.state or b.next_attempt_at <> c.next_attempt_at or b.attempts <> c.attempts)
    order by c.workspace_id, c.id
  loop
    insert into crm.webhook_queue as q (workspace_id, subscription_id, delivery_id, event_id, state, due_at)
    values (
      v_change.workspace_id, v_change.subscription_id, v_change.id, v_change.event_id,
      case when v_change.next_attempt_at <= v_now then 'ready' else 'waiting' end, v_change.next_attempt_at
    )
    on conflict (workspace_id, delivery_id) do update
    set
      due_at = excluded.due_at,
      -- An attempt in progress continues, unless this update records its outcome.
      state = case
        when q.state = 'held' or q.state = 'leased' and not v_change.is_recorded then q.state
        else excluded.state
      end,
      lease_until = case when not v_change.is_recorded then q.lease_until end,
      lease_token = case when not v_change.is_recorded then q.lease_token end;
  end loop;
  return null;
end
$$;
comment on function crm.enqueue_changed() is
  'Trigger: updates the queue after deliveries changed: their next attempt, their end, or a new series.';
create trigger enqueue_changed after update on crm.webhook_deliveries
  referencing old table as before new table as changed for each statement execute function crm.enqueue_changed();

create function crm.may_send(p_workspace_id uuid, p_subscription_id uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select s.is_active and not w.suspended and w.public_api
    from crm.webhook_subscriptions s join crm.workspaces w on w.id = s.workspace_id
    where s.workspace_id = coalesce(crm.current_workspace_id(), p_workspace_id) and s.id = p_subscription_id
  );
end
$$;
comment on function crm.may_send(uuid, uuid) is
  'Whether deliveries to a subscription are sent: it is active, and its workspace has the public API and is not '
  'suspended. Other deliveries are held. Security definer, because verbs may not read the workspace''s settings.';

-- Settling: when a subscription or its workspace changes, the subscription's rows in the queue are held (nothing may be
-- sent), cancelled (the subscription was deleted) or released (sending is allowed again). This takes several steps,
-- because thousands of deliveries may wait.

create function crm.settle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) returns boolean
language plpgsql set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  v_may_send boolean := crm.may_send(p_workspace_id, p_subscription_id);
  v_is_deleted boolean := exists (
    select from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id and s.deactivated_reason = 'deleted'
  );
  v_shard smallint := get_byte(uuid_send(p_workspace_id), 15) & 15;
  v_sent_to uuid := coalesce(
    (
      select u.sent_to from crm.webhook_unsettled u
      where u.workspace_id = p_workspace_id and u.subscription_id = p_subscription_id
    ),
    '00000000-0000-0000-0000-000000000000'
  );
  v_ids uuid[];
begin
  -- 500 rows at a time, because the dispatcher's claims do this work and must stay short.
  v_ids := array(
    select q.delivery_id from crm.webhook_queue q
    where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
      and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
      and (
        q.state = 'held' and (v_may_send or v_is_deleted)
        or q.state = 'waiting' and (
          not v_may_send or p_send_now and q.delivery_id > v_sent_to and q.due_at > statement_timestamp()
        )
      )
      and q.state <> 'ready' and q.lease_until is null
    order by q.shard, q.workspace_id, q.subscription_id, q.delivery_id limit 500
    for update skip locked
  );
  if not v_may_send then
    v_ids := v_ids || array(
      select q.delivery_id from crm.webhook_queue q
      where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
        and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
        and q.state = 'ready'
      order by q.shard, q.workspace_id, q.subscription_id, q.delivery_id limit 500
      for update skip locked
    );
  end if;

  if v_is_deleted then
    update crm.webhook_deliveries d set state = 'cancelled'
    where d.workspace_id = p_workspace_id and d.id = any (v_ids) and d.state = 'pending';
    delete from crm.webhook_queue q where q.workspace_id = p_workspace_id and q.delivery_id = any (v_ids);
  elsif not v_may_send then
    update crm.webhook_queue q set state = 'held'
    where q.workspace_id = p_workspace_id and q.delivery_id = any (v_ids);
  else
    update crm.webhook_queue q
    set state = case when q.due_at <= statement_timestamp() then 'ready' else 'waiting' end
    where q.workspace_id = p_workspace_id and q.delivery_id = any (v_ids);
    if p_send_now then
      update crm.webhook_deliveries d set next_attempt_at = statement_timestamp()
      where d.workspace_id = p_workspace_id and d.id = any (v_ids) and d.next_attempt_at > statement_timestamp();
      v_sent_to := greatest(v_sent_to, v_ids[cardinality(v_ids)]);
      update crm.webhook_unsettled u set sent_to = v_sent_to
      where u.workspace_id = p_workspace_id and u.subscription_id = p_subscription_id;
    end if;
  end if;
  -- Rows that other transactions had locked were skipped; a later call changes these rows.
  return not exists (
    select from crm.webhook_queue q
    where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
      and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
      and (
        q.state = 'held' and (v_may_send or v_is_deleted)
        or q.state = 'waiting' and (
          not v_may_send or p_send_now and q.delivery_id > v_sent_to and q.due_at > statement_timestamp()
        )
      )
      and q.state <> 'ready' and q.lease_until is null
  ) and (
    v_may_send or not exists (
      select from crm.webhook_queue q
      where (q.shard, q.workspace_id, q.subscription_id) >= (v_shard, p_workspace_id, p_subscription_id)
        and (q.shard, q.workspace_id, q.subscription_id) <= (v_shard, p_workspace_id, p_subscription_id)
        and q.state = 'ready'
    )
  );
end
$$;
comment on function crm.settle_subscription(uuid, uuid, boolean) is
  'Brings up to 500 queue rows (1,000 to hold or cancel), oldest first, into the state that their subscription and '
  'workspace require: held, released, or (for a deleted subscription) cancelled and removed. Skips leased rows. '
  'Returns true if no row is left to change.';

create function crm.unsettle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- A claim may still be applying the earlier state, and delete the marker at its end. `do update` waits for the
  -- claim's lock on the marker. `do nothing` would not wait, and no marker would be left for the new state.
  insert into crm.webhook_unsettled as u (workspace_id, subscription_id, send_now)
  values (p_workspace_id, p_subscription_id, p_send_now)
  on conflict (workspace_id, subscription_id) do update
  set send_now = excluded.send_now, sent_to = excluded.sent_to;
end
$$;
comment on function crm.unsettle_subscription(uuid, uuid, boolean) is
  'Tells claims to hold, cancel or release the queue rows of a subscription.';

create function crm.unsettle_changed_subscription() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.unsettle_subscription(new.workspace_id, new.id, new.is_active);
  -- Settle the first rows here: most subscriptions have so few rows that nothing is left for claims.
  if crm.settle_subscription(new.workspace_id, new.id, new.is_active) then
    delete from crm.webhook_unsettled u where u.workspace_id = new.workspace_id and u.subscription_id = new.id;
  end if;
  return null;
end
$$;
comment on function crm.unsettle_changed_subscription() is
  'Trigger: holds, cancels or releases the first waiting deliveries of a changed subscription; claims do the rest.';
create trigger unsettle_changed_subscription
after update of is_active, deactivated_reason on crm.webhook_subscriptions for each row
when (old.is_active <> new.is_active or old.deactivated_reason is distinct from new.deactivated_reason)
execute function crm.unsettle_changed_subscription();

create function crm.settle_shard(p_shard smallint) returns void
language plpgsql set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  v_marker crm.webhook_unsettled;
begin
  -- 20 subscriptions at most, so that a claim stays short if thousands became inactive together.
  for v_marker in
    select u.* from crm.webhook_unsettled u where u.shard = p_shard limit 20 for update skip locked
  loop
    -- The 50 ms count from the start of the claim, for all its shards together. A single step may take longer:
    -- cancelling 500 deliveries takes about 100 ms.
    exit when clock_timestamp() > statement_timestamp() + interval '50 ms';
    if crm.settle_subscription(v_marker.workspace_id, v_marker.subscription_id, v_marker.send_now) then
      delete from crm.webhook_unsettled u
      where u.workspace_id = v_marker.workspace_id and u.subscription_id = v_marker.subscription_id;
    end if;
  end loop;
end
$$;
comment on function crm.settle_shard(smallint) is
  'Settles up to 20 subscriptions of a shard with a marker in crm.webhook_unsettled, until the claim has taken 50 ms. '
  'Later claims visit the shards in another order, and settle the rest. The caller has locked the shard.';

-- The queue of deliveries (spec 6.5): what may be sent, its claim, the record of an attempt, the poke. It is a small table
-- beside the partitioned deliveries, so that a claim costs the same whatever is stored, and whatever waits for inactive
-- subscriptions or suspended workspaces. Only the clock of the database decides what is due, so a dispatcher whose own
-- clock is wrong changes nothing. The functions that the dispatcher calls are security definer, because its role has no
-- rights on any table. Why it is built so: docs/decisions/0024-partitions-and-the-queue.md.
--
-- The functions that walk the queue forbid scans that read all of it: a plan is often made while the queue is empty, and
-- is kept when it is long.
--
-- Locks are taken in this order, so that nobody deadlocks: a shard, a marker of crm.webhook_unsettled, a row of the queue,
-- its delivery, its subscription.

create sequence crm.webhook_leases;
comment on sequence crm.webhook_leases is 'The numbers of leases: each is given once, also after a delivery is sent again.';

create table crm.webhook_queue (
  workspace_id uuid not null,
  subscription_id uuid not null,
  delivery_id uuid not null,
  shard smallint not null generated always as ((get_byte(uuid_send(workspace_id), 15) & 15)::smallint) stored,
  state text not null check (state in ('ready', 'waiting', 'leased', 'held')),
  due_at timestamptz not null,
  lease_until timestamptz,
  lease_token bigint,
  host text,
  primary key (workspace_id, delivery_id),
  check ((state = 'leased') = (lease_until is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table crm.webhook_queue is
  'A row for each pending delivery. Written by triggers on crm.webhook_deliveries, by claims and by '
  'crm.settle_subscription; the dispatcher walks it, and never what has ended.';
comment on column crm.webhook_queue.shard is 'One of 16 parts of the queue, by workspace, each with its claim lock.';
comment on column crm.webhook_queue.state is
  'ready: may be sent now; waiting: becomes ready at due_at; leased: a dispatcher sends it; held: its subscription is '
  'inactive or its workspace may not send, so no claim looks at it.';
comment on column crm.webhook_queue.lease_until is 'When the lease of the dispatcher that claimed the delivery ends.';
comment on column crm.webhook_queue.lease_token is
  'Fencing token of the last lease, until its outcome is recorded: a dispatcher that was too slow cannot overwrite the '
  'outcome of its successor, and an outcome that is sent twice counts once.';
comment on column crm.webhook_queue.host is 'The target host of the attempt that is under way or was the last one.';
call crm.protect('crm.webhook_queue');
create index webhook_queue_ready on crm.webhook_queue (shard, workspace_id, subscription_id, delivery_id)
  where state = 'ready';
create index webhook_queue_waiting on crm.webhook_queue (shard, due_at) where state = 'waiting';
create index webhook_queue_leased on crm.webhook_queue (shard, workspace_id, subscription_id) where state = 'leased';
-- By another condition than the index before, so that no plan takes that one and reads all that is in flight.
create index webhook_queue_leased_of_host on crm.webhook_queue (host) where lease_until is not null;
create index webhook_queue_not_ready on crm.webhook_queue (workspace_id, subscription_id, delivery_id)
  where state in ('waiting', 'held');

create table crm.webhook_shards (
  shard smallint primary key check (shard between 0 and 15),
  last_workspace_id uuid not null default '00000000-0000-0000-0000-000000000000'
);
comment on table crm.webhook_shards is
  'The parts of the queue. A claim locks the row of a part, so that two claims do not both fill the same free places; '
  'claims of other parts go on.';
comment on column crm.webhook_shards.last_workspace_id is
  'Where the last claim stopped, if it did not see all workspaces: the next one begins behind it.';
alter table crm.webhook_shards enable row level security;
alter table crm.webhook_shards force row level security;
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
  'Subscriptions whose rows in the queue must still be held, cancelled or released, after the subscription or its '
  'workspace changed. Claims do that in small steps (crm.settle_subscription), so that no change of state waits for a '
  'long queue.';
comment on column crm.webhook_unsettled.send_now is
  'Whether deliveries that wait for their next attempt become due now: after a reactivation.';
comment on column crm.webhook_unsettled.sent_to is
  'The last delivery that became due so. Each does once: those that fail again meanwhile wait as long as any.';
call crm.protect('crm.webhook_unsettled');
create index webhook_unsettled_of_shard on crm.webhook_unsettled (shard);

create function crm.enqueue_added() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into crm.webhook_queue (workspace_id, subscription_id, delivery_id, state, due_at)
  select
    d.workspace_id, d.subscription_id, d.id,
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
language plpgsql security definer
set search_path = ''
as $$
declare
  v_is_due boolean := new.next_attempt_at <= clock_timestamp();
begin
  if new.state <> 'pending' then
    delete from crm.webhook_queue q where q.workspace_id = new.workspace_id and q.delivery_id = new.id;
    return null;
  end if;
  insert into crm.webhook_queue as q (workspace_id, subscription_id, delivery_id, state, due_at)
  values (
    new.workspace_id, new.subscription_id, new.id, case when v_is_due then 'ready' else 'waiting' end, new.next_attempt_at
  )
  on conflict (workspace_id, delivery_id) do update
  set
    due_at = excluded.due_at,
    -- An attempt that is under way goes on, unless this is the record of its outcome.
    state = case
      when q.state = 'held' or q.state = 'leased' and new.attempts = old.attempts then q.state
      else excluded.state
    end,
    lease_until = case when new.attempts = old.attempts then q.lease_until end,
    lease_token = case when new.attempts = old.attempts then q.lease_token end;
  return null;
end
$$;
comment on function crm.enqueue_changed() is
  'Trigger: keeps the queue in step with a delivery: its time, its end, its new series.';
create trigger enqueue_changed after update of state, next_attempt_at, attempts on crm.webhook_deliveries for each row
  when (old.state <> new.state or old.next_attempt_at <> new.next_attempt_at or old.attempts <> new.attempts)
  execute function crm.enqueue_changed();

create function crm.may_send(p_workspace_id uuid, p_subscription_id uuid) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select s.is_active and not w.suspended and w.public_api
    from crm.webhook_subscriptions s join crm.workspaces w on w.id = s.workspace_id
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id
  );
end
$$;
comment on function crm.may_send(uuid, uuid) is
  'Whether deliveries to a subscription are sent: it is active, and its workspace is not suspended and has the public '
  'API. Otherwise they are held. Security definer, because a key may not read the workspace''s settings.';

create function crm.settle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) returns boolean
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
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
  -- 500 at a time, because the dispatcher's claims do this.
  v_ids := array(
    select q.delivery_id from crm.webhook_queue q
    where q.workspace_id = p_workspace_id and q.subscription_id = p_subscription_id
      and (
        q.state = 'held' and (v_may_send or v_is_deleted)
        or q.state = 'waiting' and (
          not v_may_send or p_send_now and q.delivery_id > v_sent_to and q.due_at > statement_timestamp()
        )
      )
      and q.state in ('waiting', 'held')
    order by q.delivery_id
    limit 500
    for update skip locked
  );
  if not v_may_send then
    v_ids := v_ids || array(
      select q.delivery_id from crm.webhook_queue q
      where q.shard = v_shard and q.workspace_id = p_workspace_id and q.subscription_id = p_subscription_id
        and q.state = 'ready'
      order by q.delivery_id
      limit 500
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
  -- What somebody else has locked was skipped, and is left.
  return not exists (
    select from crm.webhook_queue q
    where q.workspace_id = p_workspace_id and q.subscription_id = p_subscription_id
      and (
        q.state = 'held' and (v_may_send or v_is_deleted)
        or q.state = 'waiting' and (
          not v_may_send or p_send_now and q.delivery_id > v_sent_to and q.due_at > statement_timestamp()
        )
      )
      and q.state in ('waiting', 'held')
  ) and (
    v_may_send or not exists (
      select from crm.webhook_queue q
      where q.shard = v_shard and q.workspace_id = p_workspace_id and q.subscription_id = p_subscription_id
        and q.state = 'ready'
    )
  );
end
$$;
comment on function crm.settle_subscription(uuid, uuid, boolean) is
  'Brings up to 500 rows of the queue (1,000 to hold) into the state that their subscription and workspace call for: '
  'held, released, or cancelled and removed where the subscription was deleted. What is in flight is left alone. Oldest '
  'first. True if no row is left.';

create function crm.unsettle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) returns void
language sql volatile
set search_path = ''
as $$
  -- An update where the row exists, because it waits for a claim that settles by an older state and removes the row.
  insert into crm.webhook_unsettled as u (workspace_id, subscription_id, send_now)
  values (p_workspace_id, p_subscription_id, p_send_now)
  on conflict (workspace_id, subscription_id) do update
  set send_now = excluded.send_now, sent_to = excluded.sent_to
$$;
comment on function crm.unsettle_subscription(uuid, uuid, boolean) is
  'Tells the claims that the rows of a subscription must be held, cancelled or released.';

create function crm.unsettle_changed_subscription() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform crm.unsettle_subscription(new.workspace_id, new.id, new.is_active);
  -- Most have a few rows, and those change with the subscription itself: no claim has to look at it.
  if crm.settle_subscription(new.workspace_id, new.id, new.is_active) then
    delete from crm.webhook_unsettled u where u.workspace_id = new.workspace_id and u.subscription_id = new.id;
  end if;
  return null;
end
$$;
comment on function crm.unsettle_changed_subscription() is
  'Trigger: holds, cancels or releases the first deliveries that wait for a subscription; claims do the rest.';
create trigger unsettle_changed_subscription
after update of is_active, deactivated_reason on crm.webhook_subscriptions for each row
when (old.is_active <> new.is_active or old.deactivated_reason is distinct from new.deactivated_reason)
execute function crm.unsettle_changed_subscription();

create function crm.settle_shard(p_shard smallint) returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_marker crm.webhook_unsettled;
begin
  -- 20 subscriptions at most, so that a claim stays short when thousands became inactive together.
  for v_marker in
    select u.* from crm.webhook_unsettled u where u.shard = p_shard limit 20 for update skip locked
  loop
    -- Of the whole claim, which visits all shards: 500 cancelled deliveries take some 100 ms.
    exit when clock_timestamp() > statement_timestamp() + interval '50 ms';
    if crm.settle_subscription(v_marker.workspace_id, v_marker.subscription_id, v_marker.send_now) then
      delete from crm.webhook_unsettled u
      where u.workspace_id = v_marker.workspace_id and u.subscription_id = v_marker.subscription_id;
    end if;
  end loop;
end
$$;
comment on function crm.settle_shard(smallint) is
  'Settles what crm.webhook_unsettled names in a shard, unless the claim has taken 50 ms already: then a later claim, '
  'whose shards come in another order, does it. The caller has locked the shard.';

create function crm.wake_deliveries(p_shard smallint) returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  update crm.webhook_queue q
  set state = 'ready'
  from (
    select w.workspace_id, w.delivery_id from crm.webhook_queue w
    where w.shard = p_shard and w.state = 'waiting' and w.due_at <= statement_timestamp()
    order by w.due_at
    limit 200
    for update skip locked
  ) w
  where q.workspace_id = w.workspace_id and q.delivery_id = w.delivery_id;

  update crm.webhook_queue q
  set state = 'ready', lease_until = null
  where q.shard = p_shard and q.state = 'leased' and q.lease_until <= statement_timestamp();
end
$$;
comment on function crm.wake_deliveries(smallint) is
  'Makes ready what has become due in a shard, 200 retries at a time, and what a dispatcher left behind. The caller has '
  'locked the shard.';

create type crm.claim_candidate as (
  workspace_id uuid,
  subscription_id uuid,
  delivery_id uuid,
  host text,
  is_slow boolean,
  workspace_rank integer
);
comment on type crm.claim_candidate is
  'A ready delivery for which its subscription and workspace have a free place: which place of the workspace it would '
  'be, those in flight included.';

create function crm.claim_candidates(p_shard smallint, p_limit integer) returns crm.claim_candidate[]
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  -- Each takes some steps through indexes, some 20 microseconds. More than the active subscriptions of one workspace.
  c_max_subscriptions constant integer := greatest(p_limit, 60);
  v_after uuid := (select s.last_workspace_id from crm.webhook_shards s where s.shard = p_shard);
  v_seen integer;
  v_last uuid;
  v_candidates crm.claim_candidate[];
begin
  loop
    with recursive waiting as (
      (
        select q.workspace_id, q.subscription_id, 1 as n from crm.webhook_queue q
        where q.shard = p_shard and q.state = 'ready' and q.workspace_id > v_after
        order by q.workspace_id, q.subscription_id
        limit 1
      )
      union all
      select next.workspace_id, next.subscription_id, w.n + 1
      from waiting w
      cross join lateral (
        select q.workspace_id, q.subscription_id from crm.webhook_queue q
        where q.shard = p_shard and q.state = 'ready'
          and (q.workspace_id, q.subscription_id) > (w.workspace_id, w.subscription_id)
        order by q.workspace_id, q.subscription_id
        limit 1
      ) next
      where w.n < c_max_subscriptions
    ),
    -- Counted for each target through an index, because the planner does not know how much is in flight.
    target as (
      select
        w.workspace_id, w.subscription_id, s.target_host, s.slow_since is not null as is_slow,
        s.is_active and not p.suspended and p.public_api as may_send,
        f.taken, f.workspace_taken,
        (
          select count(*) from crm.webhook_queue q where q.lease_until is not null and q.host = s.target_host
        ) as host_taken
      from waiting w
      join crm.webhook_subscriptions s on s.workspace_id = w.workspace_id and s.id = w.subscription_id
      join crm.workspaces p on p.id = w.workspace_id
      cross join lateral (
        select
          count(*) filter (where q.subscription_id = w.subscription_id)::integer as taken,
          count(*)::integer as workspace_taken
        from crm.webhook_queue q
        where q.shard = p_shard and q.state = 'leased' and q.workspace_id = w.workspace_id
      ) f
    ),
    -- An event can enqueue for a subscription that became inactive at the same moment.
    stray as (
      insert into crm.webhook_unsettled (workspace_id, subscription_id)
      select t.workspace_id, t.subscription_id from target t where not t.may_send
      on conflict do nothing
    ),
    candidate as (
      select
        t.workspace_id, t.subscription_id, d.delivery_id, t.target_host, t.is_slow, t.workspace_taken,
        t.taken + d.rank as subscription_rank
      from target t
      cross join lateral (
        select q.delivery_id, row_number() over (order by q.delivery_id) as rank
        from crm.webhook_queue q
        where q.shard = p_shard and q.state = 'ready' and q.workspace_id = t.workspace_id
          and q.subscription_id = t.subscription_id
        order by q.delivery_id
        limit greatest(case when t.is_slow then 1 else 4 end - t.taken, 0)
      ) d
      where t.may_send and t.workspace_taken < 8 and t.host_taken < case when t.is_slow then 32 else 64 end
    ),
    ranked as (
      select
        c.*,
        c.workspace_taken
          + row_number() over (partition by c.workspace_id order by c.subscription_rank, c.delivery_id)
          as workspace_rank
      from candidate c
    ),
    chosen as (
      -- Among workspaces by chance: by age, whoever recovers old events in many workspaces would always be first.
      select r.* from ranked r where r.workspace_rank <= 8 order by r.workspace_rank, random() limit p_limit
    )
    select
      array(
        select row(
          c.workspace_id, c.subscription_id, c.delivery_id, c.target_host, c.is_slow, c.workspace_rank
        )::crm.claim_candidate
        from chosen c
      ),
      (select count(*) from waiting),
      -- Of the last workspace, perhaps not all subscriptions were seen: the next call begins with it.
      (
        select w.workspace_id from waiting w
        where w.workspace_id <> (select last.workspace_id from waiting last order by last.n desc limit 1)
        order by w.n desc
        limit 1
      )
    into v_candidates, v_seen, v_last;
    exit when v_seen > 0 or v_after = '00000000-0000-0000-0000-000000000000';
    v_after := '00000000-0000-0000-0000-000000000000';
  end loop;

  v_last := case when v_seen < c_max_subscriptions then '00000000-0000-0000-0000-000000000000' else v_last end;
  update crm.webhook_shards s set last_workspace_id = v_last where s.shard = p_shard and s.last_workspace_id <> v_last;
  return v_candidates;
end
$$;
comment on function crm.claim_candidates(smallint, integer) is
  'Ready deliveries of a shard that may be claimed, p_limit at most: 4 in flight for a subscription (1 while it is '
  'slow), 8 for a workspace; workspaces take turns, in no order, and each gets its oldest events first. Looks at '
  'p_limit subscriptions, at least 60; the next call begins behind them. The caller has locked the shard.';

create function crm.delivery_claim(p_batch integer)
returns table (
  claimed_at double precision,
  workspace_id uuid,
  subscription_id uuid,
  delivery_id uuid,
  event_id uuid,
  lease_token bigint,
  event crm.event_type,
  target_url text,
  secret bytea,
  next_secret bytea,
  body text
)
language plpgsql security definer
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_shard smallint;
  v_candidates crm.claim_candidate[] := '{}';
begin
  for v_shard in
    -- offset 0 keeps each question to its shard: the planner would rather read all that waits, once.
    select s.shard from crm.webhook_shards s
    where exists (select from crm.webhook_queue q where q.shard = s.shard and q.state = 'ready' offset 0)
      or exists (
        select from crm.webhook_queue q
        where q.shard = s.shard and q.state = 'waiting' and q.due_at <= statement_timestamp()
        offset 0
      )
      or exists (
        select from crm.webhook_queue q
        where q.shard = s.shard and q.state = 'leased' and q.lease_until <= statement_timestamp()
        offset 0
      )
      or exists (select from crm.webhook_unsettled u where u.shard = s.shard offset 0)
    order by random()
  loop
    -- Another dispatcher that has the shard claims what is there.
    perform from crm.webhook_shards s where s.shard = v_shard for update skip locked;
    continue when not found;
    perform crm.wake_deliveries(v_shard);
    perform crm.settle_shard(v_shard);
    v_candidates := v_candidates || crm.claim_candidates(v_shard, p_batch);
    -- Enough workspaces, so that none takes its second place before others have their first.
    exit when (select count(distinct c.workspace_id) from unnest(v_candidates) c) >= p_batch;
  end loop;
  if v_candidates = '{}' then
    return;
  end if;

  -- Claims of other shards may choose the same hosts. In order of number, so that two claims cannot deadlock.
  perform pg_advisory_xact_lock(k.number)
  from (
    select distinct crm.lock_number('webhook host ' || c.host) as number from unnest(v_candidates) c order by number
  ) k;
  v_now := clock_timestamp();

  return query
  with host as (
    select h.host, (
      select count(*) from crm.webhook_queue q where q.lease_until is not null and q.host = h.host
    ) as taken
    from (select distinct c.host from unnest(v_candidates) c) h
  ),
  ranked as (
    select
      c.*,
      h.taken
        + row_number() over (partition by c.host order by c.is_slow, c.workspace_rank, random())
        as host_rank
    from unnest(v_candidates) c
    join host h on h.host = c.host
  ),
  chosen as (
    select r.* from ranked r
    where r.host_rank <= case when r.is_slow then 32 else 64 end
    order by r.workspace_rank, random()
    limit p_batch
  ),
  claimed as (
    update crm.webhook_queue q
    set state = 'leased', lease_until = v_now + interval '60 s', lease_token = nextval('crm.webhook_leases'),
      host = c.host
    from chosen c
    where q.workspace_id = c.workspace_id and q.delivery_id = c.delivery_id
      -- Written so that the index of what is ready does not serve it: a plan that believes that little is ready would read
      -- all of it, instead of each row by its key.
      and q.state is not distinct from 'ready'
    returning q.workspace_id, q.subscription_id, q.delivery_id, q.lease_token
  )
  select
    extract(epoch from v_now)::double precision,
    c.workspace_id, c.subscription_id, c.delivery_id, d.event_id, c.lease_token, (e.event).event, s.target_url,
    case when k.next_from <= v_now then k.next_secret else k.secret end,
    case when k.next_from > v_now then k.next_secret end,
    crm.delivery_body(c.delivery_id, e.event)
  from claimed c
  -- offset 0 keeps the order of the lookups. The conditions leave no index that would read more than one row: a plan
  -- that believes that a workspace has few rows takes any index, also for a workspace that has a million.
  cross join lateral (
    select d.event_id from crm.webhook_deliveries d
    where d.workspace_id = c.workspace_id and d.subscription_id = c.subscription_id and d.id = c.delivery_id
    offset 0
  ) d
  cross join lateral (
    select e as event from crm.events e
    where e.workspace_id = c.workspace_id and e.id >= d.event_id and e.id <= d.event_id
    order by e.id
    limit 1
  ) e
  join crm.webhook_subscriptions s on s.workspace_id = c.workspace_id and s.id = c.subscription_id
  join crm.webhook_secrets k on k.workspace_id = c.workspace_id and k.subscription_id = c.subscription_id;
end
$$;
comment on function crm.delivery_claim(integer) is
  'Leases up to p_batch due deliveries for 60 seconds, and returns what the dispatcher needs to send them. claimed_at '
  'is the database''s time, in seconds since 1970; next_secret is null unless a rotation overlaps. At most 64 are in '
  'flight to a host, 32 of them to slow subscriptions; for the other limits see crm.claim_candidates. Several '
  'dispatchers claim at the same time, each from shards of its own.';

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

create function crm.deliveries_due() returns boolean
language sql volatile
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  select exists (select from crm.webhook_queue q where q.state = 'ready')
    or exists (select from crm.webhook_unsettled)
    or exists (select from crm.webhook_queue q where q.state = 'leased' and q.lease_until <= statement_timestamp())
    or exists (
      select from crm.webhook_shards s
      where exists (
        select from crm.webhook_queue q
        where q.shard = s.shard and q.state = 'waiting' and q.due_at <= statement_timestamp() + interval '15 s'
        offset 0
      )
    )
$$;
comment on function crm.deliveries_due() is
  'Whether a claim would find work now or within 15 seconds. The job webhook-dispatch asks every 10 seconds, so the '
  'dispatcher is awake at least 5 seconds before a delivery is due, and can send it on time.';

create function crm.next_delivery_due(p_within interval) returns double precision
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_next timestamptz;
begin
  -- A shard was locked by another dispatcher's claim, or a delivery was added meanwhile. Where the workspace has
  -- something in flight, its dispatcher claims the rest.
  if exists (select from crm.webhook_unsettled) or exists (
    select from (select distinct q.workspace_id from (
      select q.workspace_id from crm.webhook_queue q where q.state = 'ready' limit 1000
    ) q) r
    where not exists (
      select from crm.webhook_queue l
      where l.shard = get_byte(uuid_send(r.workspace_id), 15) & 15 and l.workspace_id = r.workspace_id and l.state = 'leased'
    )
  ) then
    return 0;
  end if;
  select min(d.due_at) into v_next
  from crm.webhook_shards s
  cross join lateral (
    select q.due_at from crm.webhook_queue q
    where q.shard = s.shard and q.state = 'waiting' and q.due_at <= v_now + p_within
    order by q.due_at
    limit 1
  ) d;
  -- Not greatest() alone, which leaves a null out.
  return case when v_next is not null then greatest(extract(epoch from v_next - v_now), 0) end;
end
$$;
comment on function crm.next_delivery_due(interval) is
  'Seconds until the next delivery is due; null if none becomes due within p_within. For a dispatcher that has just '
  'claimed all that is due: those that wait for a place of their subscription or workspace do not count.';

create function crm.poke_dispatcher() returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  v_url text;
  v_secret text;
begin
  if not crm.deliveries_due() then
    return;
  end if;
  -- On Supabase pg_net sends the poke; elsewhere the local scheduler listens for the notification. The statements are
  -- dynamic, because the schemas net and vault may not exist.
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
  -- pg_net puts its functions into the schema net, whichever schema it was created in.
  execute format('select %I.%I(url := $1, headers := $2)', 'net', 'http_post')
  using v_url, jsonb_build_object('Authorization', 'Bearer ' || v_secret, 'Content-Type', 'application/json');
end
$$;
comment on function crm.poke_dispatcher() is
  'Pokes the dispatcher if a delivery is due now or within 15 seconds: a retry, or a delivery whose poke after the '
  'request was lost. Security definer, because it looks at every workspace, and members poke it too.';

create function crm.resume_webhooks() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- A claim that has the shard locks markers of the same subscriptions, in another order.
  perform from crm.webhook_shards p where p.shard = get_byte(uuid_send(new.id), 15) & 15 for update;
  perform crm.unsettle_subscription(s.workspace_id, s.id, false)
  from crm.webhook_subscriptions s
  where s.workspace_id = new.id and s.is_active;
  perform crm.poke_dispatcher();
  return null;
end
$$;
comment on function crm.resume_webhooks() is
  'Trigger: releases what is held, and pokes the dispatcher, when a workspace may send webhooks again, whoever changed '
  'it. Its deliveries kept their attempts and times, so those whose time has passed are sent at once.';
create trigger resume_webhooks after update of suspended, public_api on crm.workspaces for each row
when ((old.suspended or not old.public_api) and not new.suspended and new.public_api)
execute function crm.resume_webhooks();

create function crm.stuck_deliveries(p_bound integer) returns setof crm.webhook_queue
language sql volatile
set search_path = ''
as $$
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
    -- With an attempt under way in the workspace the dispatcher works, and the rest waits for a slow receiver.
    and not exists (
      select from crm.webhook_queue l
      where l.shard = q.shard and l.workspace_id = q.workspace_id and l.state = 'leased'
        and l.lease_until > statement_timestamp()
    )
$$;
comment on function crm.stuck_deliveries(integer) is
  'Deliveries that have been due for over a minute while the dispatcher does nothing for their workspace. Looks at '
  'p_bound rows of each state of the queue, and of each shard where they wait.';

create function crm.check_health() returns text
language sql volatile
security definer
set search_path = ''
as $$
  -- Bounded, because anybody may ask for the health.
  select case when exists (select from crm.stuck_deliveries(1000)) then 'degraded' else 'ok' end
$$;
comment on function crm.check_health() is
  'The state of the webhooks, for the health check: degraded if a delivery of an active subscription has been due for '
  'over a minute and the dispatcher does nothing for its workspace, because nobody wakes it or it cannot run; else ok.';

-- Claims of deliveries (spec 6.5): which deliveries become ready, which deliveries a dispatcher claims, and the lease.

create function crm.wake_deliveries(p_shard smallint) returns void
language plpgsql set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  update crm.webhook_queue q
  set state = 'ready'
  where q.ctid = any (array(
    select w.ctid from crm.webhook_queue w
    where w.shard = p_shard and w.state = 'waiting' and w.due_at <= statement_timestamp()
    order by w.due_at limit 200
    for update skip locked
  ));

  update crm.webhook_queue q
  set state = 'ready', lease_until = null
  -- Skip locked rows, because waiting could deadlock: the transaction that locked a row to record its outcome may be
  -- waiting for a marker that this claim has locked.
  where q.ctid = any (array(
    select l.ctid from crm.webhook_queue l
    where l.shard = p_shard and l.state = 'leased' and l.lease_until <= statement_timestamp()
    for update skip locked
  ));
end
$$;
comment on function crm.wake_deliveries(smallint) is
  'Makes deliveries of a shard ready: waiting deliveries that are due, at most 200 in a call, and all deliveries whose '
  'lease has ended. The caller has locked the shard.';

create type crm.claim_candidate as (
  workspace_id uuid, subscription_id uuid, delivery_id uuid, host text, is_slow boolean,
  workspace_rank integer
);
comment on type crm.claim_candidate is
  'A ready delivery for which its subscription and its workspace have room. workspace_rank: if the delivery is '
  'claimed, its place among the workspace''s deliveries in flight.';

create function crm.claim_candidates(p_shard smallint, p_limit integer) returns crm.claim_candidate[]
language plpgsql set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  -- How many subscriptions one round looks up, each in about 20 microseconds. At least 60, so that a round covers all
  -- subscriptions of a workspace (at most 50 are active).
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
        where q.state = 'ready' and (q.shard, q.workspace_id) > (p_shard, v_after) and q.shard <= p_shard
        order by q.shard, q.workspace_id, q.subscription_id limit 1
      )
      union all
      select next.workspace_id, next.subscription_id, w.n + 1
      from waiting w
      cross join lateral (
        select q.workspace_id, q.subscription_id from crm.webhook_queue q
        where q.state = 'ready'
          and (q.shard, q.workspace_id, q.subscription_id) > (p_shard, w.workspace_id, w.subscription_id)
          and q.shard <= p_shard
        order by q.shard, q.workspace_id, q.subscription_id limit 1
      ) next
      where w.n < c_max_subscriptions
    ),
    -- Count the deliveries in flight by an index search for each target, because the planner cannot know their number,
    -- and might plan a join for a wrong number.
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
        where q.state = 'leased' and (q.shard, q.workspace_id) >= (p_shard, w.workspace_id)
          and (q.shard, q.workspace_id) <= (p_shard, w.workspace_id)
      ) f
    ),
    -- Mark subscriptions whose deliveries must be held: an event may enqueue a delivery while its subscription is being
    -- deactivated.
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
        where q.state = 'ready'
          and (q.shard, q.workspace_id, q.subscription_id) >= (p_shard, t.workspace_id, t.subscription_id)
          and (q.shard, q.workspace_id, q.subscription_id) <= (p_shard, t.workspace_id, t.subscription_id)
        order by q.shard, q.workspace_id, q.subscription_id, q.delivery_id
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
      -- Workspaces come in random order. If the oldest event came first, a customer who recovers old events in many
      -- workspaces would always come first.
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
      -- The second to last workspace, so that the next call begins with the last one. This call may not have seen all
      -- subscriptions of the last workspace.
      (
        select w.workspace_id from waiting w
        where w.workspace_id <> (select last.workspace_id from waiting last order by last.n desc limit 1)
        order by w.n desc limit 1
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
  'Up to p_limit ready deliveries of a shard that may be claimed: 4 in flight for a subscription (1 while it is slow), '
  '8 for a workspace. Workspaces take turns in random order; the subscriptions of a workspace take turns, the oldest '
  'event first. Reads p_limit subscriptions, but at least 60; the next call continues with the last workspace read. '
  'The caller has locked the shard.';

create function crm.delivery_claim(p_batch integer)
returns table (
  claimed_at double precision, workspace_id uuid, subscription_id uuid, delivery_id uuid, event_id uuid,
  lease_token bigint, event crm.event_type, target_url text, secret bytea, next_secret bytea, body text,
  header_name text, header_value bytea
)
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  -- Older events have no deliveries, which are kept for 30 days. With this bound, the plan skips their partitions.
  v_oldest uuid := crm.uuid_v7_floor(now() - interval '32 days');
  v_shard smallint;
  v_candidates crm.claim_candidate[] := '{}';
begin
  for v_shard in select s.shard from crm.webhook_shards s order by random() loop
    -- Search one shard at a time: the first shard usually has enough deliveries, and each search also reads the dead
    -- rows that claims left since the last vacuum.
    continue when not (
      exists (select from crm.webhook_queue q where q.shard = v_shard and q.state = 'ready')
      or exists (
        select from crm.webhook_queue q
        where q.shard = v_shard and q.state = 'waiting' and q.due_at <= statement_timestamp()
      )
      or exists (
        select from crm.webhook_queue q
        where q.shard = v_shard and q.state = 'leased' and q.lease_until <= statement_timestamp()
      )
      or exists (select from crm.webhook_unsettled u where u.shard = v_shard)
    );
    -- Skip a shard that another dispatcher has locked: that dispatcher claims the shard's deliveries.
    perform from crm.webhook_shards s where s.shard = v_shard for update skip locked;
    continue when not found;
    perform crm.wake_deliveries(v_shard);
    perform crm.settle_shard(v_shard);
    v_candidates := v_candidates || crm.claim_candidates(v_shard, p_batch);
    -- Search more shards until there are enough workspaces to fill the batch. So no workspace gets a second delivery
    -- before another workspace gets its first.
    exit when (select count(distinct c.workspace_id) from unnest(v_candidates) c) >= p_batch;
  end loop;
  if v_candidates = '{}' then return; end if;

  -- Lock the hosts, because claims from other shards may choose the same hosts. Lock them in order, so that two claims
  -- cannot deadlock.
  perform pg_advisory_xact_lock(k.number)
  from (
    select crm.lock_number('webhook host ' || h.host) as number
    from (select distinct c.host from unnest(v_candidates) c) h
    order by number
  ) k;
  v_now := clock_timestamp();

  return query
  -- Materialized, so that the deliveries in flight to a host are counted once instead of once for each candidate.
  with host as materialized (
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
    order by r.workspace_rank, random() limit p_batch
  ),
  claimed as (
    update crm.webhook_queue q
    set state = 'leased', lease_until = v_now + interval '60 s', lease_token = nextval('crm.webhook_leases'),
      -- A subquery, because it runs once for all deliveries.
      claim_horizon = (select crm.feed_horizon()),
      host = (select c.host from chosen c where c.workspace_id = q.workspace_id and c.delivery_id = q.delivery_id)
    where q.ctid = any (array(
        select r.ctid from chosen c
        cross join lateral (
          select q.ctid from crm.webhook_queue q
          where q.workspace_id = c.workspace_id and q.delivery_id = c.delivery_id
          offset 0
        ) r
      ))
      -- Not `=`: a plan for `=` might read the whole index of ready rows.
      and q.state is not distinct from 'ready'
    returning q.workspace_id, q.subscription_id, q.delivery_id, q.event_id, q.lease_token
  )
  select
    extract(epoch from v_now)::double precision,
    c.workspace_id, c.subscription_id, c.delivery_id, c.event_id, c.lease_token, (e.event).event, s.target_url,
    case when k.next_from <= v_now then k.next_secret else k.secret end,
    case when k.next_from > v_now then k.next_secret end,
    crm.delivery_body(c.delivery_id, e.event, s.payload), s.header ->> 'name', k.header
  from claimed c
  -- With these conditions Postgres reads only one row, whichever index the plan uses. A cached plan made for a
  -- workspace with few events may use any index, and then serves a workspace with a million events.
  cross join lateral (
    select e as event from crm.events e
    where e.workspace_id = c.workspace_id and e.id >= c.event_id and e.id <= c.event_id and e.id >= v_oldest
    order by e.id limit 1
  ) e
  join crm.webhook_subscriptions s on s.workspace_id = c.workspace_id and s.id = c.subscription_id
  join crm.webhook_secrets k on k.workspace_id = c.workspace_id and k.subscription_id = c.subscription_id;
end
$$;
comment on function crm.delivery_claim(integer) is
  'Leases up to p_batch due deliveries for 60 seconds, and returns what the dispatcher needs to send them. claimed_at '
  'is the database''s time in seconds since 1970; next_secret is null if no rotation overlaps; header_name and '
  'header_value are null if the subscription has no header of its own. At most 64 deliveries are in flight to a host, '
  '32 of them to slow subscriptions; for the other limits see crm.claim_candidates. Dispatchers may claim at the same '
  'time, each from shards that it has locked.';

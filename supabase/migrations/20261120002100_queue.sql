-- The queue of deliveries (spec 6.5): which are due, their claim, the record of an attempt, the poke. Only the clock of
-- the database decides what is due, so a dispatcher whose own clock is wrong changes nothing. Deliveries of a workspace
-- that is suspended, or whose plan excludes the public API, wait: no function here changes them. The functions that
-- the dispatcher calls are security definer, because its role has no rights on any table.

create view crm.waiting_subscriptions with (security_invoker = true) as
with recursive waiting as (
  (
    select d.workspace_id, d.subscription_id from crm.webhook_deliveries d
    where d.state = 'pending'
    order by d.workspace_id, d.subscription_id
    limit 1
  )
  union all
  select next.workspace_id, next.subscription_id
  from waiting w
  cross join lateral (
    select d.workspace_id, d.subscription_id from crm.webhook_deliveries d
    where d.state = 'pending' and (d.workspace_id, d.subscription_id) > (w.workspace_id, w.subscription_id)
    order by d.workspace_id, d.subscription_id
    limit 1
  ) as next
)
select
  w.workspace_id,
  w.subscription_id as id,
  -- Subqueries for each row, because a join may read the whole table of subscriptions or of workspaces.
  (
    select s.is_active from crm.webhook_subscriptions s
    where s.workspace_id = w.workspace_id and s.id = w.subscription_id
  ) and (
    select not p.suspended and p.public_api from crm.workspaces p where p.id = w.workspace_id
  ) as may_send
from waiting w;
comment on view crm.waiting_subscriptions is
  'The subscriptions with pending deliveries, due now or later. The query skips through the index of pending '
  'deliveries in one step for each subscription, so neither many idle subscriptions nor one long queue makes it '
  'slower. may_send: the subscription is active, and its workspace is not suspended and has the public API.';

create function crm.delivery_claim(p_batch integer)
returns table (
  claimed_at double precision,
  workspace_id uuid,
  subscription_id uuid,
  delivery_id uuid,
  lease_token bigint,
  event crm.event_type,
  target_url text,
  secret bytea,
  body text
)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
begin
  -- One claim at a time, for a few milliseconds: two at once would see the same free slots and exceed the limits.
  perform pg_advisory_xact_lock(crm.lock_number('webhook claim'));
  v_now := clock_timestamp();

  return query
  with in_flight as (
    select d.workspace_id, d.subscription_id, count(*) as taken
    from crm.webhook_deliveries d
    where d.lease_until > v_now
    group by d.workspace_id, d.subscription_id
  ),
  waiting as (
    select
      s.workspace_id, s.id, s.may_send,
      coalesce(f.taken, 0) as taken,
      coalesce(sum(f.taken) over (partition by s.workspace_id), 0) as workspace_taken
    -- Starts from the subscriptions, so that the deliveries which wait for an inactive or slow one are not scanned.
    from crm.waiting_subscriptions s
    left join in_flight f on f.workspace_id = s.workspace_id and f.subscription_id = s.id
  ),
  candidate as (
    select w.workspace_id, d.id, d.next_attempt_at, w.workspace_taken, w.taken + d.rank as subscription_rank
    from waiting w
    cross join lateral (
      select d.id, d.next_attempt_at, row_number() over (order by d.next_attempt_at) as rank
      from crm.webhook_deliveries d
      where d.workspace_id = w.workspace_id and d.subscription_id = w.id and d.state = 'pending'
        and d.next_attempt_at <= v_now and (d.lease_until is null or d.lease_until <= v_now)
      order by d.next_attempt_at
      limit greatest(4 - w.taken, 0)
    ) d
    where w.may_send
  ),
  ranked as (
    select
      c.workspace_id, c.id, c.next_attempt_at,
      c.workspace_taken
        + row_number() over (partition by c.workspace_id order by c.subscription_rank, c.next_attempt_at)
        as workspace_rank
    from candidate c
  ),
  chosen as (
    select r.workspace_id, r.id from ranked r
    where r.workspace_rank <= 8
    order by r.workspace_rank, r.next_attempt_at
    limit p_batch
  ),
  locked as (
    select d.workspace_id, d.id
    from crm.webhook_deliveries d
    join chosen c on c.workspace_id = d.workspace_id and c.id = d.id
    -- Checked again on the locked row: a dispatcher whose lease had ended may have recorded its outcome meanwhile.
    where d.state = 'pending' and d.next_attempt_at <= v_now and (d.lease_until is null or d.lease_until <= v_now)
    for update of d skip locked
  ),
  claimed as (
    update crm.webhook_deliveries d
    set lease_until = v_now + interval '60 s', lease_token = d.lease_token + 1
    from locked l
    where d.workspace_id = l.workspace_id and d.id = l.id
    returning d.*
  )
  select
    extract(epoch from v_now)::double precision,
    c.workspace_id, c.subscription_id, c.id, c.lease_token, e.event, s.target_url, k.secret, crm.delivery_body(c.id, e)
  from claimed c
  join crm.events e on e.workspace_id = c.workspace_id and e.id = c.event_id
  join crm.webhook_subscriptions s on s.workspace_id = c.workspace_id and s.id = c.subscription_id
  join crm.webhook_secrets k on k.workspace_id = c.workspace_id and k.subscription_id = c.subscription_id;
end
$$;
comment on function crm.delivery_claim(integer) is
  'Leases up to p_batch due deliveries for 60 seconds, and returns what the dispatcher needs to send them. claimed_at '
  'is the database''s time, in seconds since 1970. Fair: at most 4 deliveries are in flight for a subscription and 8 '
  'for a workspace, and workspaces take turns.';

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
  v_delivery crm.webhook_deliveries;
begin
  deactivated := false;
  update crm.webhook_deliveries d
  set
    attempts = d.attempts + 1,
    state = case when p_ok then 'delivered' when d.attempts + 1 >= 5 then 'failed' else 'pending' end,
    next_attempt_at = coalesce(
      case when not p_ok then clock_timestamp() + crm.retry_delay(d.attempts + 1) end,
      d.next_attempt_at
    ),
    lease_until = null
  where d.workspace_id = p_workspace_id and d.id = p_delivery_id
    -- Without a lease this token has recorded its outcome already: an outcome that is sent twice counts once.
    and d.state = 'pending' and d.lease_token = p_lease_token and d.lease_until is not null
  returning d.* into v_delivery;
  if not found then
    return;
  end if;
  attempt := v_delivery.attempts;
  state := v_delivery.state;

  insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, reason, duration_ms)
  values (p_workspace_id, p_delivery_id, v_delivery.series, attempt, p_status, p_reason, p_duration_ms);

  if p_ok then
    update crm.webhook_subscriptions s
    set failure_count = 0, last_success_at = clock_timestamp()
    where s.workspace_id = p_workspace_id and s.id = v_delivery.subscription_id;
  else
    update crm.webhook_subscriptions s
    set failure_count = s.failure_count + 1, last_failure_at = clock_timestamp()
    where s.workspace_id = p_workspace_id and s.id = v_delivery.subscription_id;
  end if;

  if state = 'failed' then
    update crm.webhook_subscriptions s
    set is_active = false
    where s.workspace_id = p_workspace_id and s.id = v_delivery.subscription_id and s.is_active;
    deactivated := found;
  end if;
end
$$;
comment on function crm.delivery_record(uuid, uuid, bigint, boolean, integer, text, integer) is
  'Records the outcome of an attempt and schedules the next one. The fifth failure ends the delivery and deactivates '
  'the subscription (spec 6.5). If another dispatcher has claimed the delivery meanwhile, nothing changes and '
  '`attempt` is null.';

create function crm.deliveries_due() returns boolean
language sql volatile
set search_path = ''
as $$
  select exists (
    select from crm.waiting_subscriptions s
    join crm.webhook_deliveries d on d.workspace_id = s.workspace_id and d.subscription_id = s.id
    -- Not clock_timestamp(), which no index serves: every poke would read all retries of the next six hours.
    where s.may_send and d.state = 'pending' and d.next_attempt_at <= statement_timestamp() + interval '15 s'
      and (d.lease_until is null or d.lease_until <= statement_timestamp())
  )
$$;
comment on function crm.deliveries_due() is
  'Whether a claim would find a delivery now or within 15 seconds. The job webhook-dispatch asks every 10 seconds, so '
  'the dispatcher is awake at least 5 seconds before a delivery is due, and can send it on time.';

create function crm.next_delivery_due(p_within interval) returns double precision
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_next timestamptz;
begin
  select min(d.next_attempt_at) into v_next
  from crm.waiting_subscriptions s
  cross join lateral (
    select d.next_attempt_at from crm.webhook_deliveries d
    where d.workspace_id = s.workspace_id and d.subscription_id = s.id and d.state = 'pending'
      -- Those that have been due for longer wait for a place, which another dispatcher has. Within the last second one
      -- may have become due since the caller's claim.
      and d.next_attempt_at > v_now - interval '1 s' and d.next_attempt_at <= v_now + p_within
      and (d.lease_until is null or d.lease_until <= v_now)
    order by d.next_attempt_at
    limit 1
  ) d
  where s.may_send;
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
language plpgsql
set search_path = ''
as $$
begin
  perform crm.poke_dispatcher();
  return null;
end
$$;
comment on function crm.resume_webhooks() is
  'Trigger: pokes the dispatcher when a workspace may send webhooks again, whoever changed it. Its deliveries kept '
  'their attempts and times, so those whose time has passed are sent at once.';
create trigger resume_webhooks after update of suspended, public_api on crm.workspaces for each row
when ((old.suspended or not old.public_api) and not new.suspended and new.public_api)
execute function crm.resume_webhooks();

create function crm.check_health() returns text
language sql volatile
security definer
set search_path = ''
as $$
  select case when exists (
    select
    -- Bounded, because anybody may ask for the health: at most this many subscriptions are looked at.
    from (select * from crm.waiting_subscriptions limit 1000) s
    where s.may_send
      and exists (
        select from crm.webhook_deliveries d
        where d.workspace_id = s.workspace_id and d.subscription_id = s.id and d.state = 'pending'
          and d.next_attempt_at <= statement_timestamp() - interval '1 minute'
          and (d.lease_until is null or d.lease_until <= statement_timestamp())
      )
      -- With an attempt under way in the workspace the dispatcher works, and the rest waits for a slow receiver.
      and not exists (
        select from crm.webhook_deliveries l
        where l.workspace_id = s.workspace_id and l.lease_until > statement_timestamp()
      )
  ) then 'degraded' else 'ok' end
$$;
comment on function crm.check_health() is
  'The state of the webhooks, for the health check: degraded if a delivery of an active subscription has been due for '
  'over a minute and the dispatcher does nothing for its workspace, because nobody wakes it or it cannot run; else ok.';

-- Waking the dispatcher, and detecting that it stands still.

create function crm.deliveries_due() returns boolean
language sql volatile set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
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
  'dispatcher is awake at least 5 seconds before a delivery is due.';

create function crm.next_delivery_due(p_within interval) returns double precision
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
  v_next timestamptz;
begin
  -- Ready deliveries may be left because another claim had locked their shard, or because they were added since. If the
  -- workspace has a delivery in flight, its dispatcher will claim the others.
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
  -- greatest() ignores null, so null needs its own case.
  return case when v_next is not null then greatest(extract(epoch from v_next - v_now), 0) end;
end
$$;
comment on function crm.next_delivery_due(interval) is
  'Seconds until the next delivery is due; null if none becomes due within p_within. For a dispatcher that has just '
  'claimed everything due: deliveries that wait for a place of their subscription or workspace do not count.';

create function crm.poke_dispatcher() returns void
language plpgsql security definer set search_path = '' as $$
declare
  v_url text;
  v_secret text;
begin
  if not crm.deliveries_due() then return; end if;
  -- On Supabase pg_net sends the poke; elsewhere the local scheduler listens for the notification. Dynamic statements,
  -- because the schemas net and vault may not exist.
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
  -- pg_net puts its functions into the schema net, in whichever schema it was created.
  execute format('select %I.%I(url := $1, headers := $2)', 'net', 'http_post')
  using v_url, jsonb_build_object('Authorization', 'Bearer ' || v_secret, 'Content-Type', 'application/json');
end
$$;
comment on function crm.poke_dispatcher() is
  'Pokes the dispatcher if a delivery is due now or within 15 seconds: a retry, or a delivery whose first poke was '
  'lost. Security definer, because it reads every workspace, and members call it too.';

create function crm.resume_webhooks() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- A claim of the shard locks markers of the same subscriptions in another order, so lock the shard first.
  perform from crm.webhook_shards p where p.shard = get_byte(uuid_send(new.id), 15) & 15 for update;
  perform crm.unsettle_subscription(s.workspace_id, s.id, false)
  from crm.webhook_subscriptions s
  where s.workspace_id = new.id and s.is_active;
  perform crm.poke_dispatcher();
  return null;
end
$$;
comment on function crm.resume_webhooks() is
  'Trigger: releases held deliveries and pokes the dispatcher when a workspace may send webhooks again. The '
  'deliveries kept their attempts and times, so overdue ones are sent at once.';
create trigger resume_webhooks after update of suspended, public_api on crm.workspaces for each row
when ((old.suspended or not old.public_api) and not new.suspended and new.public_api)
execute function crm.resume_webhooks();

create function crm.stuck_deliveries(p_bound integer) returns setof crm.webhook_queue
language sql volatile set search_path = '' set enable_seqscan = off set enable_bitmapscan = off as $$
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
    -- If an attempt is in progress in the workspace, the dispatcher works, and the other deliveries wait for a slow
    -- receiver.
    and not exists (
      select from crm.webhook_queue l
      where l.state = 'leased' and l.lease_until > statement_timestamp()
        and (l.shard, l.workspace_id) >= (q.shard, q.workspace_id)
        and (l.shard, l.workspace_id) <= (q.shard, q.workspace_id)
    )
$$;
comment on function crm.stuck_deliveries(integer) is
  'Deliveries that have been due for over a minute while the dispatcher does nothing for their workspace. Reads at '
  'most p_bound ready rows, p_bound leased rows, and p_bound waiting rows of each shard.';

create function crm.check_health() returns text
language sql volatile security definer set search_path = '' as $$
  -- Bounded, because anybody may call the health check.
  select case when exists (select from crm.stuck_deliveries(1000)) then 'degraded' else 'ok' end
$$;
comment on function crm.check_health() is
  'The state of webhooks for the health check: degraded if a delivery of an active subscription has been due for over '
  'a minute and the dispatcher does nothing for its workspace; otherwise ok.';

-- Waiting deliveries follow the state of their subscription: held while nothing may be sent, cancelled if it was
-- deleted, released when it is active again. Done in small steps, because thousands may wait.

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
  -- 500 at a time, because the dispatcher's claims do this work and must stay short.
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
  -- Rows that others have locked were skipped, and are left for a later call.
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
  'Brings up to 500 queue rows (1,000 to hold), oldest first, into the state that their subscription and workspace '
  'require: held, released, or cancelled and removed if the subscription was deleted. Leaves leased rows alone. True '
  'if no row is left.';

create function crm.unsettle_subscription(p_workspace_id uuid, p_subscription_id uuid, p_send_now boolean) returns void
language sql volatile set search_path = '' as $$
  -- `do update` and not `do nothing`, so that this waits for a claim that is settling by the earlier state and then
  -- removes the row.
  insert into crm.webhook_unsettled as u (workspace_id, subscription_id, send_now)
  values (p_workspace_id, p_subscription_id, p_send_now)
  on conflict (workspace_id, subscription_id) do update
  set send_now = excluded.send_now, sent_to = excluded.sent_to
$$;
comment on function crm.unsettle_subscription(uuid, uuid, boolean) is
  'Tells claims to hold, cancel or release the queue rows of a subscription.';

create function crm.unsettle_changed_subscription() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.unsettle_subscription(new.workspace_id, new.id, new.is_active);
  -- Most subscriptions have few rows: settle those rows here, so that no claim has to.
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
    -- The time limit is for the whole claim, which visits all shards: cancelling 500 deliveries takes about 100 ms.
    exit when clock_timestamp() > statement_timestamp() + interval '50 ms';
    if crm.settle_subscription(v_marker.workspace_id, v_marker.subscription_id, v_marker.send_now) then
      delete from crm.webhook_unsettled u
      where u.workspace_id = v_marker.workspace_id and u.subscription_id = v_marker.subscription_id;
    end if;
  end loop;
end
$$;
comment on function crm.settle_shard(smallint) is
  'Settles the subscriptions of a shard that crm.webhook_unsettled names, unless the claim has already taken 50 ms: '
  'then a later claim, which visits the shards in another order, does it. The caller has locked the shard.';

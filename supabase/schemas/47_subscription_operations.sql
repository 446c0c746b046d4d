-- Operations on subscriptions and deliveries (spec 6.5): send again, test, reactivate, recover, rotate. The verbs of
-- keys, members and the operator call them.

create function crm.require_own_workspace(p_workspace_id uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  if p_workspace_id is distinct from coalesce(crm.current_workspace_id(), p_workspace_id) then
    raise exception 'The workspace % is not the caller''s', p_workspace_id;
  end if;
end
$$;
comment on function crm.require_own_workspace(uuid) is
  'Raises an error if the workspace is not the caller''s. Called by security definer functions that take a workspace, '
  'because row-level security does not apply to them. The operator is in no workspace and may name any workspace.';

create function crm.redeliver(
  p_workspace_id uuid, p_subscription_id uuid, p_ids uuid[], out count integer, out not_queued uuid[]
)
language plpgsql security definer set search_path = ''
-- Allow only nested loops, as crm.delivery_record does, because any other join would also read the partitions that do
-- not have the id.
set enable_seqscan = off set enable_bitmapscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
declare
  v_leased uuid[];
  v_waiting uuid[];
  v_ended uuid[];
  v_room integer;
begin
  perform crm.require_own_workspace(p_workspace_id);
  -- Lock queue rows before deliveries, and both in order of id, as crm.delivery_record does, so that the two functions
  -- cannot deadlock.
  select
    coalesce(array_agg(q.delivery_id) filter (where q.state = 'leased'), '{}'),
    coalesce(array_agg(q.delivery_id) filter (where q.state <> 'leased'), '{}')
  into v_leased, v_waiting
  from (
    select q.delivery_id, q.state
    from (select distinct u.id from unnest(p_ids) u (id) order by u.id) i
    cross join lateral (
      select q.delivery_id, q.state from crm.webhook_queue q
      where q.workspace_id = p_workspace_id and q.delivery_id = i.id and q.subscription_id = p_subscription_id
      for update
    ) q
  ) q;
  v_ended := array(
    select i.id
    from (select distinct u.id from unnest(p_ids) u (id) where u.id <> all (v_leased || v_waiting)) i
    cross join lateral (
      select from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id and d.id = i.id and d.subscription_id = p_subscription_id
      offset 0
    ) d
    order by i.id
  );
  if v_ended <> '{}' then
    v_room := case
      when v_leased || v_waiting = '{}' then crm.require_room(p_workspace_id, p_subscription_id)
      else greatest(crm.queue_room(p_workspace_id, p_subscription_id), 0)
    end;
  end if;
  not_queued := coalesce(v_ended[v_room + 1:], '{}');
  v_ended := coalesce(v_ended[:v_room], '{}');
  update crm.webhook_deliveries d
  set
    state = 'pending',
    series = case when d.state = 'pending' then d.series else d.series + 1 end,
    attempts = case when d.state = 'pending' then d.attempts else 0 end,
    -- Not clock_timestamp(), which is later: functions of the queue that run in the same statement compare due times
    -- with statement_timestamp().
    next_attempt_at = statement_timestamp()
  -- In order of id, so that simultaneous calls do not deadlock.
  from (select u.id from unnest(v_waiting || v_ended) u (id) order by u.id) i
  where d.workspace_id = p_workspace_id and d.id = i.id and d.subscription_id = p_subscription_id;
  -- Leased deliveries count too, because a dispatcher is sending them now.
  count := cardinality(v_leased) + cardinality(v_waiting) + cardinality(v_ended);
end
$$;
comment on function crm.redeliver(uuid, uuid, uuid[]) is
  'Sends deliveries of a subscription now, under the same ids. An ended delivery gets five new attempts, and its '
  'earlier attempts stay. A waiting delivery gets no additional attempts. Deliveries of an inactive subscription wait '
  'until it is reactivated. Takes older deliveries first. count: how many of these deliveries are in the queue now. '
  'not_queued: the ids for which the queue has no room. Raises queue_full if the queue has none of the deliveries and '
  'no room for any. Security definer, because verbs may not write deliveries.';

create function crm.send_test_event(
  p_workspace_id uuid, p_subscription_id uuid, p_event crm.event_type default null
) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  v_delivery_id uuid;
begin
  perform crm.require_own_workspace(p_workspace_id);
  perform crm.require_room(p_workspace_id, p_subscription_id);
  with event as (
    insert into crm.events (workspace_id, event, object_id, facts, is_test)
    select s.workspace_id, coalesce(p_event, s.event_types[1]), '00000000-0000-0000-0000-000000000000', '{}', true
    from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id
    returning workspace_id, id
  )
  insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
  select e.workspace_id, crm.delivery_id(e.id, p_subscription_id), e.id, p_subscription_id from event e
  returning id into v_delivery_id;
  return v_delivery_id;
end
$$;
comment on function crm.send_test_event(uuid, uuid, crm.event_type) is
  'Queues a test event for one subscription and returns the id of its delivery; null if there is no such subscription. '
  'p_event: the type of the event; null means the subscription''s first type. The object''s id is the nil UUID, and '
  'the data is a sample with "test": true, so a receiver that mistakes the test for a real event finds no record to '
  'change. Raises queue_full. Security definer, because verbs may not write events.';

create function crm.reactivate_subscription(p_workspace_id uuid, p_subscription_id uuid) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  v_resumed bigint;
begin
  perform crm.require_own_workspace(p_workspace_id);
  select count(*) into v_resumed
  from crm.webhook_subscriptions s
  join crm.webhook_queue q on q.shard = get_byte(uuid_send(s.workspace_id), 15) & 15
    and q.workspace_id = s.workspace_id and q.subscription_id = s.id
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and not s.is_active
    and q.state <> 'ready' and q.lease_until is null;

  update crm.webhook_subscriptions s
  set is_active = true, failure_count = 0, slow_since = null
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and not s.is_active;
  return v_resumed;
end
$$;
comment on function crm.reactivate_subscription(uuid, uuid) is
  'Activates an inactive subscription and sets its failure_count to 0. Makes its waiting deliveries due now and '
  'returns their number. The first 500 become due in this call, the rest in later claims. Failed deliveries stay '
  'failed, until crm.redeliver sends them. Does not change an active subscription. Security definer, because verbs may '
  'not write deliveries.';

create function crm.makers_of_subscriptions(p_workspace_id uuid, p_key_ids uuid[])
returns table (id uuid, name crm.record_name, prefix text, is_revoked boolean)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform crm.require_own_workspace(p_workspace_id);
  return query
  select k.id, k.name, k.prefix, k.revoked_at is not null from crm.api_keys k
  where k.workspace_id = p_workspace_id and k.id = any (p_key_ids);
end
$$;
comment on function crm.makers_of_subscriptions(uuid, uuid[]) is
  'The names and prefixes of keys that created subscriptions, and whether each key is revoked. Security definer, '
  'because crm_api cannot read keys.';

create function crm.resume_subscription(
  p_workspace_id uuid, p_id uuid, out was_inactive boolean, out resumed bigint, out revoked_key json
)
language plpgsql set search_path = '' as $$
declare
  v_key_id uuid;
begin
  select not s.is_active, s.key_id into was_inactive, v_key_id from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_id;
  if not found then return; end if;
  select json_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix) into revoked_key
  from crm.makers_of_subscriptions(p_workspace_id, array[v_key_id]) k
  where k.is_revoked;
  resumed := 0;
  if was_inactive then
    perform crm.check_active_subscriptions(p_workspace_id, 'active_subscriptions');
    resumed := crm.reactivate_subscription(p_workspace_id, p_id);
  end if;
end
$$;
comment on function crm.resume_subscription(uuid, uuid) is
  'Reactivates a subscription; raises validation_error if the workspace has 50 active subscriptions. was_inactive: '
  'null if there is no such subscription. resumed: how many deliveries were waiting. revoked_key: the key that created '
  'the subscription, if that key is revoked.';

create function crm.recover_deliveries(
  p_workspace_id uuid, p_subscription_id uuid, p_since timestamptz, p_until timestamptz,
  p_dry_run boolean default false, out count bigint, out next_since timestamptz
)
language plpgsql security definer set search_path = ''
-- With these settings, plans read only the needed events, by an index in order of id. Without them, a plan cached while
-- a table was empty would later read the whole table for each event, and exceed the call's 10 seconds.
set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_sort = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  c_max_deliveries constant integer := 20000;
  c_step constant integer := 2000;
  v_room integer;
  v_step integer;
  v_from uuid := crm.uuid_v7_floor(p_since);
  v_to uuid := case when p_until is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else crm.uuid_v7_floor(p_until) end;
  v_types crm.event_type[];
  v_filters jsonb;
  v_next_id uuid;
  v_owed uuid[];
  v_added bigint;
  v_begun_at timestamptz;
begin
  perform crm.require_own_workspace(p_workspace_id);
  -- One recovery at a time, because each may take over a second, and a key may call 120 times a minute by default.
  perform pg_advisory_xact_lock(crm.lock_number('recovery of ' || p_workspace_id));
  v_begun_at := clock_timestamp();
  select s.event_types, s.filters into v_types, v_filters from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id;

  v_room := least(crm.require_room(p_workspace_id, p_subscription_id), c_max_deliveries);
  -- Only time limits a dry run.
  if p_dry_run then v_room := 2147483647; end if;
  count := 0;
  loop
    v_step := least(v_room - count, c_step);
    v_next_id := null;
    select e.id into v_next_id from crm.events e
    where e.workspace_id = p_workspace_id and e.id >= v_from and e.id < v_to
    order by e.id
    offset v_step limit 1;

    v_owed := array(
      select e.id from crm.events e
      where e.workspace_id = p_workspace_id and e.id >= v_from and e.id < coalesce(v_next_id, v_to)
        and e.event = any (v_types) and not e.is_test
        and (v_filters is null or crm.passes_filters(v_filters, e.workspace_id, e.event, e.object_id, e.facts))
        and (
          select k.state from crm.webhook_deliveries k
          where k.workspace_id = p_workspace_id and k.id = crm.delivery_id(e.id, p_subscription_id)
        ) in ('delivered', 'pending') is not true
    );
    v_added := cardinality(v_owed);
    if not p_dry_run then
      insert into crm.webhook_deliveries as d (workspace_id, id, event_id, subscription_id, next_attempt_at)
      select p_workspace_id, crm.delivery_id(e.id, p_subscription_id), e.id, p_subscription_id, statement_timestamp()
      from unnest(v_owed) e (id)
      -- A failed or cancelled delivery gets five new attempts under the same id, as in crm.redeliver.
      on conflict (workspace_id, id) do update
      set state = 'pending', series = d.series + 1, attempts = 0, next_attempt_at = excluded.next_attempt_at
      where d.state in ('failed', 'cancelled');
      get diagnostics v_added = row_count;
    end if;
    count := count + v_added;
    -- Stop 1.2 s after this call got the lock. The caller can call again for the remaining events.
    exit when v_next_id is null or count >= v_room
      or clock_timestamp() > v_begun_at + interval '1200 milliseconds';
    v_from := v_next_id;
  end loop;
  next_since := crm.uuid_v7_time(v_next_id);

  -- Lock the subscription after the deliveries, as crm.delivery_record does. If a transaction has deactivated the
  -- subscription meanwhile, this query finds no active row. A transaction that deactivates it later waits for this
  -- lock, and then finds the new deliveries.
  perform from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and s.is_active
  for no key update;
  if not found then perform api.fail('subscription_inactive'); end if;
end
$$;
comment on function crm.recover_deliveries(uuid, uuid, timestamptz, timestamptz, boolean) is
  'Queues the events of a period that a subscription did not receive: events without a delivery, and events whose '
  'delivery failed or was cancelled. Skips events whose delivery arrived or is waiting, so a repeated call sends '
  'nothing twice. Also skips test events, and events that the subscription''s filters exclude now. Takes the oldest '
  'events first, at most 20,000, and stops after little more than a second or when the queue has no more room. Raises '
  'queue_full if the queue has room for none. next_since: where the next call continues; null if nothing is left. With '
  'p_dry_run, only counts the events, without the limit of 20,000. Recoveries in one workspace wait for each other. '
  'The period goes back 30 days at most, and is compared with the time in an event''s id, when the event was stored. '
  'Security definer, because verbs may not write deliveries.';

create function crm.recover(p_workspace_id uuid, p_subscription_id uuid, p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_since timestamptz := p_args ->> 'since';
  v_until timestamptz := p_args ->> 'until';
  v_recovered record;
begin
  -- A future `since` is usually a mistake in the time zone or the year.
  if v_since > now() then perform api.fail('validation_error', array['since'], 'Não pode estar no futuro'); end if;
  if v_until <= v_since then perform api.fail('validation_error', array['until'], 'Deve ser depois de since'); end if;
  -- Truncated to milliseconds, like the times in event ids and in the reply. Deliveries are kept for 30 days, so older
  -- events get none.
  v_since := greatest(v_since, date_trunc('milliseconds', now() - interval '30 days'));
  if not coalesce((p_args ->> 'before_creation')::boolean, false) then
    select greatest(v_since, date_trunc('milliseconds', s.created_at)) into v_since from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_subscription_id;
  end if;
  select * into v_recovered from crm.recover_deliveries(
    p_workspace_id, p_subscription_id, v_since, v_until, coalesce((p_args ->> 'dry_run')::boolean, false)
  );
  return json_build_object(
    'count', v_recovered.count, 'has_more', v_recovered.next_since is not null,
    'next_since', crm.iso(v_recovered.next_since), 'since', crm.iso(v_since)
  );
end
$$;
comment on function crm.recover(uuid, uuid, jsonb) is
  'Runs crm.recover_deliveries with the arguments since, until, before_creation and dry_run. Without before_creation, '
  'the period begins no earlier than the subscription was created, because its receiver never asked for older events. '
  'Returns count, has_more, next_since, and since (where the period began). Raises validation_error, '
  'subscription_inactive, queue_full.';

create function crm.check_subscribed(s crm.webhook_subscriptions, p_event crm.event_type) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if p_event <> all (s.event_types) then
    perform api.fail('validation_error', array['event_type'], 'A assinatura não tem este evento');
  end if;
end
$$;
comment on function crm.check_subscribed(crm.webhook_subscriptions, crm.event_type) is
  'Raises validation_error if a subscription does not include this event type, because its receiver does not expect '
  'such an event.';

create function crm.rotate_secret(p_workspace_id uuid, p_subscription_id uuid, p_secret bytea, p_overlap_seconds integer)
returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform crm.require_own_workspace(p_workspace_id);
  update crm.webhook_secrets k
  set
    secret = case
      when p_overlap_seconds = 0 then p_secret
      -- If an earlier overlap has ended, next_secret is the current secret.
      when k.next_from <= now() then k.next_secret
      else k.secret
    end,
    next_secret = case when p_overlap_seconds > 0 then p_secret end,
    next_from = case when p_overlap_seconds > 0 then now() + make_interval(secs => p_overlap_seconds) end
  where k.workspace_id = p_workspace_id and k.subscription_id = p_subscription_id;
end
$$;
comment on function crm.rotate_secret(uuid, uuid, bytea, integer) is
  'Gives a subscription a new secret (encrypted by the caller). During the overlap, the current secret signs each '
  'attempt, and the new secret adds a second signature. With an overlap of 0, only the new secret signs from now on. A '
  'rotation during an overlap replaces the new secret and keeps the current one, so that a client can repeat a call '
  'whose reply was lost. Security definer, because verbs may not read secrets.';

-- How integrators run their own webhooks (spec 6.5): what a key with webhooks:manage may do with a subscription. The
-- functions of schema crm are shared with the verbs of members and of the operator.

create function crm.makers_of_subscriptions(p_workspace_id uuid, p_key_ids uuid[])
returns table (id uuid, name text, prefix text, is_revoked boolean)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform crm.require_own_workspace(p_workspace_id);
  return query
  select k.id, k.name, k.prefix, k.revoked_at is not null from crm.api_keys k
  where k.workspace_id = p_workspace_id and k.id = any (p_key_ids);
end
$$;
comment on function crm.makers_of_subscriptions(uuid, uuid[]) is
  'The keys that made subscriptions: what a person recognises them by, and whether they are revoked. Security definer, '
  'because crm_api cannot read keys.';

create function crm.resume_subscription(
  p_workspace_id uuid, p_id uuid, out was_inactive boolean, out resumed bigint, out revoked_key json
)
language plpgsql
set search_path = ''
as $$
declare
  v_key_id uuid;
begin
  select not s.is_active, s.key_id into was_inactive, v_key_id from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_id;
  if not found then
    return;
  end if;
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
  'Activates a subscription again, if the workspace has a place for one more (50), and tells how many deliveries were '
  'waiting, and the key that made it if that is revoked. was_inactive is null if there is no such subscription.';

create function crm.recover_deliveries(
  p_workspace_id uuid,
  p_subscription_id uuid,
  p_since timestamptz,
  p_until timestamptz,
  out count bigint,
  out next_since timestamptz
)
language plpgsql security definer
set search_path = ''
-- Events are read in the order of their ids, and of no more than needed.
set plan_cache_mode = 'force_generic_plan'
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  c_max_deliveries constant integer := 50000;
  c_step constant integer := 5000;
  v_from uuid := crm.uuid_v7_floor(p_since);
  v_to uuid := case when p_until is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else crm.uuid_v7_floor(p_until) end;
  v_types crm.event_type[];
  v_next_id uuid;
  v_added bigint;
begin
  perform crm.require_own_workspace(p_workspace_id);
  -- One at a time: each works for up to 4 s, and a key may ask 120 times a minute.
  perform pg_advisory_xact_lock(crm.lock_number('recovery of ' || p_workspace_id));
  select s.event_types into v_types from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id;

  count := 0;
  loop
    v_next_id := null;
    select e.id into v_next_id from crm.events e
    where e.workspace_id = p_workspace_id and e.id >= v_from and e.id < v_to
    order by e.id
    offset c_step limit 1;

    insert into crm.webhook_deliveries as d (workspace_id, id, event_id, subscription_id, next_attempt_at)
    select p_workspace_id, crm.delivery_id(e.id, p_subscription_id), e.id, p_subscription_id, statement_timestamp()
    from crm.events e
    where e.workspace_id = p_workspace_id and e.id >= v_from and e.id < coalesce(v_next_id, v_to)
      and e.event = any (v_types) and not e.is_test
      and (
        select k.state from crm.webhook_deliveries k
        where k.workspace_id = p_workspace_id and k.id = crm.delivery_id(e.id, p_subscription_id)
      ) in ('delivered', 'pending') is not true
    -- It had failed for good or was cancelled: five new attempts under the same id, as crm.redeliver gives.
    on conflict (workspace_id, id) do update
    set state = 'pending', series = d.series + 1, attempts = 0, next_attempt_at = excluded.next_attempt_at
    where d.state in ('failed', 'cancelled');
    get diagnostics v_added = row_count;
    count := count + v_added;
    -- The caller waits for 10 seconds, and can call again.
    exit when v_next_id is null or count + c_step > c_max_deliveries
      or clock_timestamp() > statement_timestamp() + interval '4 s';
    v_from := v_next_id;
  end loop;
  next_since := crm.uuid_v7_time(v_next_id);

  -- Last, because the outcome of every attempt writes this row: whoever deactivates the subscription comes before, and is
  -- seen here, or waits and finds the new deliveries.
  perform from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id and s.is_active
  for no key update;
  if not found then
    perform api.fail('subscription_inactive');
  end if;
end
$$;
comment on function crm.recover_deliveries(uuid, uuid, timestamptz, timestamptz) is
  'Queues the events of a window of time that a subscription never got: those without a delivery, and those whose '
  'delivery failed for good or was cancelled. What was delivered or waits is left alone, so a repeated call sends nothing '
  'twice. Test events are not recovered. Oldest first, 50,000 deliveries or about 4 seconds of work at most: next_since '
  'is then where to go on, else null. One at a time in a workspace. The window is that of the times in the ids of the '
  'events, at which they were stored. '
  'Security definer, because members and keys may write no delivery.';

create function crm.check_window(p_since timestamptz, p_until timestamptz) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_until <= p_since then
    perform api.fail('validation_error', array['until'], 'Deve ser depois de since');
  end if;
end
$$;
comment on function crm.check_window(timestamptz, timestamptz) is 'Raises validation_error if a window of time ends before it begins.';

create function crm.recovery_json(p_count bigint, p_next_since timestamptz) returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'count', p_count, 'has_more', p_next_since is not null, 'next_since', crm.iso(p_next_since)
  )
$$;
comment on function crm.recovery_json(bigint, timestamptz) is 'JSON of what crm.recover_deliveries returns.';

create function crm.check_subscribed(s crm.webhook_subscriptions, p_event crm.event_type) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_event <> all (s.event_types) then
    perform api.fail('validation_error', array['event_type'], 'A assinatura não tem este evento');
  end if;
end
$$;
comment on function crm.check_subscribed(crm.webhook_subscriptions, crm.event_type) is
  'Raises validation_error if a subscription does not have an event, which its receiver does not expect then.';

create function crm.rotate_secret(p_workspace_id uuid, p_subscription_id uuid, p_secret bytea, p_overlap_seconds integer)
returns void
language sql volatile security definer
set search_path = ''
as $$
  select crm.require_own_workspace(p_workspace_id);
  update crm.webhook_secrets k
  set
    secret = case
      when p_overlap_seconds = 0 then p_secret
      -- An earlier overlap is over: its new secret is the one that signs.
      when k.next_from <= now() then k.next_secret
      else k.secret
    end,
    next_secret = case when p_overlap_seconds > 0 then p_secret end,
    next_from = case when p_overlap_seconds > 0 then now() + make_interval(secs => p_overlap_seconds) end
  where k.workspace_id = p_workspace_id and k.subscription_id = p_subscription_id
$$;
comment on function crm.rotate_secret(uuid, uuid, bytea, integer) is
  'Gives a subscription a new secret, encrypted. For the overlap the present one goes on signing and the new one makes a '
  'second signature; 0: the new one signs at once. During an overlap the present one stays, and the one that was to come '
  'is replaced, so that a call whose reply was lost can be repeated. Security definer, because no verb reads a secret.';

-- The verbs of keys. Each finds the subscription first, so that one of another workspace is answered as none.

create function crm.own_subscription(p_id uuid) returns crm.webhook_subscriptions
language plpgsql stable
set search_path = ''
as $$
declare
  s crm.webhook_subscriptions;
begin
  select * into s from crm.webhook_subscriptions w
  where w.workspace_id = crm.current_workspace_id() and w.id = p_id;
  if not found then
    perform api.fail('not_found');
  end if;
  return s;
end
$$;
comment on function crm.own_subscription(uuid) is 'A subscription of the current workspace; raises not_found.';

create function crm.own_active_subscription(p_id uuid) returns crm.webhook_subscriptions
language plpgsql stable
set search_path = ''
as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription(p_id);
begin
  if not s.is_active then
    perform api.fail('subscription_inactive');
  end if;
  return s;
end
$$;
comment on function crm.own_active_subscription(uuid) is
  'A subscription of the current workspace; raises not_found, or subscription_inactive.';

create function crm.require_own_delivery(s crm.webhook_subscriptions, p_delivery_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (
    select from crm.webhook_deliveries d
    where d.workspace_id = s.workspace_id and d.id = p_delivery_id and d.subscription_id = s.id
  ) then
    perform api.fail('not_found');
  end if;
end
$$;
comment on function crm.require_own_delivery(crm.webhook_subscriptions, uuid) is
  'Raises not_found if the subscription has no such delivery.';

create function crm.wake_dispatcher() returns void
language sql
as $$ select set_config('app.events_enqueued', 'true', true) $$;
comment on function crm.wake_dispatcher() is 'Has the function poke the dispatcher after its reply, as after an event.';

create function api.webhook_get(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  return crm.subscription_overview(s.workspace_id, s.id);
end
$$;
comment on function api.webhook_get(jsonb) is
  'Returns a subscription with the key that made it and the outcomes of 7 days: see crm.subscription_overviews.';

create function api.webhook_deliveries(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  return crm.delivery_page(s.workspace_id, s.id, p_args);
end
$$;
comment on function api.webhook_deliveries(jsonb) is
  'Returns a page of the deliveries of a subscription, the newest event first, by state, event and since.';

create function api.webhook_delivery(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  perform crm.require_own_delivery(s, (p_args ->> 'delivery_id')::uuid);
  return crm.require_record(crm.delivery_detail(s.workspace_id, (p_args ->> 'delivery_id')::uuid));
end
$$;
comment on function api.webhook_delivery(jsonb) is
  'Returns a delivery of a subscription with its attempts, and the request that an attempt would send now.';

create function api.webhook_redeliver(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
  v_delivery_id uuid := p_args ->> 'delivery_id';
begin
  perform crm.require_own_delivery(s, v_delivery_id);
  perform crm.own_active_subscription(s.id);
  perform crm.redeliver(s.workspace_id, v_delivery_id);
  perform crm.wake_dispatcher();
  return crm.with_fields(
    crm.require_record(crm.delivery_summary(s.workspace_id, v_delivery_id)),
    json_build_object('held', crm.holds_webhooks(s.workspace_id))
  );
end
$$;
comment on function api.webhook_redeliver(jsonb) is
  'Sends a delivery of a subscription now, under the same id (crm.redeliver), and returns it. Repeating the call while '
  'it waits or is under way adds no attempt.';

create function api.webhook_test(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  s crm.webhook_subscriptions := crm.own_active_subscription((p_args ->> 'id')::uuid);
  v_event crm.event_type := p_args ->> 'event_type';
  v_delivery_id uuid;
begin
  perform crm.check_subscribed(s, v_event);
  v_delivery_id := crm.send_test_event(s.workspace_id, s.id, v_event);
  perform crm.wake_dispatcher();
  return json_build_object('delivery_id', v_delivery_id, 'held', crm.holds_webhooks(s.workspace_id));
end
$$;
comment on function api.webhook_test(jsonb) is
  'Sends a test event to a subscription. Each call sends another one: nothing has happened, so one too many does no harm, '
  'and no Idempotency-Key is needed.';

create function api.webhook_reactivate(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
  v_outcome record;
begin
  -- Otherwise a call that began before its key was revoked would revive a subscription that the key had ended itself.
  if not crm.lock_key(crm.current_caller_id()) then
    perform api.fail('revoked_api_key');
  end if;
  select * into v_outcome from crm.resume_subscription(s.workspace_id, s.id);
  perform crm.wake_dispatcher();
  return crm.with_fields(
    crm.subscription_json(crm.own_subscription(s.id)),
    json_build_object('resumed', v_outcome.resumed, 'revoked_key', v_outcome.revoked_key)
  );
end
$$;
comment on function api.webhook_reactivate(jsonb) is
  'Activates a subscription again and sends what waited; an active one does not change. Returns it with resumed and '
  'revoked_key: see crm.resume_subscription. Raises revoked_api_key if the calling key was revoked meanwhile.';

create function api.webhook_recover(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  s crm.webhook_subscriptions := crm.own_active_subscription((p_args ->> 'id')::uuid);
  v_since timestamptz := p_args ->> 'since';
  v_until timestamptz := p_args ->> 'until';
  v_recovered record;
begin
  perform crm.check_window(v_since, v_until);
  select * into v_recovered from crm.recover_deliveries(s.workspace_id, s.id, v_since, v_until);
  perform crm.wake_dispatcher();
  return crm.recovery_json(v_recovered.count, v_recovered.next_since);
end
$$;
comment on function api.webhook_recover(jsonb) is
  'Queues the events between since and until (now where absent) that a subscription never got: crm.recover_deliveries.';

create function api.webhook_rotate_secret(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  perform crm.rotate_secret(
    s.workspace_id, s.id, decode(p_args ->> 'encrypted_secret', 'base64'), (p_args ->> 'overlap_seconds')::integer
  );
  return crm.subscription_json(s);
end
$$;
comment on function api.webhook_rotate_secret(jsonb) is
  'Replaces the secret of a subscription (crm.rotate_secret) and returns it; the function adds the plain secret to the '
  'reply, once.';

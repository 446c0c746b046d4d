-- Operations on webhooks (spec 6.5) for keys with webhooks:manage. Each verb first looks up the subscription, and
-- raises not_found if it is not in the key's workspace.

create function crm.own_subscription(p_id uuid) returns crm.webhook_subscriptions
language plpgsql stable set search_path = '' as $$
declare
  s crm.webhook_subscriptions;
begin
  select * into s from crm.webhook_subscriptions w
  where w.workspace_id = crm.current_workspace_id() and w.id = p_id;
  if not found then perform api.fail('not_found'); end if;
  return s;
end
$$;
comment on function crm.own_subscription(uuid) is 'A subscription of the current workspace; raises not_found.';

create function crm.own_active_subscription(p_id uuid) returns crm.webhook_subscriptions
language plpgsql stable set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription(p_id);
begin
  if not s.is_active then perform api.fail('subscription_inactive'); end if;
  return s;
end
$$;
comment on function crm.own_active_subscription(uuid) is
  'An active subscription of the current workspace; raises not_found, subscription_inactive.';

create function crm.require_own_delivery(s crm.webhook_subscriptions, p_delivery_id uuid) returns void
language plpgsql stable set search_path = '' as $$
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
language plpgsql set search_path = ''
as $$ begin perform set_config('app.events_enqueued', 'true', true); end $$;
comment on function crm.wake_dispatcher() is
  'Makes the edge function poke the dispatcher after its reply, as crm.fan_out does for an event with deliveries.';

create function api.webhook_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  return crm.subscription_overview(s.workspace_id, s.id);
end
$$;
comment on function api.webhook_get(jsonb) is
  'Returns a subscription with the key that created it and the outcomes of its deliveries in 7 days '
  '(crm.subscription_overviews).';

create function api.webhook_deliveries(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
begin
  return crm.delivery_page(s.workspace_id, s.id, p_args);
end
$$;
comment on function api.webhook_deliveries(jsonb) is
  'Returns a page of a subscription''s deliveries, newest event first, filtered by state, event, since and until.';

create function api.webhook_delivery(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
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
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
  v_delivery_id uuid := p_args ->> 'delivery_id';
begin
  perform crm.require_own_delivery(s, v_delivery_id);
  perform crm.own_active_subscription(s.id);
  perform crm.redeliver(s.workspace_id, s.id, array[v_delivery_id]);
  perform crm.wake_dispatcher();
  return crm.with_fields(
    crm.require_record(crm.delivery_summary(s.workspace_id, v_delivery_id)),
    json_build_object('held', crm.holds_webhooks(s.workspace_id))
  );
end
$$;
comment on function api.webhook_redeliver(jsonb) is
  'Sends a delivery of a subscription now, under the same id (crm.redeliver), and returns it. A repeated call adds no '
  'attempt while the delivery waits or is in flight.';

create function crm.redeliver_all(p_workspace_id uuid, p_subscription_id uuid, p_ids uuid[]) returns json
language plpgsql set search_path = '' as $$
declare
  v_known uuid[] := array(
    select i.id
    from unnest(p_ids) i (id)
    -- crm.delivery_summaries explains `offset 0`.
    cross join lateral (
      select d.event_id from crm.webhook_deliveries d
      where d.workspace_id = p_workspace_id and d.id = i.id and d.subscription_id = p_subscription_id
      offset 0
    ) d
    cross join lateral (
      select from crm.events e where e.workspace_id = p_workspace_id and e.id = d.event_id offset 0
    ) e
  );
  v_sent record;
begin
  select * into v_sent from crm.redeliver(p_workspace_id, p_subscription_id, v_known);
  return json_build_object(
    'count', v_sent.count,
    'not_queued', (
      select coalesce(json_agg(json_build_object('id', r.id, 'reason', r.reason) order by r.n), '[]')
      from (
        select
          i.id, min(i.n) as n,
          case
            when i.id <> all (v_known) then 'not_found'
            when i.id = any (v_sent.not_queued) then 'queue_full'
          end as reason
        from unnest(p_ids) with ordinality i (id, n)
        group by i.id
      ) r
      where r.reason is not null
    ),
    'held', crm.holds_webhooks(p_workspace_id)
  );
end
$$;
comment on function crm.redeliver_all(uuid, uuid, uuid[]) is
  'JSON of the result of crm.redeliver: count, held and not_queued. not_queued lists the ids that are not sent again, '
  'each with a reason: not_found (the subscription has no such delivery, or its event was dropped) or queue_full (the '
  'queue has no room for it). Raises queue_full if the queue has none of the deliveries and no room for any.';

create function api.webhook_redeliver_all(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_active_subscription((p_args ->> 'id')::uuid);
  v_sent json := crm.redeliver_all(s.workspace_id, s.id, crm.listed_ids(p_args, 'ids'));
begin
  perform crm.wake_dispatcher();
  return v_sent;
end
$$;
comment on function api.webhook_redeliver_all(jsonb) is
  'Sends up to 100 deliveries of a subscription now, under the same ids (crm.redeliver_all). A repeated call adds no '
  'attempt to a delivery that waits or is in flight.';

create function api.webhook_test(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
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
  'Sends a test event to a subscription. It takes no Idempotency-Key, because a repeated test does no harm.';

create function api.webhook_reactivate(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_subscription((p_args ->> 'id')::uuid);
  v_outcome record;
begin
  -- A call that began before its key was revoked must not reactivate a subscription that the revocation deactivated.
  if not crm.lock_key(crm.current_caller_id()) then perform api.fail('revoked_api_key'); end if;
  select * into v_outcome from crm.resume_subscription(s.workspace_id, s.id);
  perform crm.wake_dispatcher();
  s := crm.own_subscription(s.id);
  return crm.with_fields(
    crm.subscription_json(s),
    json_build_object('resumed', v_outcome.resumed, 'revoked_key', v_outcome.revoked_key)
  );
end
$$;
comment on function api.webhook_reactivate(jsonb) is
  'Reactivates a subscription and sends its waiting deliveries; does not change an active subscription. Returns the '
  'subscription with resumed and revoked_key (crm.resume_subscription). Raises revoked_api_key if the calling key was '
  'revoked during the call.';

create function api.webhook_recover(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  s crm.webhook_subscriptions := crm.own_active_subscription((p_args ->> 'id')::uuid);
  v_recovery json := crm.recover(s.workspace_id, s.id, p_args);
begin
  if p_args -> 'dry_run' is distinct from 'true' then perform crm.wake_dispatcher(); end if;
  return v_recovery;
end
$$;
comment on function api.webhook_recover(jsonb) is
  'Queues the events from since to until (now if absent) that a subscription did not receive (crm.recover).';

create function api.webhook_rotate_secret(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
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
  'Replaces the secret of a subscription (crm.rotate_secret). The edge function adds the plain secret to the reply.';

-- Operations on a webhook subscription (spec 6.5), for the operator and signed-in members: test, send again,
-- recover, reactivate, rotate.

create function crm.require_active_subscription(p_workspace_id uuid, p_subscription_id uuid) returns void
language plpgsql stable set search_path = '' as $$
declare
  v_is_active boolean;
begin
  select s.is_active into v_is_active from crm.webhook_subscriptions s
  where s.workspace_id = p_workspace_id and s.id = p_subscription_id;
  if not found then
    perform crm.raise_code('not_found', 'id');
  elsif not v_is_active then
    perform crm.raise_code(
      'subscription_inactive', 'subscription_id', 'A assinatura está inativa; reative-a antes', p_subscription_id::text
    );
  end if;
end
$$;
comment on function crm.require_active_subscription(uuid, uuid) is
  'Raises not_found if the workspace has no such subscription, and subscription_inactive if the subscription is '
  'inactive.';

create function app.subscription_test(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{event_type}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_event crm.event_type := v_args ->> 'event_type';
  v_delivery_id uuid;
begin
  perform crm.require_active_subscription(v_workspace_id, v_id);
  perform crm.check_subscribed(s, v_event) from crm.webhook_subscriptions s
  where s.workspace_id = v_workspace_id and s.id = v_id;
  v_delivery_id := crm.send_test_event(v_workspace_id, v_id, v_event);
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_tested', jsonb_build_object('delivery_id', v_delivery_id)
  );
  perform crm.poke_dispatcher();
  return json_build_object('delivery_id', v_delivery_id, 'held', crm.holds_webhooks(v_workspace_id));
end
$$;
comment on function app.subscription_test(jsonb) is
  'Sends a test event to a subscription: a normal delivery, signed, and retried if it fails. Returns delivery_id, and '
  'held: whether the delivery waits because the workspace is suspended or has no public API. Arguments: workspace_id, '
  'id, event_type (one of the subscription''s types; the first if absent). Codes: validation_error, not_found, '
  'subscription_inactive, queue_full.';

create function app.subscription_reactivate(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_outcome record;
begin
  select * into v_outcome from crm.resume_subscription(v_workspace_id, v_id);
  if v_outcome.was_inactive is null then
    perform crm.raise_code('not_found', 'id');
  elsif v_outcome.was_inactive then
    perform crm.record_webhook_action(
      v_workspace_id, v_id, 'webhook_reactivated', jsonb_build_object('resumed', v_outcome.resumed)
    );
    perform crm.poke_dispatcher();
  end if;
  return crm.with_fields(
    crm.subscription_overview(v_workspace_id, v_id),
    json_build_object('resumed', v_outcome.resumed, 'revoked_key', v_outcome.revoked_key)
  );
end
$$;
comment on function app.subscription_reactivate(jsonb) is
  'Reactivates a subscription, sets its failure_count to 0, and makes its waiting deliveries due now; does not change '
  'an active subscription. Returns the subscription with resumed and revoked_key. resumed: how many deliveries were '
  'waiting. revoked_key (id, name, prefix): the key that created the subscription, if that key is revoked; otherwise '
  'null. A workspace has at most 50 active subscriptions. Arguments: workspace_id, id. Codes: validation_error, '
  'not_found.';

create function app.subscription_recover(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, since}', '{until, before_creation, dry_run}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_recovery json;
begin
  perform crm.require_active_subscription(v_workspace_id, v_id);
  v_recovery := crm.recover(v_workspace_id, v_id, v_args);
  if (v_args ->> 'dry_run')::boolean then return v_recovery; end if;
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_recovered',
    jsonb_build_object(
      'since', v_recovery -> 'since', 'until', crm.iso((v_args ->> 'until')::timestamptz), 'count', v_recovery -> 'count'
    )
  );
  perform crm.poke_dispatcher();
  return v_recovery;
end
$$;
comment on function app.subscription_recover(jsonb) is
  'Queues the events between since and until (now if absent) that a subscription did not receive, oldest first, as '
  'many as the queue has room for (crm.recover). Without before_creation, begins no earlier than the subscription was '
  'created. Returns count, has_more, since (where the period began) and next_since (where the next call continues). '
  'With dry_run, only counts the events. Arguments: workspace_id, id, since, until, before_creation, dry_run. Codes: '
  'validation_error, not_found, subscription_inactive, queue_full.';

create function app.subscription_redeliver(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, ids}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_sent json;
begin
  perform crm.require_active_subscription(v_workspace_id, v_id);
  v_sent := crm.redeliver_all(v_workspace_id, v_id, crm.listed_ids(v_args, 'ids'));
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'deliveries_redelivered', jsonb_build_object('count', v_sent -> 'count')
  );
  perform crm.poke_dispatcher();
  return v_sent;
end
$$;
comment on function app.subscription_redeliver(jsonb) is
  'Sends up to 100 deliveries of a subscription now, under the same ids. Returns count, not_queued and held '
  '(crm.redeliver_all). Arguments: workspace_id, id, ids. Codes: validation_error, not_found, subscription_inactive, '
  'queue_full.';

create function app.subscription_read_secret(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_secret bytea;
begin
  select k.secret into v_secret from crm.webhook_secrets k
  where k.workspace_id = (v_args ->> 'workspace_id')::uuid and k.subscription_id = (v_args ->> 'id')::uuid
  for update;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  -- Remove the line breaks that encode() inserts after every 76 characters.
  return json_build_object('secret', replace(encode(v_secret, 'base64'), e'\n', ''));
end
$$;
comment on function app.subscription_read_secret(jsonb) is
  'Returns the encrypted secret of a subscription in base64, locked until the transaction ends. With it the operator '
  'tests an encryption key before a rotation. For the operator alone. Arguments: workspace_id, id. Codes: '
  'validation_error, not_found.';

create function app.subscription_rotate(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, secret}', '{overlap_seconds}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_overlap_seconds integer := coalesce((v_args ->> 'overlap_seconds')::numeric::integer, 0);
begin
  if not exists (
    select from crm.webhook_secrets k where k.workspace_id = v_workspace_id and k.subscription_id = v_id
  ) then
    perform crm.raise_code('not_found', 'id');
  end if;
  perform crm.rotate_secret(v_workspace_id, v_id, decode(v_args ->> 'secret', 'base64'), v_overlap_seconds);
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_rotated', jsonb_build_object('overlap_seconds', v_overlap_seconds)
  );
  return crm.subscription_overview(v_workspace_id, v_id);
end
$$;
comment on function app.subscription_rotate(jsonb) is
  'Replaces the signing secret of a subscription. For overlap_seconds (0 if absent, 604800 at most), the current '
  'secret keeps signing, and the new secret adds a second signature. Afterwards only the new secret signs. Returns the '
  'subscription as subscription_get does. Arguments: workspace_id, id, secret (encrypted, in base64), overlap_seconds. '
  'Codes: validation_error, not_found.';

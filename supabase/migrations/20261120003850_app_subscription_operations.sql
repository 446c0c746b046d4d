-- Operations on a webhook subscription (spec 6.5), for the operator and for signed-in members: test, reactivate, rotate.

create function crm.require_active_subscription(p_workspace_id uuid, p_subscription_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
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
  'Raises not_found if the workspace has no such subscription, subscription_inactive if it is inactive.';

create function app.subscription_test(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_delivery_id uuid;
begin
  perform crm.require_active_subscription(v_workspace_id, v_id);
  v_delivery_id := crm.send_test_event(v_workspace_id, v_id);
  perform crm.record_webhook_action(
    v_workspace_id, v_id, 'webhook_tested', jsonb_build_object('delivery_id', v_delivery_id)
  );
  perform crm.poke_dispatcher();
  return json_build_object('delivery_id', v_delivery_id, 'held', crm.holds_webhooks(v_workspace_id));
end
$$;
comment on function app.subscription_test(jsonb) is
  'Sends a test event to a subscription: a delivery like any other, signed, and retried if it fails. Returns '
  'delivery_id, and held: whether it waits, because the workspace is suspended or has no public API. Arguments: '
  'workspace_id, id. Codes: validation_error, not_found, subscription_inactive.';

create function app.subscription_reactivate(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_is_active boolean;
  v_resumed bigint := 0;
  v_revoked_key json;
begin
  select
    s.is_active,
    case when k.revoked_at is not null then json_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix) end
  into v_is_active, v_revoked_key
  from crm.webhook_subscriptions s
  left join crm.api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id
  where s.workspace_id = v_workspace_id and s.id = v_id;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  if not v_is_active then
    perform crm.check_active_subscriptions(v_workspace_id, 'active_subscriptions');
    v_resumed := crm.reactivate_subscription(v_workspace_id, v_id);
    perform crm.record_webhook_action(
      v_workspace_id, v_id, 'webhook_reactivated', jsonb_build_object('resumed', v_resumed)
    );
    perform crm.poke_dispatcher();
  end if;
  return crm.with_fields(
    crm.subscription_overview(v_workspace_id, v_id),
    json_build_object('resumed', v_resumed, 'revoked_key', v_revoked_key)
  );
end
$$;
comment on function app.subscription_reactivate(jsonb) is
  'Activates a subscription again with a failure_count of 0, and makes its waiting deliveries due now; an active one '
  'does not change. Returns the subscription with resumed, the number of deliveries that were waiting, and '
  'revoked_key (id, name, prefix), the key that made it if that is revoked, otherwise null. A workspace has at most '
  '50 active subscriptions. Arguments: workspace_id, id. Codes: validation_error, not_found.';

create function app.subscription_read_secret(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_secret bytea;
begin
  select k.secret into v_secret from crm.webhook_secrets k
  where k.workspace_id = (v_args ->> 'workspace_id')::uuid and k.subscription_id = (v_args ->> 'id')::uuid
  for update;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  -- encode() inserts a line break after every 76 characters.
  return json_build_object('secret', replace(encode(v_secret, 'base64'), e'\n', ''));
end
$$;
comment on function app.subscription_read_secret(jsonb) is
  'Returns the encrypted secret of a subscription in base64, locked until the transaction ends, so that the operator '
  'can test an encryption key on it before a rotation. For the operator alone. Arguments: workspace_id, id. Codes: '
  'validation_error, not_found.';

create function app.subscription_rotate(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id, secret}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
begin
  if not exists (
    select from crm.webhook_secrets k where k.workspace_id = v_workspace_id and k.subscription_id = v_id
  ) then
    perform crm.raise_code('not_found', 'id');
  end if;
  update crm.webhook_secrets k
  set secret = decode(v_args ->> 'secret', 'base64')
  where k.workspace_id = v_workspace_id and k.subscription_id = v_id;
  perform crm.record_webhook_action(v_workspace_id, v_id, 'webhook_rotated');
  return crm.subscription_overview(v_workspace_id, v_id);
end
$$;
comment on function app.subscription_rotate(jsonb) is
  'Replaces the signing secret of a subscription; deliveries are signed with the new one from now on. Returns the '
  'subscription as subscription_get does. Arguments: workspace_id, id, secret (encrypted, in base64). Codes: '
  'validation_error, not_found.';

-- Webhook subscriptions of a workspace, for the operator. The caller generates and encrypts a signing secret: the
-- database never has the encryption key.

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

create function app.subscription_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  return (
    select coalesce(json_agg(crm.subscription_json(s) order by s.created_at desc, s.id desc), '[]')
    from crm.webhook_subscriptions s
    where s.workspace_id = v_workspace_id
  );
end
$$;
comment on function app.subscription_list(jsonb) is
  'Lists the subscriptions of a workspace, newest first, inactive ones included, without their secrets. Arguments: '
  'workspace_id. Codes: validation_error, not_found.';

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
  perform crm.poke_dispatcher();
  return json_build_object('delivery_id', v_delivery_id);
end
$$;
comment on function app.subscription_test(jsonb) is
  'Sends a test event to a subscription: a delivery like any other, signed, and retried if it fails. Returns '
  'delivery_id. Arguments: workspace_id, id. Codes: validation_error, not_found, subscription_inactive.';

create function app.subscription_reactivate(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_resumed bigint;
begin
  if not exists (select from crm.webhook_subscriptions s where s.workspace_id = v_workspace_id and s.id = v_id) then
    perform crm.raise_code('not_found', 'id');
  end if;
  v_resumed := crm.reactivate_subscription(v_workspace_id, v_id);
  perform crm.poke_dispatcher();
  return json_build_object('id', v_id, 'resumed', v_resumed);
end
$$;
comment on function app.subscription_reactivate(jsonb) is
  'Activates a subscription again with a failure_count of 0, and makes its waiting deliveries due now; an active one '
  'does not change. Returns id and resumed, the number of deliveries that were waiting. Arguments: workspace_id, id. '
  'Codes: validation_error, not_found.';

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
begin
  update crm.webhook_secrets k
  set secret = decode(v_args ->> 'secret', 'base64')
  where k.workspace_id = (v_args ->> 'workspace_id')::uuid and k.subscription_id = (v_args ->> 'id')::uuid;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  return json_build_object('id', v_args -> 'id');
end
$$;
comment on function app.subscription_rotate(jsonb) is
  'Replaces the signing secret of a subscription; deliveries are signed with the new one from now on. Returns id. '
  'Arguments: workspace_id, id, secret (encrypted, in base64). Codes: validation_error, not_found.';

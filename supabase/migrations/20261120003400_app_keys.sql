-- API keys of a workspace (spec 5.5), for the operator. The caller generates a key and passes only its hash.

create function app.key_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(
    p_args, '{workspace_id, name, scopes, prefix, hash}', '{member_id, expires_at}'
  );
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_member_id uuid;
  v_is_active boolean := true;
  v_id uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  if (v_args ->> 'expires_at')::timestamptz <= now() then
    perform crm.raise_code('already_expired', 'expires_at', 'Deve estar no futuro');
  end if;
  if v_args ? 'member_id' then
    select m.id, m.is_active into v_member_id, v_is_active from crm.members m
    where m.workspace_id = v_workspace_id and m.id = (v_args ->> 'member_id')::uuid;
    if not found then
      perform crm.raise_code('invalid_reference', 'member_id');
    end if;
  else
    select m.id into v_member_id from crm.members m
    where m.workspace_id = v_workspace_id and m.is_active and m.role = 'admin'
    order by m.id
    limit 1;
    if not found then
      perform crm.raise_code('no_active_admin', 'member_id', 'O workspace não tem um admin ativo; informe um membro');
    end if;
  end if;

  insert into crm.api_keys (workspace_id, member_id, name, prefix, hash, scopes, expires_at)
  values (
    v_workspace_id,
    v_member_id,
    v_args ->> 'name',
    v_args ->> 'prefix',
    decode(v_args ->> 'hash', 'hex'),
    array(select jsonb_array_elements_text(v_args -> 'scopes')),
    (v_args ->> 'expires_at')::timestamptz
  )
  returning id into v_id;
  return json_build_object('id', v_id, 'creator_is_active', v_is_active);
end
$$;
comment on function app.key_create(jsonb) is
  'Stores a new key by its hash. Its creator is the member named, otherwise the oldest active admin: the default '
  'owner of the records that the key creates, and the author of its notes. A well-formed scope that no endpoint '
  'requires is stored and grants nothing (spec 5.3). Returns id and creator_is_active: with an inactive creator the key '
  'writes no notes. Arguments: workspace_id, name, scopes, prefix (the visible 12 characters), hash (SHA-256, hexadecimal), member_id, expires_at (never if absent). Codes: '
  'validation_error, not_found, already_expired (the key could never be used), invalid_reference, no_active_admin.';

create function app.key_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id}');
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
begin
  perform crm.require_workspace(v_workspace_id);
  return (
    select coalesce(
      json_agg(
        json_build_object(
          'id', k.id,
          'name', k.name,
          'prefix', k.prefix,
          'scopes', k.scopes,
          'creator_id', m.id,
          'creator', m.name,
          'created_at', crm.iso(k.created_at),
          'expires_at', crm.iso(k.expires_at),
          'revoked_at', crm.iso(k.revoked_at),
          'last_used_at', crm.iso(r.hits[cardinality(r.hits)])
        )
        order by k.id
      ),
      '[]'
    )
    from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    left join crm.rate_limits r on r.key_id = k.id
    where k.workspace_id = v_workspace_id
  );
end
$$;
comment on function app.key_list(jsonb) is
  'Lists the keys of a workspace, oldest first, revoked and expired ones included. last_used_at is the last call '
  'that the rate limit counted, so a crash of the database loses it. Arguments: workspace_id. Codes: '
  'validation_error, not_found.';

create function app.key_revoke(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_args jsonb := crm.check_args(p_args, '{workspace_id, id}', '{keep_webhooks}');
  v_key crm.api_keys;
  v_was_revoked boolean;
  v_ended json;
  v_kept json;
begin
  select k.* into v_key from crm.api_keys k
  where k.workspace_id = (v_args ->> 'workspace_id')::uuid and k.id = (v_args ->> 'id')::uuid
  for no key update;
  if not found then
    perform crm.raise_code('not_found', 'id');
  end if;
  v_was_revoked := v_key.revoked_at is not null;
  v_key.revoked_at := coalesce(v_key.revoked_at, now());
  update crm.api_keys k
  set revoked_at = v_key.revoked_at
  where k.workspace_id = v_key.workspace_id and k.id = v_key.id;

  -- In a statement of its own, so that it also sees those whose calls the lock above has waited for (crm.lock_key).
  with ended as (
    update crm.webhook_subscriptions s
    set is_active = false
    where s.workspace_id = v_key.workspace_id and s.key_id = v_key.id and s.is_active
      and not coalesce((v_args ->> 'keep_webhooks')::boolean, false)
    returning s.id, s.target_url
  )
  select coalesce(json_agg(json_build_object('id', e.id, 'target_url', e.target_url) order by e.id), '[]')
  into v_ended
  from ended e;
  select coalesce(json_agg(json_build_object('id', s.id, 'target_url', s.target_url) order by s.id), '[]')
  into v_kept
  from crm.webhook_subscriptions s
  where s.workspace_id = v_key.workspace_id and s.key_id = v_key.id and s.is_active;
  return json_build_object(
    'id', v_key.id,
    'revoked_at', crm.iso(v_key.revoked_at),
    'was_revoked', v_was_revoked,
    'ended_subscriptions', v_ended,
    'kept_subscriptions', v_kept
  );
end
$$;
comment on function app.key_revoke(jsonb) is
  'Revokes a key for good, from its next call on, and ends the active subscriptions that it made, unless '
  'keep_webhooks; their history is kept. A key that is revoked already stays as it is, and those of its subscriptions '
  'that are still active end now. Returns id, revoked_at, was_revoked (already, before this call), '
  'ended_subscriptions and kept_subscriptions, those still active (id, target_url of each, oldest first). '
  'Arguments: workspace_id, id, keep_webhooks (false if absent). Codes: validation_error, not_found.';

-- API keys, their secrets, and the caller that a secret identifies. SQL gets only the SHA-256 of a secret.

create table crm.api_keys (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  member_id uuid not null,
  name crm.record_name not null,
  prefix text not null,
  scopes text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  rotated_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  -- The rate limit identifies a key by its id alone.
  unique (id),
  foreign key (workspace_id, member_id) references crm.members (workspace_id, id)
);
comment on table crm.api_keys is
  'API keys without their secrets. A rotation does not change this row, so limits, subscriptions and call counts '
  'continue. The role crm_api cannot read the table.';
comment on column crm.api_keys.member_id is
  'The member who created the key: the default owner of the records it creates, and the author of its notes.';
comment on column crm.api_keys.prefix is 'The visible start of the newest secret, by which people recognise the key.';
comment on column crm.api_keys.rotated_at is
  'When the newest secret replaced an earlier one; null before the first rotation.';
call crm.protect('crm.api_keys');

create table crm.key_secrets (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  key_id uuid not null,
  prefix text not null,
  hash bytea not null unique check (octet_length(hash) = 32),
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, key_id) references crm.api_keys (workspace_id, id)
);
comment on table crm.key_secrets is
  'The hashes of the secrets that clients send as their key, so that nobody can call the API with a dump of this '
  'table. After a rotation a key has two valid secrets until the earlier one expires. The role crm_api cannot read the '
  'table.';
comment on column crm.key_secrets.prefix is
  'The visible start of the secret, by which the operator finds the key of a leaked secret.';
comment on column crm.key_secrets.hash is
  'SHA-256 of the whole secret. A fast hash is enough: a secret has 32 random bytes.';
comment on column crm.key_secrets.expires_at is
  'When the secret ends because of a rotation; null for the newest secret, which lasts as long as its key.';
call crm.protect('crm.key_secrets');
create unique index key_secrets_newest on crm.key_secrets (workspace_id, key_id) where expires_at is null;
create index key_secrets_replaced on crm.key_secrets (workspace_id, key_id, expires_at) where expires_at is not null;
create index key_secrets_age on crm.key_secrets (expires_at) where expires_at is not null;

create function crm.purge_key_secrets() returns void
language sql set search_path = ''
as $$ delete from crm.key_secrets s where s.expires_at < now() - interval '30 days' $$;
comment on function crm.purge_key_secrets() is
  'Deletes secrets 30 days after a rotation ended them. Until then a call with such a secret gets revoked_api_key, '
  'which tells the owner more than invalid_api_key.';

create type crm.caller as (
  error_code text, id uuid, workspace_id uuid, member_id uuid, scopes text[], rate_limit integer, user_id uuid
);
comment on type crm.caller is
  'Who calls. id: the key, the proposal that a link opens, or the signed-in member. scopes: the scopes of the key, or '
  'the roles that the member''s role includes. user_id is the signed-in person, null for a key or a link. error_code '
  'says why the caller is not admitted (spec 5.7).';

create function crm.identify(p_key_hash bytea) returns crm.caller
language plpgsql stable set search_path = '' as $$
declare
  v_caller crm.caller;
begin
  select
    case
      when k.revoked_at is not null or k.expires_at <= now() or s.expires_at <= now() then 'revoked_api_key'
      when w.suspended then 'workspace_suspended'
      when not w.public_api then 'feature_disabled'
    end,
    k.id, k.workspace_id, k.member_id, k.scopes, w.rate_limit_per_minute, null::uuid
  into v_caller
  from crm.key_secrets s
  join crm.api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id
  join crm.workspaces w on w.id = s.workspace_id
  where s.hash = p_key_hash;
  if not found then v_caller.error_code := 'invalid_api_key'; end if;
  return v_caller;
end
$$;
comment on function crm.identify(bytea) is 'The caller to whom the hash of a secret belongs.';

create function crm.lock_key(p_id uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform from crm.api_keys k
  where k.workspace_id = crm.current_workspace_id() and k.id = p_id and k.revoked_at is null
  for share;
  return found;
end
$$;
comment on function crm.lock_key(uuid) is
  'Blocks a revocation of a key of the current workspace until the transaction ends; false if the key is revoked '
  'already. Security definer, because crm_api cannot read keys.';

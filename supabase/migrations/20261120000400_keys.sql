-- API keys, and the caller that each key identifies. SQL gets only the SHA-256 of a key, never the key itself.

create table crm.api_keys (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  member_id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  prefix text not null,
  hash bytea not null unique check (octet_length(hash) = 32),
  scopes text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, member_id) references crm.members (workspace_id, id)
);
comment on table crm.api_keys is
  'API keys, each stored as a hash: a dump of this table opens nothing. The role crm_api cannot read it.';
comment on column crm.api_keys.member_id is
  'The member who created the key: default owner of the records it creates, and author of its notes.';
comment on column crm.api_keys.prefix is 'The visible start of the key, by which a person recognises it.';
comment on column crm.api_keys.hash is
  'SHA-256 of the whole key. A fast hash is enough, because a key has 32 random bytes.';
call crm.protect('crm.api_keys');

create type crm.caller as (
  error_code text,
  id uuid,
  workspace_id uuid,
  member_id uuid,
  scopes text[],
  rate_limit integer,
  user_id uuid
);
comment on type crm.caller is
  'Who called: the id of the key, of the proposal that a link opens, or of the member who is signed in; the workspace; '
  'the scopes, or the roles that a member''s own role includes. user_id: the person who is signed in, null for a key or '
  'a link. error_code: why the caller is not admitted (spec 5.7).';

create function crm.identify(p_key_hash bytea) returns crm.caller
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller crm.caller;
begin
  select
    case
      when k.revoked_at is not null or k.expires_at <= now() then 'revoked_api_key'
      when w.suspended then 'workspace_suspended'
      when not w.public_api then 'feature_disabled'
    end,
    k.id, k.workspace_id, k.member_id, k.scopes, w.rate_limit_per_minute
  into v_caller
  from crm.api_keys k
  join crm.workspaces w on w.id = k.workspace_id
  where k.hash = p_key_hash;
  if not found then
    v_caller.error_code := 'invalid_api_key';
  end if;
  return v_caller;
end
$$;
comment on function crm.identify(bytea) is
  'The caller to whom a key''s hash belongs.';

create function crm.lock_key(p_id uuid) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  perform from crm.api_keys k
  where k.workspace_id = crm.current_workspace_id() and k.id = p_id and k.revoked_at is null
  for share;
  return found;
end
$$;
comment on function crm.lock_key(uuid) is
  'Makes a revocation of a key of the current workspace wait until the transaction ends; false if the key is revoked. '
  'Security definer, because crm_api cannot read keys.';

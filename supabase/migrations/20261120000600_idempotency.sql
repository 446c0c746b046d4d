-- Replies stored for 24 hours under their Idempotency-Key (spec 4.0.1).

create table crm.idempotency_keys (
  -- No foreign key: the door has identified the caller's workspace, and a foreign key would look it up again and lock
  -- it.
  workspace_id uuid not null,
  key text not null check (char_length(key) between 1 and 255),
  request_hash bytea not null,
  body text not null,
  was_found boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (workspace_id, key)
);
comment on table crm.idempotency_keys is
  'The replies of the last 24 hours by Idempotency-Key: a repeated POST gets the first reply and creates nothing. '
  'Errors are not stored.';
comment on column crm.idempotency_keys.request_hash is 'SHA-256 of the resource and of the body in canonical form.';
comment on column crm.idempotency_keys.was_found is
  'Whether the reply is from an upsert that found its record: a repetition must then have no Location header either.';
call crm.protect('crm.idempotency_keys');
create index idempotency_keys_age on crm.idempotency_keys (created_at);

create type crm.remembered_reply as (error_code text, body text, was_found boolean);
comment on type crm.remembered_reply is
  'The reply that is stored under an Idempotency-Key, or the error code of a call that may not use the key.';

create function crm.idempotency_begin(p_workspace_id uuid, p_key text, p_request_hash bytea)
returns crm.remembered_reply
language plpgsql set search_path = '' as $$
declare
  v_remembered crm.remembered_reply;
  -- The lock ends with the transaction, so a killed process leaves no key locked.
  v_locked boolean := pg_try_advisory_xact_lock(crm.lock_number('idempotency ' || p_workspace_id || ' ' || p_key));
  v_seen crm.idempotency_keys;
begin
  -- Read after trying the lock: a request that held the lock before has committed its reply by now.
  select * into v_seen from crm.idempotency_keys i where i.workspace_id = p_workspace_id and i.key = p_key;
  if v_seen.created_at > clock_timestamp() - interval '24 hours' then
    if v_seen.request_hash = p_request_hash then
      v_remembered.body := v_seen.body;
      v_remembered.was_found := v_seen.was_found;
    else
      v_remembered.error_code := 'idempotency_conflict';
    end if;
  elsif not v_locked then
    v_remembered.error_code := 'idempotency_in_progress';
  elsif v_seen.key is not null then
    -- Expired: delete it, so that the new reply can be stored.
    delete from crm.idempotency_keys i where i.workspace_id = p_workspace_id and i.key = p_key;
  end if;
  return v_remembered;
end
$$;
comment on function crm.idempotency_begin(uuid, text, bytea) is
  'Returns the stored reply or an error code. If both are null, this transaction holds the key (spec 4.0.1).';

create function crm.idempotency_remember(
  p_workspace_id uuid, p_key text, p_request_hash bytea, p_body text, p_was_found boolean
) returns void
language plpgsql set search_path = '' as $$
begin
  insert into crm.idempotency_keys (workspace_id, key, request_hash, body, was_found)
  values (p_workspace_id, p_key, p_request_hash, p_body, p_was_found);
end
$$;
comment on function crm.idempotency_remember(uuid, text, bytea, text, boolean) is
  'Stores a reply in the transaction that created the record: both are kept, or neither. The transaction holds the '
  'key (crm.idempotency_begin).';

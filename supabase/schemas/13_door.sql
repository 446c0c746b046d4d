-- Replies stored for 24 hours under their Idempotency-Key (spec 4.0.1).

create table crm.idempotency_keys (
  -- No foreign key: it would look up and lock the workspace's row, although the door has just read that row.
  workspace_id uuid not null,
  key text not null check (char_length(key) between 1 and 255),
  request_hash bytea not null,
  body text not null,
  was_found boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (workspace_id, key)
);
comment on table crm.idempotency_keys is
  'The replies of the last 24 hours by Idempotency-Key: a repeated POST gets the first reply. Errors are not stored.';
comment on column crm.idempotency_keys.request_hash is
  'SHA-256 of the operation with its query, and of the body in canonical form.';
comment on column crm.idempotency_keys.was_found is
  'Whether the first call found its record instead of creating it. In that case neither the first reply nor a repeated '
  'reply has a Location header.';
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
  -- Read after the attempt to lock: a request that has released the lock has already committed its reply.
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

-- The doors: one SQL statement answers one request. api.call is the door for API keys, api.call_by_grant
-- (77_app_grants.sql) for apps, api.call_by_link (36_proposals.sql) for public links, app.call (71_app_door.sql) for
-- signed-in members. Each door identifies its caller; crm.answer_request does the rest. A door runs with its owner's
-- rights, so that the calling role needs no rights on tables. Only the verb runs as crm_api (crm.run_verb) or crm_app
-- (crm.run_app_verb). See docs/architecture.md.

create function api.fail(p_code text, p_fields text[] default '{}', p_message text default null, p_ids uuid[] default '{}')
returns void
language plpgsql set search_path = '' as $$
begin
  raise exception using
    errcode = 'CRM00',
    message = p_code,
    detail = coalesce(
      (
        select json_agg(json_build_object('field', f.field, 'message', p_message, 'id', f.id))
        from unnest(p_fields, p_ids) f (field, id)
      )::text,
      ''
    );
end
$$;
comment on function api.fail(text, text[], text, uuid[]) is
  'Raises an error code of spec 7 with the invalid fields. p_message is the Portuguese message for these fields; null '
  'means the message of the code. p_ids are the records that these fields are about.';

create function api.mark_replayed() returns void
language plpgsql set search_path = ''
as $$ begin perform set_config('app.replayed', 'true', true); end $$;
comment on function api.mark_replayed() is 'Marks the reply as a repetition: its status is 200, not 201.';

create function api.mark_found() returns void
language plpgsql set search_path = ''
as $$ begin perform set_config('app.found', 'true', true); end $$;
comment on function api.mark_found() is 'Marks the record as found, not created: the reply''s status is 200, not 201.';

create function crm.unless_dry_run(p_args jsonb, p_reply json) returns json
language plpgsql set search_path = '' as $$
begin
  -- An exception, because it undoes everything that the verb wrote.
  if p_args ? 'dry_run' then
    raise exception using errcode = 'CRM02', message = 'dry_run', detail = p_reply::text;
  end if;
  return p_reply;
end
$$;
comment on function crm.unless_dry_run(jsonb, json) is
  'A verb that supports dry_run returns its reply through this function. If dry_run was sent, the function undoes '
  'what the verb wrote, events included; the door sends the reply, but does not store it under an Idempotency-Key.';

create type api.reply as (
  error_code text, details json, body text, replayed boolean, found boolean, events boolean, caller_id uuid,
  workspace_id uuid, rate_limit integer, rate_remaining integer, rate_reset integer
);
comment on type api.reply is
  'The answer to a request. error_code and details: an error code of spec 7 with the invalid fields. body: JSON text. '
  'replayed: the body repeats an earlier reply. found: the call created no record, because it found the record or was '
  'sent with dry_run. events: webhook deliveries were enqueued. caller_id and workspace_id: who called. rate_limit, '
  'rate_remaining and rate_reset: the state of the rate limit.';

create function crm.is_marked(p_setting text) returns boolean
language sql stable
-- The door need not reset the setting, because the setting ends with the transaction. A reset would take longer than
-- building the whole reply.
as $$ select current_setting(p_setting, true) is not distinct from 'true' $$;
comment on function crm.is_marked(text) is
  'Whether the request has set this setting, such as app.found. Each request is one transaction.';

create type crm.failure as (state text, message text, detail text, constraint_name text, context text);
comment on type crm.failure is 'What Postgres reports about an exception (`get stacked diagnostics`).';

create function crm.external_id_holders(p_record text, p_external_ids text[]) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_holders jsonb;
begin
  case p_record
    when 'contact' then
      select jsonb_object_agg(t.external_id, t.id) into v_holders from crm.contacts t
      where t.workspace_id = v_workspace_id and t.external_id = any (p_external_ids);
    when 'company' then
      select jsonb_object_agg(t.external_id, t.id) into v_holders from crm.companies t
      where t.workspace_id = v_workspace_id and t.external_id = any (p_external_ids);
    else
      null;
  end case;
  return coalesce(v_holders, '{}');
end
$$;
comment on function crm.external_id_holders(text, text[]) is
  'The ids of the records with these external_ids, by external_id. Empty for a kind of record whose external_id is not '
  'unique.';

create function crm.error_of(p_failure crm.failure, p_verb text, p_args jsonb, out error_code text, out details json)
language plpgsql set search_path = '' as $$
begin
  case
    when p_failure.state = 'CRM00' then
      error_code := p_failure.message;
      details := crm.explain(error_code, nullif(p_failure.detail, '')::json, p_verb, p_args);
    -- The unique index detects a taken external_id, so that creates and updates need no search.
    when p_failure.state = '23505' and p_failure.constraint_name like '%\_external\_id\_once' then
      error_code := 'external_id_taken';
      details := json_build_array(json_build_object(
        'field', 'external_id', 'message', null,
        'id', crm.external_id_holders(
          case p_failure.constraint_name
            when 'contacts_external_id_once' then 'contact' when 'companies_external_id_once' then 'company'
          end,
          array[p_args ->> 'external_id']
        ) ->> (p_args ->> 'external_id')
      ));
    -- These states are lock_not_available, deadlock_detected and query_canceled.
    when p_failure.state in ('55P03', '40P01', '57014') then
      error_code := 'service_unavailable';
    else
      raise log 'verb %: % (%) %', p_verb, p_failure.message, p_failure.state, p_failure.context;
      -- Class 53: the disk is full, or memory is short.
      error_code := case when p_failure.state like '53%' then 'service_unavailable' else 'internal_error' end;
  end case;
end
$$;
comment on function crm.error_of(crm.failure, text, jsonb) is
  'The code of spec 7 for the exception that ended a verb, and the invalid fields. An unexpected exception goes to '
  'the log of Postgres and becomes internal_error, or service_unavailable if Postgres lacks resources.';

create function crm.refusal(
  p_error_code text, p_caller crm.caller, p_admission crm.admission default null, p_details json default null
) returns api.reply
language sql stable
-- Must stay one expression, so that Postgres inlines it.
as $$
  select row(
    p_error_code, p_details, null, false, false, false, p_caller.id, p_caller.workspace_id,
    case when p_admission.admitted is not null then p_caller.rate_limit end, p_admission.remaining,
    p_admission.reset_seconds
  )::api.reply
$$;
comment on function crm.refusal(text, crm.caller, crm.admission, json) is
  'The answer to a request whose verb did not run, or failed. p_admission null: the answer shows no rate limit.';

create function crm.elsewhere(p_address text) returns json
language plpgsql immutable set search_path = '' as $$
begin
  return json_build_array(json_build_object(
    'field', '',
    'message', case p_address
      when '' then
        'A chave de API só vale para certas redes, e o serviço não sabe de que endereço esta chamada veio; peça a quem '
        'opera o serviço para configurar CLIENT_ADDRESS_HEADER, ou tire as redes da chave'
      else
        'A chave de API só vale para certas redes, e esta chamada veio de ' || p_address || '; chame de uma delas, ou '
        'inclua este endereço nas redes da chave'
    end,
    'id', null
  ));
end
$$;
comment on function crm.elsewhere(text) is
  'The error details for a call from an address outside its key''s networks. p_address is '''' if it is unknown.';

create function crm.answer_request(
  p_caller crm.caller, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea
) returns api.reply
language plpgsql set search_path = '' as $$
declare
  v_remembered crm.remembered_reply;
  v_admission crm.admission;
  v_settings text[];
  v_body text;
  v_failure crm.failure;
  v_error record;
begin
  if p_caller.error_code is not null then return crm.refusal(p_caller.error_code, p_caller); end if;
  -- Without arguments the door only identifies the caller. The edge function calls it this way before it reads a large
  -- body, and does not read the body if the limit is used up.
  if p_args is null then
    v_admission := crm.used_up(p_caller.id, p_caller.rate_limit);
    return crm.refusal(case when v_admission.admitted is false then 'rate_limited' end, p_caller, v_admission);
  end if;

  if p_idempotency_key is not null then
    v_remembered := crm.idempotency_begin(p_caller.workspace_id, p_idempotency_key, p_request_hash);
  end if;

  -- A call that gets idempotency_in_progress is not counted while another call by the API key runs. Counting would wait
  -- for that other call, which may hold the idempotency key.
  if v_remembered.error_code is distinct from 'idempotency_in_progress'
    or not crm.is_call_in_progress(p_caller.id) then
    v_admission := crm.admit(p_caller.id, p_caller.rate_limit);
    if not v_admission.admitted then return crm.refusal('rate_limited', p_caller, v_admission); end if;
  end if;

  if p_caller.refused_address is not null then
    return crm.refusal('insufficient_scope', p_caller, v_admission, crm.elsewhere(p_caller.refused_address));
  end if;
  if not p_scope = any (p_caller.scopes) then
    return crm.refusal(
      case when p_caller.user_id is null then 'insufficient_scope' else 'insufficient_role' end, p_caller, v_admission
    );
  end if;

  if v_remembered.body is not null then
    -- Another key may have sent the batch, with the scope to read.
    if p_args ? 'items' and crm.table_of(left(p_verb, -length('_batch'))) || ':read' <> all (p_caller.scopes)
      and v_remembered.body::jsonb @? '$.results[*].record' then
      return crm.refusal('insufficient_scope', p_caller, v_admission);
    end if;
    return row(
      null, null, v_remembered.body, true, v_remembered.was_found, false, p_caller.id, p_caller.workspace_id,
      p_caller.rate_limit, v_admission.remaining, v_admission.reset_seconds
    )::api.reply;
  end if;
  -- No verb: the edge function has already found a 4xx error. It returns that error only if nothing above refused the
  -- call.
  if v_remembered.error_code is not null or p_verb is null then
    return crm.refusal(v_remembered.error_code, p_caller, v_admission);
  end if;

  -- Assigned to a variable, because `perform` costs several times as much as an expression. A setting costs as much as
  -- ten expressions, so one setting holds all ids of the caller.
  v_settings := array[
    set_config('app.workspace_id', p_caller.workspace_id::text, true),
    set_config('app.caller', format('%s %s %s', p_caller.id, p_caller.member_id, p_caller.user_id), true)
  ];
  begin
    if p_caller.user_id is null then
      -- A batch locks the records that it reads if its reply is stored (crm.lock_batch).
      v_body := crm.run_verb(p_verb, case
        when p_idempotency_key is not null and p_args ? 'items' then p_args || '{"is_stored": true}'
        else p_args
      end);
    else
      v_body := crm.run_app_verb(p_verb, p_args);
    end if;
    if p_idempotency_key is not null then
      -- In the transaction that created the record, so that the reply and the record are stored together or not at all.
      insert into crm.idempotency_keys (workspace_id, key, request_hash, body, was_found)
      values (p_caller.workspace_id, p_idempotency_key, p_request_hash, v_body, crm.is_marked('app.found'));
    end if;
  exception
    -- This block is a subtransaction: an error undoes what the verb wrote, and the call stays counted. `others` does
    -- not include query_canceled, which ends a verb that took too long.
    when others or query_canceled then
      get stacked diagnostics
        v_failure.state = returned_sqlstate,
        v_failure.message = message_text,
        v_failure.detail = pg_exception_detail,
        v_failure.constraint_name = constraint_name,
        v_failure.context = pg_exception_context;
      if v_failure.state = 'CRM02' then
        return row(
          null, null, v_failure.detail, false, true, false, p_caller.id, p_caller.workspace_id, p_caller.rate_limit,
          v_admission.remaining, v_admission.reset_seconds
        )::api.reply;
      end if;
      select e.error_code, e.details into v_error from crm.error_of(v_failure, p_verb, p_args) e;
      return crm.refusal(v_error.error_code, p_caller, v_admission, v_error.details);
  end;
  -- Built in one expression, because assigning a single field would cost as much as building the whole row.
  return row(
    null, null, v_body, crm.is_marked('app.replayed'), crm.is_marked('app.found'), crm.is_marked('app.events_enqueued'),
    p_caller.id, p_caller.workspace_id, p_caller.rate_limit, v_admission.remaining, v_admission.reset_seconds
  )::api.reply;
end
$$;
comment on function crm.answer_request(crm.caller, text, text, jsonb, text, bytea) is
  'Answers one request from an identified caller: rate limit, networks, scope, idempotency key, verb, stored reply. '
  'p_scope is a scope or a role; null requires none. p_verb null: makes all checks, but runs no verb. p_args null: '
  'only identifies the caller and counts no call. Only the doors call it.';

create function api.call(
  p_key_hash bytea, p_scope text, p_verb text, p_args jsonb, p_idempotency_key text, p_request_hash bytea,
  p_address text default null
) returns api.reply
language plpgsql security definer set search_path = '' as $$
begin
  return crm.answer_request(
    crm.identify(p_key_hash, p_address), p_scope, p_verb, p_args, p_idempotency_key, p_request_hash
  );
end
$$;
comment on function api.call(bytea, text, text, jsonb, text, bytea, text) is
  'The door for API keys: answers one request. p_key_hash and p_address: as in crm.identify. p_scope null: requires no '
  'scope, as for GET /api-v1-me and for an unknown path or method (404, 405). p_verb null: the request is invalid, so '
  'the door makes all checks, but runs no verb. p_args null: only identifies the key and counts no call.';

create function crm.own_key() returns json
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select json_build_object(
      'key', json_build_object(
        'id', k.id, 'name', k.name, 'prefix', k.prefix,
        'scopes', case when k.client_id is null then k.scopes else crm.given_scopes(k.scopes, m.role) end,
        'created_at', crm.iso(k.created_at),
        'expires_at', crm.iso(k.expires_at), 'allowed_networks', coalesce(k.allowed_networks::text[], '{}')
      ),
      'workspace', json_build_object('id', w.id, 'name', w.name, 'time_zone', w.time_zone),
      'member', json_build_object('id', m.id, 'name', m.name, 'role', m.role, 'is_active', m.is_active),
      'limits', json_build_object('requests_per_minute', w.rate_limit_per_minute)
    )
    from crm.api_keys k
    join crm.workspaces w on w.id = k.workspace_id
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    where k.workspace_id = crm.current_workspace_id() and k.id = crm.current_caller_id()
  );
end
$$;
comment on function crm.own_key() is
  'The calling key with its workspace, member and limit, without the member''s e-mail, which requires a scope. Null '
  'for a caller without a key. Security definer, because crm_api cannot read these tables.';

create function crm.has_scope(p_scope text) returns boolean
language plpgsql stable set search_path = ''
as $$ begin return (crm.own_key() #>> '{key,scopes}')::jsonb ? p_scope; end $$;
comment on function crm.has_scope(text) is 'Whether the calling key has the scope.';

create function api.me_get(p_args jsonb) returns json
language plpgsql stable set search_path = ''
as $$ begin return crm.own_key(); end $$;
comment on function api.me_get(jsonb) is 'Returns the calling key with its workspace, member and limit.';

-- The door: one statement answers a request. See docs/architecture.md.

create function api.fail(p_code text, p_fields text[] default '{}', p_message text default null) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception using
    errcode = 'CRM00',
    message = p_code,
    detail = coalesce(
      (select json_agg(json_build_object('field', f, 'message', p_message)) from unnest(p_fields) f)::text,
      ''
    );
end
$$;
comment on function api.fail(text, text[], text) is
  'Ends a verb with an error code of spec 7, naming the fields at fault. The message of a field is Portuguese; '
  'left out, the one that belongs to the code is used.';

create function api.replayed() returns void
language sql
as $$ select set_config('app.replayed', 'true', true) $$;
comment on function api.replayed() is 'Called by a verb that answers an earlier request again: the status is 200, not 201.';

create procedure crm.bind_verbs()
language plpgsql
set search_path = ''
as $bind$
declare
  v_verbs text;
begin
  select string_agg(
    format('when %L then return api.%I(p_args);', p.proname, p.proname), e'\n    ' order by p.proname
  )
  into v_verbs
  from pg_catalog.pg_proc p
  where p.pronamespace = 'api'::regnamespace and pg_catalog.pg_get_function_arguments(p.oid) = 'p_args jsonb';
  execute format(
    $sql$
create or replace function crm.run_verb(p_verb text, p_args jsonb) returns json
language plpgsql
set search_path = ''
as $run$
declare
  v_body json;
begin
  case p_verb
    %s
    else
      execute format('select api.%%I($1)', p_verb) into v_body using p_args;
      return v_body;
  end case;
end
$run$
    $sql$,
    coalesce(v_verbs, 'when null then return null;')
  );
end
$bind$;
comment on procedure crm.bind_verbs() is
  'Writes crm.run_verb anew, with every verb by name: a call that is written out keeps its plan, one that is composed is '
  'parsed and planned each time. To be called after verbs were added; one that is not bound is called all the same.';
call crm.bind_verbs();
comment on function crm.run_verb(text, jsonb) is 'The verb of that name, called. Written by crm.bind_verbs.';

create function api.call(
  p_key_hash bytea,
  p_scope text,
  p_verb text,
  p_args jsonb,
  p_idempotency_key text,
  p_request_hash bytea,
  out refusal text,
  out details json,
  out body text,
  out replayed boolean,
  out events boolean,
  out key_id uuid,
  out workspace_id uuid,
  out rate_limit integer,
  out rate_remaining integer,
  out rate_reset integer
)
language plpgsql
set search_path = ''
-- Restored when the call returns: the connection goes back to its pool as it came.
set role = 'crm_api'
-- Under the client's own patience: who waits in vain is told so while somebody still listens, and holds no connection.
set lock_timeout = '5s'
as $$
declare
  v_caller crm.caller := crm.identify(p_key_hash);
  v_remembered_refusal text;
  v_remembered_body text;
  v_admitted boolean;
  v_detail text;
  v_context text;
begin
  replayed := false;
  events := false;
  key_id := v_caller.key_id;
  workspace_id := v_caller.workspace_id;
  if key_id is null then
    refusal := 'invalid_api_key';
    return;
  end if;
  if v_caller.refusal is not null then
    refusal := v_caller.refusal;
    return;
  end if;

  if p_verb is not null and p_idempotency_key is not null then
    select b.refusal, b.body into v_remembered_refusal, v_remembered_body
    from crm.idempotency_begin(workspace_id, p_idempotency_key, p_request_hash) b;
  end if;

  -- To count a call is to wait for the call before it. One that is told "in progress" must not wait for the very
  -- request that it asks about, so that one goes uncounted.
  if v_remembered_refusal is distinct from 'idempotency_in_progress' or not crm.is_being_counted(key_id) then
    rate_limit := v_caller.rate_limit;
    select a.admitted, a.remaining, a.reset_seconds into v_admitted, rate_remaining, rate_reset
    from crm.admit(key_id, rate_limit) a;
    if not v_admitted then
      refusal := 'rate_limited';
      return;
    end if;
  end if;

  if not p_scope = any (v_caller.scopes) then
    refusal := 'insufficient_scope';
    return;
  end if;
  -- Without a verb the caller of this function has an answer of its own; it only wanted the gate's first.
  if p_verb is null then
    return;
  end if;

  refusal := v_remembered_refusal;
  body := v_remembered_body;
  replayed := body is not null;
  if refusal is not null or replayed then
    return;
  end if;

  perform
    set_config('app.workspace_id', workspace_id::text, true),
    set_config('app.member_id', v_caller.member_id::text, true),
    set_config('app.replayed', '', true),
    set_config('app.events_enqueued', '', true);
  begin
    body := crm.run_verb(p_verb, p_args);
    replayed := current_setting('app.replayed') = 'true';
    events := current_setting('app.events_enqueued') = 'true';
    if p_idempotency_key is not null and not replayed then
      perform crm.idempotency_remember(workspace_id, p_idempotency_key, p_request_hash, body);
    end if;
  exception
    -- A subtransaction: what the verb wrote is undone, the rate-limit hit stays counted.
    when sqlstate 'CRM00' then
      get stacked diagnostics refusal = message_text, v_detail = pg_exception_detail;
      details := nullif(v_detail, '')::json;
    when lock_not_available or deadlock_detected then
      refusal := 'service_unavailable';
    when others then
      get stacked diagnostics v_context = pg_exception_context;
      raise log 'api.%: % (%) %', p_verb, sqlerrm, sqlstate, v_context;
      refusal := 'internal_error';
  end;
end
$$;
comment on function api.call(bytea, text, text, jsonb, text, bytea) is
  'Answers one request: gate (key, workspace, plan, rate limit, scope), idempotency, verb, remembered reply. '
  'p_scope null: the path has none (404, 405). p_verb null: only the gate is asked. `refusal` is a code of spec 7; '
  '`body` is JSON text, passed on unread. Runs with invoker rights as crm_api, under row-level security.';

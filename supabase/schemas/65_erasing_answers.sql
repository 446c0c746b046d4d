-- Erasing receivers' answers (crm.webhook_attempts.answer): an answer may repeat the body that the receiver got.

create table crm.webhook_erasures (
  workspace_id uuid primary key,
  position bigint not null
);
comment on table crm.webhook_erasures is
  'The position (crm.feed_position) of the last transaction that erased a person in the workspace. The body of an '
  'attempt whose claim_horizon is not above it may have what was erased. A receiver may repeat the body, so '
  'crm.delivery_record drops the answer.';
call crm.protect('crm.webhook_erasures');

create function crm.erasure_lock(p_workspace_id uuid) returns bigint
language plpgsql stable set search_path = ''
as $$ begin return crm.lock_number('erasure in ' || p_workspace_id); end $$;
comment on function crm.erasure_lock(uuid) is
  'The advisory lock of erasures in a workspace. A transaction that stores answers of receivers holds it in share mode. '
  'An erasure takes it exclusively before it searches the answers, so it finds the answers that were stored before. '
  'crm.delivery_record does not wait for the lock: it drops the answers that come while an erasure has it.';

create function crm.drop_answers(p_workspace_id uuid) returns boolean
language plpgsql set search_path = '' as $$
declare
  v_timeout text := current_setting('lock_timeout');
begin
  if not exists (select from crm.webhook_subscriptions s where s.workspace_id = p_workspace_id) then return true; end if;
  begin
    -- Waits only briefly. Another erasure may take long, and a transaction that stores answers may wait for a
    -- subscription that this transaction has locked.
    perform set_config('lock_timeout', '500ms', true);
    perform pg_advisory_xact_lock(crm.erasure_lock(p_workspace_id));
    perform set_config('lock_timeout', v_timeout, true);
  exception when lock_not_available or deadlock_detected then
    return false;
  end;
  insert into crm.webhook_erasures as e (workspace_id, position) values (p_workspace_id, crm.feed_position())
  on conflict (workspace_id) do update set position = excluded.position;
  return true;
end
$$;
comment on function crm.drop_answers(uuid) is
  'Makes crm.delivery_record drop the answers to deliveries that are in flight in a workspace, or are claimed before '
  'this transaction ends. Returns false, and changes nothing, if another transaction has the lock for 500 ms.';

create function crm.json_unescaped(p_text text) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if position('\' in p_text) = 0 then return p_text; end if;
  return (
    select string_agg(
      case
        when m.part[1] ~ '^\\u' and m.part[1] !~* '^\\u(d[89a-f]|00[01])'
          then chr(('x0000' || substr(m.part[1], 3))::bit(32)::integer)
        when m.part[1] ~ '^\\.' then ' '
        else m.part[1]
      end,
      '' order by m.n
    )
    from regexp_matches(p_text, '\\u[0-9A-Fa-f]{4}|\\.|[^\\]+|\\', 'g') with ordinality m (part, n)
  );
end
$$;
comment on function crm.json_unescaped(text) is
  'Decodes letters that are escaped in JSON, such as \u00e9, and replaces every other escape by a space, so that words '
  'can be searched. The text may end in the middle of an escape.';

create function crm.erase_answers(
  p_workspace_id uuid, p_after uuid, p_contact_ids uuid[], p_traces crm.traces, out last_id uuid, out work bigint,
  out changed bigint
)
language plpgsql set search_path = ''
-- Force a walk along the primary key, which reads only the few partitions that have the next thousand ids.
set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_sort = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  c_most constant integer := 1000;
begin
  select n.delivery_id into last_id
  from (
    select a.delivery_id from crm.webhook_attempts a
    where a.workspace_id = p_workspace_id and a.delivery_id > p_after
    order by a.delivery_id limit c_most
  ) n
  order by n.delivery_id desc limit 1;
  work := 0;
  changed := 0;
  if last_id is null then return; end if;
  update crm.webhook_attempts a
  set answer = null
  where a.workspace_id = p_workspace_id and a.delivery_id > p_after and a.delivery_id <= last_id
    and a.answer is not null and (
      crm.mentions(crm.json_unescaped(a.answer), p_traces)
      -- Clear every answer to an event about the contact, because a name that is cut off at the end of the answer
      -- matches no trace.
      or (
        select e.object_id = any (p_contact_ids) from crm.webhook_deliveries d
        join crm.events e on e.workspace_id = d.workspace_id and e.id = d.event_id
        where d.workspace_id = p_workspace_id and d.id = a.delivery_id
      )
    );
  get diagnostics changed = row_count;
  work := c_most / 10;
end
$$;
comment on function crm.erase_answers(uuid, uuid, uuid[], crm.traces) is
  'Reads the next thousand attempts of a workspace, and clears the answers that mention the person or that belong to '
  'an event about the contact itself. last_id is null after the last attempt.';

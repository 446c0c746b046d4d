-- Batches: up to 100 creations and changes of one kind of record in one call (docs/decisions/0029-upsert-and-batch.md).

create function crm.lock_batch(p_record text, p_items jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_ids uuid[] := array(select (i -> 'args' ->> 'id')::uuid from jsonb_array_elements(p_items) i where i ->> 'op' = 'update');
  v_deal_ids uuid[];
begin
  if exists (select from jsonb_array_elements(p_items) i where i ->> 'op' = 'upsert') then
    perform crm.lock_all_matches();
  end if;
  -- In order of id, whatever the order of the items: two batches of the same records wait for each other and do not
  -- deadlock.
  case p_record
    when 'contact' then
      perform from crm.contacts t where t.workspace_id = v_workspace_id and t.id = any (v_ids)
      order by t.id for no key update;
    when 'company' then
      perform from crm.companies t where t.workspace_id = v_workspace_id and t.id = any (v_ids)
      order by t.id for no key update;
    when 'deal' then
      perform from crm.deals t where t.workspace_id = v_workspace_id and t.id = any (v_ids)
      order by t.id for no key update;
    else
      -- Each activity and note sets moved_at of its deal.
      v_deal_ids := array(
        select (i -> 'args' ->> 'deal_id')::uuid from jsonb_array_elements(p_items) i where i ->> 'op' = 'create'
        union
        select t.deal_id from crm.activities t
        where p_record = 'activity' and t.workspace_id = v_workspace_id and t.id = any (v_ids)
      );
      perform from crm.activities t
      where p_record = 'activity' and t.workspace_id = v_workspace_id and t.id = any (v_ids)
      order by t.id for no key update;
      perform from crm.deals t where t.workspace_id = v_workspace_id and t.id = any (v_deal_ids)
      order by t.id for no key update;
  end case;
end
$$;
comment on function crm.lock_batch(text, jsonb) is
  'Locks what the items of a batch will lock one by one, in an order that all batches share.';

create function crm.run_batch_item(p_record text, p_item jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_op text := p_item ->> 'op';
  v_reply json;
begin
  perform set_config('app.found', '', true);
  v_reply := crm.run_verb(p_record || '_' || v_op, p_item -> 'args');
  return jsonb_build_object(
    'status', case when v_op = 'create' or (v_op = 'upsert' and not crm.is_marked('app.found')) then 201 else 200 end,
    'id', v_reply ->> 'id'
  );
end
$$;
comment on function crm.run_batch_item(text, jsonb) is
  'Carries out an item as the call for one record does: its status and the id of its record.';

create function crm.check_atomic_batch(p_results jsonb[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_details json := (
    select json_agg(f.detail)
    from (
      select json_build_object(
        'field', concat_ws('.', format('items[%s]', r.position - 1), d.field),
        'message', d.message,
        'id', d.id,
        'kind', d.kind,
        'choices', d.choices,
        'code', r.result -> 'error' ->> 'code'
      ) as detail
      from unnest(p_results) with ordinality r (result, position)
      left join lateral jsonb_to_recordset(nullif(r.result -> 'error' -> 'details', 'null'))
        d (field text, message text, id uuid, kind text, choices json) on true
      where r.result ? 'error'
      order by r.position
      limit 100
    ) f
  );
begin
  if v_details is not null then
    raise exception using errcode = 'CRM00', message = 'batch_failed', detail = v_details::text;
  end if;
end
$$;
comment on function crm.check_atomic_batch(jsonb[]) is
  'Raises batch_failed with the fields of every item that failed; an item whose error names none is named itself. The '
  'messages belong to the codes of the items.';

create function crm.batch_json(p_results jsonb[]) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select json_build_object(
      'results', json_agg(jsonb_build_object('index', r.position - 1) || r.result order by r.position),
      'summary', json_build_object(
        'created', count(*) filter (where r.result ->> 'status' = '201'),
        'updated', count(*) filter (where r.result ->> 'status' = '200'),
        'failed', count(*) filter (where r.result ? 'error')
      )
    )
    from unnest(p_results) with ordinality r (result, position)
  );
end
$$;
comment on function crm.batch_json(jsonb[]) is
  'The reply of a batch. The function adds the status and the texts of errors, which are in TypeScript.';

create function crm.name_holder(p_record text, p_item jsonb, p_result jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_holder uuid;
begin
  if p_result #>> '{error,code}' is distinct from 'external_id_taken'
    or p_result #>> '{error,details,0,id}' is not null then
    return p_result;
  end if;
  v_holder := crm.external_id_holder(
    case p_record when 'contact' then 'contacts_external_id_once' else 'companies_external_id_once' end,
    p_item -> 'args' ->> 'external_id'
  );
  return jsonb_set(p_result, '{error,details,0,id}', coalesce(to_jsonb(v_holder), 'null'));
end
$$;
comment on function crm.name_holder(text, jsonb, jsonb) is
  'The result of an item, with the record that has its external_id, if an item before it in its group made that record.';

create function crm.all_create(p_record text, p_items jsonb[]) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_external_ids text[];
begin
  if exists (
    select from unnest(p_items) i
    where i ->> 'op' is distinct from 'create'
      and (i ->> 'op' is distinct from 'upsert' or i #>> '{args,match_by}' <> 'external_id')
  ) then
    return false;
  end if;
  v_external_ids := array(select i #>> '{args,external_id}' from unnest(p_items) i where i ->> 'op' = 'upsert');
  if v_external_ids = '{}' then
    return true;
  end if;
  if array_position(v_external_ids, null) is not null or '' = any (v_external_ids) then
    return false;
  end if;
  -- Where two items have the same, the unique index refuses them.
  case p_record
    when 'contact' then
      return not exists (
        select from crm.contacts t where t.workspace_id = v_workspace_id and t.external_id = any (v_external_ids)
      );
    when 'company' then
      return not exists (
        select from crm.companies t where t.workspace_id = v_workspace_id and t.external_id = any (v_external_ids)
      );
    else
      return false;
  end case;
end
$$;
comment on function crm.all_create(text, jsonb[]) is
  'Whether each item is a creation, or an upsert by an external_id that no record has yet, as those of a first import are. '
  'Where no unique index is (deals), an upsert is none.';

create function crm.create_together(p_record text, p_items jsonb[]) returns jsonb[]
language plpgsql
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  if not crm.all_create(p_record, p_items) then
    return null;
  end if;
  case p_record
    when 'activity' then
      v_ids := crm.activity_insert(array(select crm.activity_new(i -> 'args') from unnest(p_items) i));
    when 'company' then
      v_ids := crm.company_insert(array(select crm.company_new(i -> 'args') from unnest(p_items) i));
    when 'contact' then
      v_ids := crm.contact_insert(array(select crm.contact_new(i -> 'args') from unnest(p_items) i));
    when 'deal' then
      v_ids := crm.deal_insert(array(select crm.deal_new(i -> 'args') from unnest(p_items) i));
    when 'note' then
      v_ids := crm.note_insert(array(select crm.note_new(i -> 'args') from unnest(p_items) i));
  end case;
  return array(select jsonb_build_object('status', 201, 'id', v_id) from unnest(v_ids) v_id);
exception
  when lock_not_available or deadlock_detected then
    raise;
  when others then
    return null;
end
$$;
comment on function crm.create_together(text, jsonb[]) is
  'Carries out items that all create a record by one insert, half the work of an insert for each; their results. Null, '
  'and nothing is written, if an item does something else or fails: crm.run_group says which.';

create function crm.run_group(p_record text, p_items jsonb[], p_is_atomic boolean) returns jsonb[]
language plpgsql
set search_path = ''
as $$
declare
  v_results jsonb[] := array_fill(null::jsonb, array[cardinality(p_items)]);
  v_at integer;
  v_failure crm.failure;
  v_error record;
begin
  loop
    begin
      for v_position in 1 .. cardinality(p_items) loop
        v_at := v_position;
        continue when v_results[v_at] ? 'error';
        -- An item that the function found invalid has its error already.
        v_results[v_at] := case
          when p_items[v_at] ? 'error' then p_items[v_at] else crm.run_batch_item(p_record, p_items[v_at])
        end;
      end loop;
      -- When the error was looked into, what its group had made was undone. An atomic batch is undone as a whole, and
      -- must not name a record that nobody will find.
      if not p_is_atomic then
        for v_position in 1 .. cardinality(p_items) loop
          v_results[v_position] := crm.name_holder(p_record, p_items[v_position], v_results[v_position]);
        end loop;
      end if;
      return v_results;
    exception
      -- Nothing is kept of the call, so that it can be repeated as a whole: service_unavailable.
      when lock_not_available or deadlock_detected then
        raise;
      when others then
        get stacked diagnostics
          v_failure.state = returned_sqlstate,
          v_failure.message = message_text,
          v_failure.detail = pg_exception_detail,
          v_failure.constraint_name = constraint_name,
          v_failure.context = pg_exception_context;
        select e.error_code, e.details into v_error
        from crm.error_of(v_failure, p_record || '_' || (p_items[v_at] ->> 'op'), p_items[v_at] -> 'args') e;
        v_results[v_at] := jsonb_build_object(
          'error', jsonb_build_object('code', v_error.error_code, 'details', v_error.details)
        );
    end;
  end loop;
end
$$;
comment on function crm.run_group(text, jsonb[], boolean) is
  'Carries out items in order; their results. They share a subtransaction, which is repeated without the item that '
  'failed. A deadlock or a lock that is waited for too long ends the whole call.';

create function crm.run_batch(p_record text, p_args jsonb, p_group integer default 10) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_items jsonb[] := array(select i from jsonb_array_elements(p_args -> 'items') i);
  v_is_atomic boolean := p_args -> 'atomic' is not distinct from 'true';
  v_group jsonb[];
  v_results jsonb[];
begin
  perform crm.lock_batch(p_record, p_args -> 'items');
  -- A subtransaction for each group: one for each item would overflow what Postgres keeps of a transaction's (64), and
  -- slow down every reader of these rows.
  for v_first in 1 .. cardinality(v_items) by p_group loop
    v_group := v_items[v_first : v_first + p_group - 1];
    v_results := v_results || coalesce(
      crm.create_together(p_record, v_group), crm.run_group(p_record, v_group, v_is_atomic)
    );
  end loop;
  if v_is_atomic then
    perform crm.check_atomic_batch(v_results);
  end if;
  return crm.batch_json(v_results);
end
$$;
comment on function crm.run_batch(text, jsonb, integer) is
  'Carries out the items of a batch in order. An item that fails leaves nothing and keeps no other from being written, '
  'unless the batch is atomic. A deadlock or a lock that is waited for too long ends the whole call.';

create function api.contact_batch(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
begin
  return crm.run_batch('contact', p_args);
end
$$;
comment on function api.contact_batch(jsonb) is
  'Carries out up to 100 creates, updates and upserts of contacts in one call; raises batch_failed where it is atomic and an item fails.';

create function api.company_batch(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
begin
  return crm.run_batch('company', p_args);
end
$$;
comment on function api.company_batch(jsonb) is
  'Carries out up to 100 creates, updates and upserts of companies in one call; raises batch_failed where it is atomic and an item fails.';

create function api.deal_batch(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
begin
  return crm.run_batch('deal', p_args);
end
$$;
comment on function api.deal_batch(jsonb) is
  'Carries out up to 100 creates, updates and upserts of deals in one call; raises batch_failed where it is atomic and an item fails.';

create function api.activity_batch(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
begin
  return crm.run_batch('activity', p_args);
end
$$;
comment on function api.activity_batch(jsonb) is
  'Carries out up to 100 creates and updates of activities in one call; raises batch_failed where it is atomic and an item fails.';

create function api.note_batch(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
begin
  return crm.run_batch('note', p_args);
end
$$;
comment on function api.note_batch(jsonb) is
  'Carries out up to 100 creates of notes in one call; raises batch_failed where it is atomic and an item fails.';

-- Batches: up to 100 creations, changes and reads of one kind of record in one call
-- (docs/decisions/0018-upserts-and-batches.md).

create function crm.lock_batch(p_record text, p_items jsonb, p_is_stored boolean) returns void
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_ids uuid[] := array(
    select (i -> 'args' ->> 'id')::uuid from jsonb_array_elements(p_items) i
    where i ->> 'op' = 'update' or (i ->> 'op' = 'get' and p_is_stored)
  );
  v_deal_ids uuid[];
begin
  if exists (select from jsonb_array_elements(p_items) i where i ->> 'op' = 'upsert') then
    perform crm.lock_all_matches();
  end if;
  -- Lock the deals too, because each activity and note sets moved_at on its deal.
  if p_record in ('activity', 'note') then
    v_deal_ids := array(
      select (i -> 'args' ->> 'deal_id')::uuid from jsonb_array_elements(p_items) i where i ->> 'op' = 'create'
      union
      select t.deal_id from crm.activities t
      where p_record = 'activity' and t.workspace_id = v_workspace_id and t.id = any (v_ids)
      union
      select t.deal_id from crm.notes t
      where p_record = 'note' and t.workspace_id = v_workspace_id and t.id = any (v_ids)
    );
  end if;
  -- Lock the companies and contacts that the items refer to first, because a merge or an erasure locks a contact or a
  -- company before the records that refer to it.
  perform crm.lock_referred(
    array(select (i #>> '{args,company_id}')::uuid from jsonb_array_elements(p_items) i),
    array(
      select (i #>> '{args,contact_id}')::uuid from jsonb_array_elements(p_items) i
      union
      select d.contact_id from crm.deals d where d.workspace_id = v_workspace_id and d.id = any (v_deal_ids)
    )
  );
  -- Lock records in order of id, so that two batches with the same records cannot deadlock, whatever the order of their
  -- items.
  if p_record <> 'note' then
    execute format(
      'select from crm.%I t where t.workspace_id = $1 and t.id = any ($2) order by t.id for no key update',
      crm.table_of(p_record)
    ) using v_workspace_id, v_ids;
  end if;
  perform from crm.deals t where t.workspace_id = v_workspace_id and t.id = any (v_deal_ids)
  order by t.id for no key update;
end
$$;
comment on function crm.lock_batch(text, jsonb, boolean) is
  'Locks all rows that the items of a batch will lock later, in an order that all batches share; if the reply is stored '
  '(p_is_stored), also the records that items only read. An erasure waits for these locks, and then finds the reply. A '
  'note is not locked, but its deal.';

create function crm.run_batch_item(p_record text, p_item jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_op text := p_item ->> 'op';
  v_reply json;
begin
  -- The call itself requires only the write scope, which does not include reading.
  if v_op = 'get' and not crm.has_scope(crm.table_of(p_record) || ':read') then
    perform api.fail(
      'insufficient_scope', array['op'], format('Ler exige o escopo "%s:read"', crm.table_of(p_record))
    );
  end if;
  perform set_config('app.found', '', true);
  v_reply := crm.run_verb(p_record || '_' || v_op, p_item -> 'args');
  return jsonb_build_object(
    'status', case when v_op = 'create' or (v_op = 'upsert' and not crm.is_marked('app.found')) then 201 else 200 end,
    'id', v_reply ->> 'id'
  ) || case
    when v_reply ->> 'differences' <> '[]' then jsonb_build_object('differences', v_reply -> 'differences')
    when v_op = 'get' then jsonb_build_object('record', v_reply)
    else '{}'
  end;
end
$$;
comment on function crm.run_batch_item(text, jsonb) is
  'Runs an item as the call for a single record would. Returns its status, the id of its record, the fields that an '
  'upsert did not write, and the record that was read.';

create function crm.check_atomic_batch(p_results jsonb[]) returns void
language plpgsql set search_path = '' as $$
declare
  v_details json := (
    select json_agg(f.detail)
    from (
      select json_build_object(
        'field', concat_ws('.', format('items[%s]', r.position - 1), d.field), 'message', d.message, 'id', d.id,
        'kind', d.kind, 'choices', d.choices, 'code', coalesce(d.code, r.result -> 'error' ->> 'code')
      ) as detail
      from unnest(p_results) with ordinality r (result, position)
      left join lateral jsonb_to_recordset(nullif(r.result -> 'error' -> 'details', 'null'))
        d (field text, message text, id uuid, kind text, choices json, code text) on true
      where r.result ? 'error'
      order by r.position
    ) f
  );
begin
  if v_details is not null then
    raise exception using errcode = 'CRM00', message = 'batch_failed', detail = v_details::text;
  end if;
end
$$;
comment on function crm.check_atomic_batch(jsonb[]) is
  'Raises batch_failed if an item failed. The details name the invalid fields of every failed item, or the item itself '
  'if its error names no field; the edge function adds the texts for the items'' codes.';

create function crm.bound_details(p_results jsonb[]) returns jsonb[]
language plpgsql immutable set search_path = '' as $$
declare
  v_left integer := 100;
  v_details jsonb;
  v_most integer;
begin
  if (
    select coalesce(sum(greatest(jsonb_array_length(nullif(r #> '{error,details}', 'null')), 1)), 0)
    from unnest(p_results) r
    where r ? 'error'
  ) <= v_left then
    return p_results;
  end if;
  v_left := v_left - (select count(*) from unnest(p_results) r where r ? 'error');
  for v_at in 1 .. cardinality(p_results) loop
    v_details := nullif(p_results[v_at] #> '{error,details}', 'null');
    continue when jsonb_array_length(v_details) is null or jsonb_array_length(v_details) <= 1;
    v_most := 1 + least(v_left, jsonb_array_length(v_details) - 1);
    v_left := v_left - v_most + 1;
    v_details := jsonb_path_query_array(v_details, '$[0 to $end]', jsonb_build_object('end', v_most - 1));
    p_results[v_at] := jsonb_set(p_results[v_at], '{error,details}', v_details);
  end loop;
  return p_results;
end
$$;
comment on function crm.bound_details(jsonb[]) is
  'Returns the results of a batch with at most 100 error details, as in any reply: the first detail of each item, then '
  'further details in order. The number is limited because the reply is stored, and every erasure searches the stored '
  'replies.';

create function crm.name_holder(p_record text, p_item jsonb, p_result jsonb) returns jsonb
language plpgsql set search_path = '' as $$
begin
  if p_result #>> '{error,code}' is distinct from 'external_id_taken'
    or p_result #>> '{error,details,0,id}' is not null then
    return p_result;
  end if;
  return jsonb_set(p_result, '{error,details,0,id}', coalesce(
    crm.external_id_holders(p_record, array[p_item #>> '{args,external_id}']) -> (p_item #>> '{args,external_id}'), 'null'
  ));
end
$$;
comment on function crm.name_holder(text, jsonb, jsonb) is
  'Returns the result of an item. If its error is external_id_taken and names no record, an earlier item of the group '
  'created the record with this external_id; adds that record''s id.';

create function crm.all_create(p_record text, p_items jsonb[]) returns boolean
language plpgsql set search_path = '' as $$
declare
  v_external_ids text[];
begin
  if exists (
    select from unnest(p_items) i
    where not i ? 'error' and i ->> 'op' is distinct from 'create' and (
      i ->> 'op' <> 'upsert'
      or p_record not in ('contact', 'company')
      or i #>> '{args,match_by}' <> 'external_id'
      or coalesce(i #>> '{args,external_id}', '') = ''
      or i #>> '{args,name}' is null
    )
  ) then
    return false;
  end if;
  v_external_ids := array(select i #>> '{args,external_id}' from unnest(p_items) i where i ->> 'op' = 'upsert');
  -- An upsert after another item with the same external_id changes that item's record, so the upsert creates none.
  return v_external_ids = '{}' or (
    not exists (
      select from unnest(p_items) i
      where i #>> '{args,external_id}' = any (v_external_ids)
      group by i #>> '{args,external_id}'
      having count(*) > 1
    )
    and crm.external_id_holders(p_record, v_external_ids) = '{}'
  );
end
$$;
comment on function crm.all_create(text, jsonb[]) is
  'Whether every item creates a record: each item is a creation, or an upsert by an external_id that no record has '
  'yet, as in a first import. Ignores items that the edge function found invalid. Returns false for an upsert of a '
  'deal, because a deal''s external_id is not unique.';

create function crm.item_error(p_failure crm.failure, p_record text, p_item jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_error record;
begin
  select e.error_code, e.details into v_error
  from crm.error_of(p_failure, p_record || '_' || (p_item ->> 'op'), p_item -> 'args') e;
  return jsonb_build_object('error', jsonb_build_object('code', v_error.error_code, 'details', v_error.details));
end
$$;
comment on function crm.item_error(crm.failure, text, jsonb) is 'The result of an item that ended with an exception.';

create function crm.refuse_taken(p_record text, p_items jsonb[], p_results jsonb[], p_names_holder boolean)
returns jsonb[]
language plpgsql set search_path = '' as $$
declare
  v_external_ids text[] := array(select i #>> '{args,external_id}' from unnest(p_items) i);
  v_holders jsonb;
begin
  if array_remove(v_external_ids, null) = '{}' then return p_results; end if;
  v_holders := crm.external_id_holders(p_record, v_external_ids);
  for v_at in 1 .. cardinality(p_items) loop
    if p_results[v_at] is null and v_holders ? v_external_ids[v_at] then
      p_results[v_at] := jsonb_build_object('error', jsonb_build_object(
        'code', 'external_id_taken',
        'details', jsonb_build_array(jsonb_build_object(
          'field', 'external_id', 'message', null,
          'id', case when p_names_holder then v_holders -> v_external_ids[v_at] end
        ))
      ));
    end if;
  end loop;
  return p_results;
end
$$;
comment on function crm.refuse_taken(text, jsonb[], jsonb[], boolean) is
  'Returns p_results, with the error external_id_taken for each item whose external_id a record already has. Called '
  'before the insert, because the unique index would refuse the whole statement without naming the item.';

create function crm.refuse_invalid(p_record text, p_items jsonb[], p_results jsonb[]) returns jsonb[]
language plpgsql set search_path = '' as $$
declare
  v_failure crm.failure;
begin
  for v_at in 1 .. cardinality(p_items) loop
    continue when p_results[v_at] is not null;
    begin
      execute format('select crm.%I($1)', p_record || '_new') using p_items[v_at] -> 'args';
      -- Undo the block and so its subtransaction. Otherwise each item's locks would keep a subtransaction until the
      -- call ends.
      raise exception using errcode = 'CRM01';
    exception
      when sqlstate 'CRM01' then
        null;
      when lock_not_available or deadlock_detected or insufficient_resources then
        raise;
      when others then
        get stacked diagnostics
          v_failure.state = returned_sqlstate,
          v_failure.message = message_text,
          v_failure.detail = pg_exception_detail,
          v_failure.constraint_name = constraint_name,
          v_failure.context = pg_exception_context;
        p_results[v_at] := crm.item_error(v_failure, p_record, p_items[v_at]);
    end;
  end loop;
  return p_results;
end
$$;
comment on function crm.refuse_invalid(text, jsonb[], jsonb[]) is
  'Returns p_results, with an error for each item that fails its checks, for example because of an unknown reference. '
  'Writes nothing.';

create function crm.create_together(p_record text, p_items jsonb[], p_is_atomic boolean) returns jsonb[]
language plpgsql set search_path = '' as $$
declare
  v_results jsonb[] := array(select case when i ? 'error' then i end from unnest(p_items) i);
  v_round integer := 0;
  v_is_checked boolean := false;
  v_at integer[];
  v_ids uuid[];
begin
  if not crm.all_create(p_record, p_items) then return v_results; end if;
  loop
    v_round := v_round + 1;
    -- In an atomic batch, only the first round names the record that has the external_id. In later rounds, this batch
    -- may have created the record, and would undo it with the failed batch.
    v_results := crm.refuse_taken(p_record, p_items, v_results, v_round = 1 or not p_is_atomic);
    -- Take the first item with each external_id. If the item is created, the next round refuses the others.
    v_at := array(
      select min(i.position)
      from unnest(p_items) with ordinality i (item, position)
      where v_results[i.position] is null
      group by coalesce(
        case when p_record in ('contact', 'company') then '=' || (i.item #>> '{args,external_id}') end, i.position::text
      )
      order by 1
    );
    exit when v_at = '{}';
    begin
      v_ids := crm.insert_together(p_record, array(select p_items[a] from unnest(v_at) a));
      for v_n in 1 .. cardinality(v_at) loop
        v_results[v_at[v_n]] := jsonb_build_object('status', 201, 'id', v_ids[v_n]);
      end loop;
    exception
      when lock_not_available or deadlock_detected or insufficient_resources then
        raise;
      when others then
        -- The items passed their checks, and the insert fails again: leave them to crm.run_group, which finds the
        -- failing item by running them one after another.
        exit when v_is_checked;
        v_results := crm.refuse_invalid(p_record, p_items, v_results);
        v_is_checked := true;
    end;
  end loop;
  return v_results;
end
$$;
comment on function crm.create_together(text, jsonb[], boolean) is
  'If every item creates a record, creates all valid items by one insert, which is half the work of an insert for '
  'each. Returns the results, with null for each item that is left to crm.run_group.';

create function crm.run_group(p_record text, p_items jsonb[], p_is_atomic boolean) returns jsonb[]
language plpgsql set search_path = '' as $$
declare
  v_results jsonb[] := crm.create_together(p_record, p_items, p_is_atomic);
  v_tried jsonb[];
  v_from integer := 1;
  v_to integer := cardinality(p_items);
  v_at integer;
  v_failure crm.failure;
begin
  while v_from <= cardinality(p_items) loop
    begin
      v_tried := v_results;
      for v_position in v_from .. v_to loop
        continue when v_results[v_position] is not null;
        v_at := v_position;
        v_tried[v_at] := crm.run_batch_item(p_record, p_items[v_at]);
      end loop;
      v_results := v_tried;
      v_from := v_to + 1;
      v_to := cardinality(p_items);
    exception
      -- The whole call fails with service_unavailable and keeps nothing, so that the client can repeat it.
      when lock_not_available or deadlock_detected or insufficient_resources then
        raise;
      when others then
        get stacked diagnostics
          v_failure.state = returned_sqlstate,
          v_failure.message = message_text,
          v_failure.detail = pg_exception_detail,
          v_failure.constraint_name = constraint_name,
          v_failure.context = pg_exception_context;
        v_results[v_at] := crm.item_error(v_failure, p_record, p_items[v_at]);
        -- The items before the failed item run a second time and are kept. Then the items after the failed item run. No
        -- item runs more than twice.
        v_to := case when v_at > v_from then v_at - 1 else cardinality(p_items) end;
    end;
  end loop;
  -- An earlier item of the group may have created the record that has the external_id. When the error was built, the
  -- record had been undone. Now the record exists again, so the error can name it.
  if not p_is_atomic then
    for v_position in 1 .. cardinality(p_items) loop
      v_results[v_position] := crm.name_holder(p_record, p_items[v_position], v_results[v_position]);
    end loop;
  end if;
  return v_results;
end
$$;
comment on function crm.run_group(text, jsonb[], boolean) is
  'Runs items in order and returns their results. The items between two failures share a subtransaction, because a '
  'subtransaction for each item could exceed the 64 that Postgres caches for a transaction. A deadlock or lock timeout '
  'ends the whole call.';

create function crm.run_batch(p_record text, p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  c_group constant integer := 10;
  v_items jsonb[] := array(select i from jsonb_array_elements(p_args -> 'items') i);
  v_is_atomic boolean := p_args -> 'atomic' is not distinct from 'true';
  v_results jsonb[];
begin
  perform crm.lock_batch(p_record, p_args -> 'items', p_args ? 'is_stored');
  for v_first in 1 .. cardinality(v_items) by c_group loop
    -- Once the reply is as large as a page of a list may be, the remaining reads fail.
    if pg_column_size(v_results) > crm.max_page_bytes() then
      v_items := array(
        select case when i.item ->> 'op' = 'get' and i.position >= v_first
          then '{"error": {"code": "too_many_records", "details": null}}' else i.item
        end
        from unnest(v_items) with ordinality i (item, position)
        order by i.position
      );
    end if;
    v_results := v_results || crm.run_group(p_record, v_items[v_first : v_first + c_group - 1], v_is_atomic);
  end loop;
  v_results := crm.bound_details(v_results);
  if v_is_atomic then perform crm.check_atomic_batch(v_results); end if;
  return crm.unless_dry_run(p_args, (
    select json_build_object(
      'results', json_agg(
        -- Without the id of a record that a dry run does not create.
        jsonb_build_object('index', r.position - 1)
          || case when p_args ? 'dry_run' and r.result ->> 'status' = '201' then r.result - 'id' else r.result end
        order by r.position
      ),
      'summary', json_build_object(
        'created', count(*) filter (where r.result ->> 'status' = '201'),
        'updated', count(*) filter (where r.result ->> 'status' = '200' and not r.result ? 'record'),
        'failed', count(*) filter (where r.result ? 'error')
      )
    )
    from unnest(v_results) with ordinality r (result, position)
  ));
end
$$;
comment on function crm.run_batch(text, jsonb) is
  'Runs the items of a batch in order. A failed item writes nothing. The other items stay, except in an atomic batch, '
  'which undoes them. A deadlock or lock timeout ends the whole call. The edge function adds the status and the text '
  'of each error.';

create function api.contact_batch(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.run_batch('contact', p_args); end $$;
comment on function api.contact_batch(jsonb) is
  'Runs up to 100 creates, updates, upserts and reads. Raises batch_failed if an item of an atomic batch fails.';

create function api.company_batch(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.run_batch('company', p_args); end $$;
comment on function api.company_batch(jsonb) is 'Like api.contact_batch, for companies.';

create function api.deal_batch(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.run_batch('deal', p_args); end $$;
comment on function api.deal_batch(jsonb) is 'Like api.contact_batch, for deals.';

create function api.activity_batch(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.run_batch('activity', p_args); end $$;
comment on function api.activity_batch(jsonb) is 'Like api.contact_batch, for activities, without upserts.';

create function api.note_batch(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return crm.run_batch('note', p_args); end $$;
comment on function api.note_batch(jsonb) is 'Like api.contact_batch, for notes, with creates and reads only.';

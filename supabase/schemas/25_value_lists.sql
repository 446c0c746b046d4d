-- Lists by tags and custom fields (23_values.sql). See docs/decisions/0013-search.md.

create table crm.record_values (
  workspace_id uuid not null,
  record text not null,
  field text not null,
  value text collate "C" not null,
  id uuid not null,
  primary key (workspace_id, record, field, value, id)
);
comment on table crm.record_values is
  'The index by which lists find records by a tag or a defined custom field. The job index-texts writes it.';
comment on column crm.record_values.field is 'Either tags, or custom_fields and the key: `custom_fields.segmento`.';
comment on column crm.record_values.value is 'The key of the value (crm.value_keys) or of the tag (crm.tag_keys).';
create index record_values_of_record on crm.record_values (workspace_id, record, id);
call crm.protect('crm.record_values');

create function crm.parsed_value(p_field crm.custom_fields, p_text text) returns jsonb
language sql immutable as $$
  select case
    when p_field.type in ('number', 'money') and p_text ~* '^-?[0-9]{1,16}(\.[0-9]{1,30})?(e[+-]?[0-9]{1,2})?$' then to_jsonb(p_text::numeric)
    when p_field.type = 'boolean' and p_text in ('true', 'false') then p_text::jsonb
    else to_jsonb(p_text)
  end
$$;
comment on function crm.parsed_value(crm.custom_fields, text) is
  'Converts a text from the query to a JSON value of the field''s type. A text that is not a value of this type stays '
  'a text.';

create type crm.sent_value as (field text, low text, high text, is_indexed boolean, expression text);
comment on type crm.sent_value is
  'A filter by a tag or a custom field. low and high: the keys of its lowest and highest value, equal for a single '
  'value. is_indexed: whether all records are in the index. expression: SQL for the keys of row t.';

create function crm.sent_values(p_object_type text, p_args jsonb) returns setof crm.sent_value
language plpgsql stable set search_path = '' as $$
declare
  v_sent record;
  v_field crm.custom_fields;
  v_bound record;
  v_value jsonb;
  v_error text;
  v_errors jsonb := '[]';
  v crm.sent_value;
begin
  for v_sent in select t.tag from jsonb_array_elements_text(p_args -> 'tag') t (tag) loop
    v.low := crm.without_case(v_sent.tag);
    return next row('tags', v.low, v.low, true, 'crm.tag_keys(t.tags)')::crm.sent_value;
  end loop;
  for v_sent in select s.key, s.value from jsonb_each(p_args -> 'custom') s loop
    select d.* into v_field from crm.custom_fields d
    where d.workspace_id = crm.current_workspace_id() and d.object_type = p_object_type and d.key = v_sent.key
      and d.archived_at is null;
    if not found then
      v_errors := v_errors || jsonb_build_object(
        'field', format('custom[%s]', v_sent.key),
        'message', 'Não é um campo definido; os definidos estão em GET /api-v1-workspace'
      );
      continue;
    end if;
    v := row(
      'custom_fields.' || v_sent.key, case v_field.type when 'date' then 'D' else 'N' end,
      case v_field.type when 'date' then 'E' else 'O' end, v_field.index_below is null,
      format('crm.value_keys(t.custom_fields -> %L)', v_sent.key)
    );
    -- A field of type choices has a list, but a filter names a single choice.
    if v_field.type = 'choices' then v_field.type := 'choice'; end if;
    for v_bound in select b.key as operator, b.value as text from jsonb_each_text(v_sent.value) b loop
      v_value := crm.parsed_value(v_field, v_bound.text);
      v_error := case
        when v_bound.operator <> 'eq' and v_field.type not in ('number', 'money', 'date')
        then 'Só campos de número, dinheiro e data aceitam um intervalo'
        when v_field.type = 'choice' and (
          crm.value_keys(v_value) <@ crm.value_keys(to_jsonb(v_field.choices))
          -- A choice that is no longer offered can be searched for as long as a record has it.
          or exists (
            select from crm.record_values r
            where r.workspace_id = v_field.workspace_id and r.record = p_object_type and r.field = v.field
              and r.value = (crm.value_keys(v_value))[1]
          )
        ) then null
        else crm.custom_field_error(v_field, v_value)
      end;
      if v_error is not null then
        v_errors := v_errors || jsonb_build_object(
          'field', format('custom[%s]', v_sent.key) || case v_bound.operator when 'eq' then '' else format('[%s]', v_bound.operator) end,
          'message', v_error
        );
        continue;
      end if;
      if v_bound.operator <> 'lte' then v.low := (crm.value_keys(v_value))[1]; end if;
      if v_bound.operator <> 'gte' then v.high := (crm.value_keys(v_value))[1]; end if;
    end loop;
    return next v;
  end loop;
  if v_errors <> '[]' then
    raise exception using errcode = 'CRM00', message = 'validation_error', detail = v_errors::text;
  end if;
end
$$;
comment on function crm.sent_values(text, jsonb) is
  'The filters `tag` and `custom` of a list''s arguments. Raises validation_error for a field that is not defined and '
  'for a value that the field cannot have.';

create function crm.value_condition(p_sent crm.sent_value) returns text
language sql immutable as $$
  select case
    when p_sent.low = p_sent.high then format('%L = any (%s)', p_sent.low, p_sent.expression)
    else format(
      'coalesce((%1$s)[1] collate "C" >= %2$L and (%1$s)[1] collate "C" <= %3$L, false)', p_sent.expression,
      p_sent.low, p_sent.high
    )
  end
$$;
comment on function crm.value_condition(crm.sent_value) is 'The filter as an SQL condition on row t.';

create function crm.rows_by_value(p_sent crm.sent_value, p_record text, p_rows text, p_pending uuid[]) returns text
language plpgsql stable set search_path = '' as $$
declare
  v_is_range boolean := p_sent.low <> p_sent.high;
  -- A range is read as a whole or not at all (crm.list_by), so it needs no order; an equality is read newest first.
  v_page text := case when not v_is_range then ' and v.id < $1 and v.id >= $2' else '' end;
  v_order text := case when not v_is_range then ' order by v.id desc' else '' end;
  v_ids text := format(
    'select %s v.id from crm.record_values v where v.workspace_id = %L::uuid and v.record = %L and v.field = %L and %s%s',
    -- If a record's value is a list, several of its elements may be in the range: return the record once.
    case when v_is_range then 'distinct' end, crm.current_workspace_id(), p_record, p_sent.field,
    case when v_is_range
      then format('v.value >= %L and v.value <= %L', p_sent.low, p_sent.high)
      else format('v.value = %L', p_sent.low)
    end,
    v_page
  );
begin
  if p_pending <> '{}' then
    v_ids := format(
      '(%1$s and v.id <> all (%2$L::uuid[])%3$s) union all (select v.id from unnest(%2$L::uuid[]) v (id) where true%4$s%3$s)',
      v_ids, p_pending, v_order, v_page
    );
  end if;
  return format(
    'select w.* from (%s%s) v cross join lateral (%s and t.id = v.id) w%s', v_ids,
    case when p_pending = '{}' then v_order else replace(v_order, 'v.', '') end, p_rows, v_order
  );
end
$$;
comment on function crm.rows_by_value(crm.sent_value, text, text, uuid[]) is
  'Builds a statement that reads from the index the rows with a value, newest first, or the rows in a range of values. '
  'p_rows: the statement for all rows. p_pending: records that may have changed since they were indexed; the statement '
  'also reads these.';

create type crm.record_keys as (id uuid, tags text[], custom_fields jsonb, search_text text);
comment on type crm.record_keys is
  'The fields of a record that crm.keep_values indexes, and its searched text (only for crm.keep_texts).';

create function crm.keep_values(p_workspace_id uuid, p_record text, p_rows crm.record_keys[]) returns void
language plpgsql set search_path = '' as $$
declare
  v_keys text[] := array(
    select d.key from crm.custom_fields d
    where d.workspace_id = p_workspace_id and d.object_type = p_record and d.archived_at is null
  );
begin
  with wanted as materialized (
    select r.id, 'tags' as field, k.value collate "C" as value
    from unnest(p_rows) r cross join lateral unnest(crm.tag_keys(r.tags)) k (value)
    union all
    select r.id, 'custom_fields.' || f.key, k.value collate "C"
    from unnest(p_rows) r
    cross join unnest(v_keys) f (key)
    cross join lateral unnest(crm.value_keys(r.custom_fields -> f.key)) k (value)
    where r.custom_fields ? f.key
  ), kept as materialized (
    select v.ctid as place, v.id, v.field, v.value from crm.record_values v
    where v.workspace_id = p_workspace_id and v.record = p_record
      and v.id = any (array(select r.id from unnest(p_rows) r))
  ), gone as (
    delete from crm.record_values v
    where v.ctid = any (array(
      select k.place from kept k
      where not exists (select from wanted w where w.id = k.id and w.field = k.field and w.value = k.value)
    ))
  )
  insert into crm.record_values (workspace_id, record, field, value, id)
  select p_workspace_id, p_record, w.field, w.value, w.id from wanted w
  where not exists (select from kept k where k.id = w.id and k.field = w.field and k.value = w.value)
  order by w.field, w.value, w.id
  on conflict do nothing;
end
$$;
comment on function crm.keep_values(uuid, text, crm.record_keys[]) is
  'Writes the index entries of these records: their tags, and their values of the fields that are defined now.';

create function crm.index_defined(p_end timestamptz) returns void
language plpgsql set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  d crm.custom_fields;
  v_rows crm.record_keys[];
  v_next_id uuid;
  v_pending crm.custom_fields[];
begin
  loop
    exit when clock_timestamp() >= p_end;
    -- Begin with the field that lacks the newest records.
    select f.* into d from crm.custom_fields f where f.index_below is not null order by f.index_below desc limit 1;
    exit when not found;
    perform crm.lock_texts_of(d.workspace_id);
    -- List the fields before the values are indexed, so that a field defined meanwhile is not marked as indexed.
    select array_agg(f) into v_pending from crm.custom_fields f
    where f.workspace_id = d.workspace_id and f.object_type = d.object_type and f.index_below is not null;
    execute format(
      'select array('
      'select row(t.id, t.tags, t.custom_fields, null)::crm.record_keys from %s t'
      ' where t.workspace_id = $1 and t.id < $2 order by t.id desc limit 500)',
      (select l.target from crm.list_filters(d.object_type) l where l.kind = 'list')
    ) into v_rows using d.workspace_id, d.index_below;
    perform crm.keep_values(d.workspace_id, d.object_type, v_rows);
    v_next_id := (v_rows[500]).id;
    -- These records are now indexed for all of these fields, so fields that were defined together need only one pass.
    update crm.custom_fields f set index_below = v_next_id
    from unnest(v_pending) p
    where f.workspace_id = d.workspace_id and f.id = p.id and f.index_below = p.index_below
      and (f.index_below > v_next_id or v_next_id is null);
  end loop;
end
$$;
comment on function crm.index_defined(timestamptz) is
  'Indexes the values that records had before their field was defined or restored, newest records first, until p_end.';

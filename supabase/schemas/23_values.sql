-- Tags and custom fields: what a workspace defines, how values are checked, and the index by which lists find records.
-- See docs/decisions/0010-records-declared-once.md.

create table crm.custom_fields (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  object_type text not null check (object_type in ('company', 'contact', 'deal')),
  key text not null,
  label text not null,
  type text not null check (
    type in ('text', 'number', 'money', 'date', 'boolean', 'choice', 'choices', 'link')
  ),
  choices text[],
  archived_at timestamptz,
  index_below uuid default 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, object_type, key),
  check ((choices is not null) = (type in ('choice', 'choices')))
);
comment on table crm.custom_fields is
  'The keys of custom_fields that a workspace has defined, with the type of their values. Other keys have no rules.';
comment on column crm.custom_fields.object_type is 'The kind of record that has the field.';
comment on column crm.custom_fields.index_below is
  'The job index-texts still has to index the values of records with a lower id; null once all are indexed.';
call crm.protect('crm.custom_fields');
create trigger touch before update on crm.custom_fields for each row execute function crm.touch();
create index custom_fields_not_indexed on crm.custom_fields (workspace_id, id) where index_below is not null;

create table crm.record_values (
  workspace_id uuid not null,
  record text not null,
  field text not null,
  value text collate "C" not null,
  id uuid not null,
  primary key (workspace_id, record, field, value, id)
);
comment on table crm.record_values is
  'The index by which lists find records by a tag or a defined custom field. The job index-texts writes it, so that a '
  'request does not pay for it.';
comment on column crm.record_values.field is 'Either tags, or custom_fields and the key: `custom_fields.segmento`.';
comment on column crm.record_values.value is 'The value in the form of crm.value_keys.';
create index record_values_of_record on crm.record_values (workspace_id, record, id);
call crm.protect('crm.record_values');

create function crm.without_case(p_text text) returns text
language sql immutable parallel safe
as $$ select left(lower(p_text collate "und-x-icu"), 200) collate "C" $$;
comment on function crm.without_case(text) is 'The first 200 characters in lower case, by which texts are compared.';

create function crm.number_key(p_number numeric) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_bits text := encode(float8send(p_number::float8), 'hex');
begin
  -- In the bits of IEEE 754, larger numbers are larger, except for the sign.
  if p_number < 0 then return translate(v_bits, '0123456789abcdef', 'fedcba9876543210'); end if;
  return translate(left(v_bits, 1), '01234567', '89abcdef') || substr(v_bits, 2);
end
$$;
comment on function crm.number_key(numeric) is 'A text that sorts as the number does.';

create function crm.value_keys(p_value jsonb) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  case jsonb_typeof(p_value)
    when 'string' then return array[crm.without_case(p_value #>> '{}')];
    when 'number' then
      return case when abs(p_value::numeric) < 1e300 then array[crm.number_key(p_value::numeric)] else '{}' end;
    when 'boolean' then return array[p_value::text];
    when 'array' then
      return array(
        select distinct crm.without_case(e.value #>> '{}') from jsonb_array_elements(p_value) e (value)
        where jsonb_typeof(e.value) = 'string'
      );
    else return '{}';
  end case;
end
$$;
comment on function crm.value_keys(jsonb) is
  'The values of a custom field as texts that are compared and sorted: texts without regard to case, numbers by '
  'crm.number_key. A list has several.';

create function crm.tag_keys(p_tags text[]) returns text[]
language plpgsql immutable parallel safe set search_path = ''
as $$ begin return array(select crm.without_case(t) from unnest(p_tags) t); end $$;
comment on function crm.tag_keys(text[]) is 'The tags as they are compared.';

-- What a call sends.

create function crm.joined_tags(p_tags text[], p_others text[]) returns text[]
language sql immutable set search_path = '' as $$
  select (array_agg(k.tag order by k.position))[:50]
  from (
    select distinct on (crm.without_case(t.tag)) t.tag, t.position
    from unnest(p_tags || p_others) with ordinality t (tag, position)
    order by crm.without_case(t.tag), t.position
  ) k
$$;
comment on function crm.joined_tags(text[], text[]) is
  'The first tags, then those that only the second list has, 50 at most; null if there are none.';

create function crm.with_tags(p_args jsonb, p_current jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_base jsonb := case when p_args ? 'tags' then p_args -> 'tags' else p_current -> 'tags' end;
  v_removed text[] := crm.tag_keys(array(select jsonb_array_elements_text(nullif(p_args -> 'remove_tags', 'null'))));
  v_kept text[];
  v_tags text[];
begin
  v_kept := array(
    select t.tag from jsonb_array_elements_text(nullif(v_base, 'null')) t (tag)
    where crm.without_case(t.tag) <> all (v_removed)
  );
  v_tags := v_kept || array(
    select t.tag from jsonb_array_elements_text(nullif(p_args -> 'add_tags', 'null')) t (tag)
    where crm.without_case(t.tag) <> all (crm.tag_keys(v_kept))
  );
  if cardinality(v_tags) > 50 then
    perform api.fail(
      'validation_error', array['add_tags'],
      format('O registro ficaria com %s etiquetas; o máximo é 50', cardinality(v_tags))
    );
  end if;
  return p_args - '{add_tags,remove_tags}'::text[] || jsonb_build_object('tags', nullif(v_tags, '{}'));
end
$$;
comment on function crm.with_tags(jsonb, jsonb) is
  'The arguments with `tags`, the tags that the record will have, in place of add_tags and remove_tags. Raises '
  'validation_error for more than 50.';

create function crm.custom_field_error(p_field crm.custom_fields, p_value jsonb) returns text
language plpgsql immutable set search_path = '' as $$
declare
  v_type text := jsonb_typeof(p_value);
  v_text text := p_value #>> '{}';
begin
  case p_field.type
    when 'text' then
      return case when v_type <> 'string' or char_length(v_text) > 2000 then 'Deve ser um texto de até 2000 caracteres' end;
    when 'number' then
      return case
        when v_type <> 'number' then 'Deve ser um número'
        when abs(p_value::numeric) > 9007199254740991 then 'Deve ser um número de -9007199254740991 a 9007199254740991'
      end;
    when 'money' then
      return case
        when v_type <> 'number' then 'Deve ser um valor: um número a partir de 0'
        when not p_value::numeric between 0 and 1e15 then 'Deve ser um valor de 0 a 1000000000000000'
      end;
    when 'date' then
      -- No cast, which would raise an error for a date that does not exist.
      return case
        when v_type <> 'string' or v_text !~ '^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$'
          or right(v_text, 2)::integer > extract(day from
            make_date(left(v_text, 4)::integer, substr(v_text, 6, 2)::integer, 1) + interval '1 month - 1 day'
          )
        then 'Deve ser uma data existente no formato AAAA-MM-DD'
      end;
    when 'boolean' then return case when v_type <> 'boolean' then 'Deve ser true ou false' end;
    when 'link' then
      return case
        when v_type <> 'string' or char_length(v_text) > 2048 or v_text !~* '^https?://[^[:space:]/]+[^[:space:]]*$'
        then 'Deve ser um endereço http:// ou https:// de até 2048 caracteres'
      end;
    when 'choice' then
      return case
        when v_type <> 'string' or not v_text = any (p_field.choices)
        then 'Deve ser um de ' || crm.quoted_choices(p_field.choices)
      end;
    when 'choices' then
      return case
        when v_type <> 'array' or not p_value <@ to_jsonb(p_field.choices)
        then 'Deve ser uma lista com opções de ' || crm.quoted_choices(p_field.choices)
      end;
  end case;
end
$$;
comment on function crm.custom_field_error(crm.custom_fields, jsonb) is
  'What is wrong with a value of the field, in Portuguese; null if it is valid. The value is not null.';

create function crm.quoted_choices(p_choices text[]) returns text
language sql immutable
as $$
  select string_agg(format('"%s"', c.choice), ', ' order by c.position)
    || case when cardinality(p_choices) > 20 then format(' e mais %s', cardinality(p_choices) - 20) else '' end
  from unnest(p_choices[:20]) with ordinality c (choice, position)
$$;
comment on function crm.quoted_choices(text[]) is 'The first 20 choices in quotes, for an error.';

create function crm.refuses_undefined_fields() returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return (select w.refuses_undefined_fields from crm.workspaces w where w.id = crm.current_workspace_id());
end
$$;
comment on function crm.refuses_undefined_fields() is
  'Whether the caller''s workspace accepts only defined custom fields. Security definer, because crm_api cannot read the '
  'table.';

create function crm.check_custom_fields(p_object_type text, p_fields jsonb, p_known jsonb) returns void
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_errors json;
begin
  select json_agg(json_build_object('field', 'custom_fields.' || e.key, 'message', e.message) order by e.key)
  into v_errors
  from (
    select s.key, case
      when d.id is not null then crm.custom_field_error(d, s.value)
      when (select crm.refuses_undefined_fields())
      then 'Campo não definido; defina-o em POST /api-v1-workspace/custom-fields, ou use um de GET /api-v1-workspace'
    end as message
    from jsonb_each(p_fields) s
    left join crm.custom_fields d on d.workspace_id = crm.current_workspace_id() and d.object_type = p_object_type
      and d.key = s.key and d.archived_at is null
    -- A value that the record has already stays valid, whatever was defined since.
    where s.value <> 'null' and s.value is distinct from p_known -> s.key
  ) e
  where e.message is not null;
  if v_errors is not null then
    raise exception using errcode = 'CRM00', message = 'validation_error', detail = v_errors::text;
  end if;
end
$$;
comment on function crm.check_custom_fields(text, jsonb, jsonb) is
  'Raises validation_error with each field whose value does not have its defined type, and, if the workspace wants it, '
  'each field that is not defined. p_known are the values of the record so far.';

create function crm.checked_values(p_object_type text, p_args jsonb, p_current jsonb default null) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  if p_args ?| '{tags,add_tags,remove_tags}' then p_args := crm.with_tags(p_args, p_current); end if;
  if jsonb_typeof(p_args -> 'custom_fields') = 'object' then
    perform crm.check_custom_fields(p_object_type, p_args -> 'custom_fields', p_current -> 'custom_fields');
  end if;
  return p_args;
end
$$;
comment on function crm.checked_values(text, jsonb, jsonb) is
  'The arguments of a creation, or of a change of p_current, with the resulting tags. Raises validation_error for '
  'tags and custom fields.';

-- What a list filters by.

create function crm.parsed_value(p_field crm.custom_fields, p_text text) returns jsonb
language sql immutable as $$
  select case
    when p_field.type in ('number', 'money') and p_text ~ '^-?\d{1,16}(\.\d{1,10})?$' then to_jsonb(p_text::numeric)
    when p_field.type = 'boolean' and p_text in ('true', 'false') then p_text::jsonb
    else to_jsonb(p_text)
  end
$$;
comment on function crm.parsed_value(crm.custom_fields, text) is
  'A value in a query as the JSON value of the field; text that is no such value stays text.';

create type crm.sent_value as (field text, low text, high text, is_indexed boolean, expression text);
comment on type crm.sent_value is
  'A filter by a tag or a custom field: the keys of its lowest and highest value, which are the same for an equality, '
  'whether all records are in the index, and the SQL expression for the keys of row t.';

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
      'custom_fields.' || v_sent.key, '', 'g', v_field.index_below is null,
      format('crm.value_keys(t.custom_fields -> %L)', v_sent.key)
    );
    -- A filter names one of the choices of a list.
    if v_field.type = 'choices' then v_field.type := 'choice'; end if;
    for v_bound in select b.key as operator, b.value as text from jsonb_each_text(v_sent.value) b loop
      v_value := crm.parsed_value(v_field, v_bound.text);
      v_error := case
        when v_bound.operator <> 'eq' and v_field.type not in ('number', 'money', 'date')
        then 'Só campos de número, dinheiro e data aceitam um intervalo'
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
  -- A range is read as a whole, or not at all (crm.list_by); the rows of an equality are read newest first.
  v_page text := case when not v_is_range then ' and v.id < $1 and v.id >= $2' else '' end;
  v_order text := case when not v_is_range then ' order by v.id desc' else '' end;
  v_ids text := format(
    'select v.id from crm.record_values v where v.workspace_id = %L::uuid and v.record = %L and v.field = %L and %s%s',
    crm.current_workspace_id(), p_record, p_sent.field,
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
  'Statement text for the rows that the index has for a value, newest first, or for a range of values. p_rows is the '
  'statement for all rows. p_pending are the records whose values may have changed since they were indexed: they are '
  'read too.';

-- The index.

create type crm.record_keys as (id uuid, tags text[], custom_fields jsonb);
comment on type crm.record_keys is 'What crm.keep_values indexes of a record.';

create function crm.keep_values(p_workspace_id uuid, p_record text, p_rows crm.record_keys[]) returns void
language plpgsql set search_path = '' as $$
declare
  v_keys text[] := array(
    select d.key from crm.custom_fields d
    where d.workspace_id = p_workspace_id and d.object_type = p_record and d.archived_at is null
  );
begin
  with wanted as (
    select r.id, 'tags' as field, k.value collate "C" as value
    from unnest(p_rows) r cross join lateral unnest(crm.tag_keys(r.tags)) k (value)
    union
    select r.id, 'custom_fields.' || f.key, k.value collate "C"
    from unnest(p_rows) r
    cross join unnest(v_keys) f (key)
    cross join lateral unnest(crm.value_keys(r.custom_fields -> f.key)) k (value)
    where r.custom_fields ? f.key
  ), gone as (
    delete from crm.record_values v
    where v.workspace_id = p_workspace_id and v.record = p_record
      and v.id = any (array(select r.id from unnest(p_rows) r))
      and not exists (select from wanted w where w.id = v.id and w.field = v.field and w.value = v.value)
  )
  insert into crm.record_values (workspace_id, record, field, value, id)
  select p_workspace_id, p_record, w.field, w.value, w.id from wanted w
  on conflict do nothing;
end
$$;
comment on function crm.keep_values(uuid, text, crm.record_keys[]) is
  'Writes the index entries of these records: their tags, and their values of the fields that are defined now.';

create function crm.index_defined(p_end timestamptz) returns void
language plpgsql set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  d crm.custom_fields;
  v_ids uuid[];
begin
  for d in select f.* from crm.custom_fields f where f.index_below is not null order by f.workspace_id, f.id loop
    loop
      exit when clock_timestamp() >= p_end;
      execute format(
        'select array(select t.id from %s t where t.workspace_id = $1 and t.id < $2 order by t.id desc limit 500)',
        (select l.target from crm.list_filters(d.object_type) l where l.kind = 'list')
      ) into v_ids using d.workspace_id, d.index_below;
      perform crm.keep_texts(d.workspace_id, d.object_type, v_ids);
      d.index_below := v_ids[500];
      update crm.custom_fields f set index_below = d.index_below where f.workspace_id = d.workspace_id and f.id = d.id;
      exit when d.index_below is null;
    end loop;
  end loop;
end
$$;
comment on function crm.index_defined(timestamptz) is
  'Indexes the values that records had before their field was defined, newest records first, until p_end.';

-- Tags and custom fields: what a workspace defines, and how values are compared and checked. 25_value_lists.sql has the
-- index by which lists find records.

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
  'The keys of custom_fields that a workspace has defined, with the type of their values. Other keys may have any '
  'value, unless the workspace refuses them (crm.workspaces.refuses_undefined_fields).';
comment on column crm.custom_fields.index_below is
  'The job index-texts still has to index the values of records with a lower id. Null once all values are indexed.';
call crm.protect('crm.custom_fields');
create trigger touch before update of label, choices, archived_at on crm.custom_fields for each row execute function crm.touch();
create index custom_fields_not_indexed on crm.custom_fields (workspace_id, id) where index_below is not null;

create function crm.without_case(p_text text) returns text
language sql immutable parallel safe
-- One expression, so that Postgres inlines it.
as $$
  select case
    when char_length(p_text) <= 200 then lower(normalize(p_text, nfc) collate "und-x-icu")
    else left(lower(p_text collate "und-x-icu"), 168) || md5(lower(p_text collate "und-x-icu"))
  end collate "C"
$$;
comment on function crm.without_case(text) is
  'The text in Unicode NFC and lower case, for comparing texts. A text of more than 200 characters becomes its first '
  '168 characters and an MD5 of the whole text, because the size of an index entry is limited. Such a text is only put '
  'into lower case, because normalizing it can take quadratic time.';

create function crm.is_date(p_text text) returns boolean
language sql immutable parallel safe
-- Not a cast: for a date that does not exist, a cast would raise an error.
as $$
  select case when p_text ~ '^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' then
    right(p_text, 2)::integer <= extract(day from
      make_date(left(p_text, 4)::integer, substr(p_text, 6, 2)::integer, 1) + interval '1 month - 1 day'
    )
  else false end
$$;
comment on function crm.is_date(text) is 'Whether the text is an existing date in the form YYYY-MM-DD.';

create function crm.number_key(p_number numeric) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_bits text := encode(float8send(p_number::float8), 'hex');
begin
  -- The bits of a double sort like the numbers if the sign bit of a positive number and all bits of a negative number
  -- are inverted.
  if p_number < 0 then return 'N' || translate(v_bits, '0123456789abcdef', 'fedcba9876543210'); end if;
  return 'N' || translate(left(v_bits, 1), '01234567', '89abcdef') || substr(v_bits, 2);
end
$$;
comment on function crm.number_key(numeric) is 'A text that sorts as the number does; it begins with N.';

create function crm.text_key(p_text text) returns text
language sql immutable parallel safe
as $$ select case when crm.is_date(p_text) then 'D' else '' end || crm.without_case(p_text) $$;
comment on function crm.text_key(text) is
  'The text in the form in which it is compared: in lower case, a date with a D before it. Only the keys of dates and '
  'numbers (crm.number_key) begin with an ASCII capital letter, so a range of dates or numbers finds no other text.';

create function crm.value_keys(p_value jsonb) returns text[]
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  case jsonb_typeof(p_value)
    when 'string' then return array[crm.text_key(p_value #>> '{}')];
    when 'number' then
      return case when abs(p_value::numeric) < 1e300 then array[crm.number_key(p_value::numeric)] else '{}' end;
    when 'boolean' then return array[p_value::text];
    when 'array' then
      return array(
        select distinct crm.text_key(e.value #>> '{}') from jsonb_array_elements(p_value) e (value)
        where jsonb_typeof(e.value) = 'string'
      );
    else return '{}';
  end case;
end
$$;
comment on function crm.value_keys(jsonb) is
  'The keys of a custom field''s value: texts by which values are compared and sorted (crm.text_key, crm.number_key). '
  'A list has a key for each of its texts.';

create function crm.tag_keys(p_tags text[]) returns text[]
language plpgsql immutable parallel safe set search_path = ''
as $$ begin return array(select crm.without_case(t) from unnest(p_tags) t); end $$;
comment on function crm.tag_keys(text[]) is 'Tags in the form in which they are compared (crm.without_case).';

create function crm.joined_tags(p_tags text[], p_others text[]) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select (array_agg(k.tag order by k.position))[:50]
    from (
      select distinct on (crm.without_case(t.tag)) t.tag, t.position
      from unnest(p_tags || p_others) with ordinality t (tag, position)
      order by crm.without_case(t.tag), t.position
    ) k
  );
end
$$;
comment on function crm.joined_tags(text[], text[]) is
  'The tags of the first list, then the tags that only the second list has; 50 at most, null if there are none.';

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
  'Replaces add_tags and remove_tags in the arguments with `tags`, the tags that the record will have. Raises '
  'validation_error for more than 50.';

create function crm.quoted_choices(p_choices text[]) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select string_agg(format('"%s"', c.choice), ', ' order by c.position)
      || case when cardinality(p_choices) > 20 then format(' e mais %s', cardinality(p_choices) - 20) else '' end
    from unnest(p_choices[:20]) with ordinality c (choice, position)
  );
end
$$;
comment on function crm.quoted_choices(text[]) is 'The first 20 choices in quotes, for the text of an error.';

create function crm.custom_field_error(p_field crm.custom_fields, p_value jsonb) returns text
language sql stable
-- Must stay one expression, so that Postgres inlines it: otherwise a creation with 20 fields would take a tenth longer.
as $$
  select case p_field.type
    when 'text' then
      case when jsonb_typeof(p_value) <> 'string' or char_length(p_value #>> '{}') > 2000
        then 'Deve ser um texto de até 2000 caracteres'
      end
    when 'number' then
      case
        when jsonb_typeof(p_value) <> 'number' then 'Deve ser um número'
        when abs(p_value::numeric) > 9007199254740991 then 'Deve ser um número de -9007199254740991 a 9007199254740991'
      end
    when 'money' then
      case
        when jsonb_typeof(p_value) <> 'number' then 'Deve ser um valor: um número a partir de 0'
        when not p_value::numeric between 0 and 1e15 then 'Deve ser um valor de 0 a 1000000000000000'
      end
    when 'date' then
      case when jsonb_typeof(p_value) <> 'string' or not crm.is_date(p_value #>> '{}')
        then 'Deve ser uma data existente no formato AAAA-MM-DD'
      end
    when 'boolean' then case when jsonb_typeof(p_value) <> 'boolean' then 'Deve ser true ou false' end
    when 'link' then
      case
        when jsonb_typeof(p_value) <> 'string' or char_length(p_value #>> '{}') > 2048
          or p_value #>> '{}' !~* '^https?://[^[:space:]/]+[^[:space:]]*$'
        then 'Deve ser um endereço http:// ou https:// de até 2048 caracteres'
      end
    when 'choice' then
      case
        when jsonb_typeof(p_value) <> 'string' or not p_value #>> '{}' = any (p_field.choices)
        then 'Deve ser um de ' || crm.quoted_choices(p_field.choices)
      end
    when 'choices' then
      case
        when jsonb_typeof(p_value) <> 'array' or not p_value <@ to_jsonb(p_field.choices)
        then 'Deve ser uma lista com opções de ' || crm.quoted_choices(p_field.choices)
      end
  end
$$;
comment on function crm.custom_field_error(crm.custom_fields, jsonb) is
  'What is wrong with a value of the field, in Portuguese; null if it is valid. p_value must not be null.';

create function crm.refuses_undefined_fields() returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return (select w.refuses_undefined_fields from crm.workspaces w where w.id = crm.current_workspace_id());
end
$$;
comment on function crm.refuses_undefined_fields() is
  'Whether the workspace accepts only defined custom fields. Security definer: crm_api cannot read workspaces.';

create function crm.check_custom_fields(p_object_type text, p_fields jsonb, p_known jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare
  v_errors jsonb;
  v_undefined jsonb;
begin
  select
    jsonb_agg(jsonb_build_object('field', 'custom_fields.' || e.key, 'message', e.message))
      filter (where e.message is not null),
    p_fields - coalesce(array_agg(e.key), '{}')
  into v_errors, v_undefined
  from (
    select d.key, case
      -- A value that the record already has stays valid, even if it breaks the present definition.
      when p_fields -> d.key <> 'null' and p_fields -> d.key is distinct from p_known -> d.key
      then crm.custom_field_error(d, p_fields -> d.key)
    end as message
    from crm.custom_fields d
    where d.workspace_id = crm.current_workspace_id() and d.object_type = p_object_type and d.archived_at is null
      and p_fields ? d.key
    offset 0
  ) e;
  if v_undefined <> '{}' and crm.refuses_undefined_fields() then
    v_errors := nullif(coalesce(v_errors, '[]') || coalesce((
      select jsonb_agg(jsonb_build_object(
        'field', 'custom_fields.' || u.key, 'message',
        'Campo não definido; defina-o em POST /api-v1-workspace/custom-fields, ou use um de GET /api-v1-workspace'
      ))
      from jsonb_each(v_undefined) u
      where u.value <> 'null' and u.value is distinct from p_known -> u.key
    ), '[]'), '[]');
  end if;
  if v_errors is not null then
    raise exception using errcode = 'CRM00', message = 'validation_error', detail = (
      select jsonb_agg(e.value order by e.value ->> 'field') from jsonb_array_elements(v_errors) e
    )::text;
  end if;
end
$$;
comment on function crm.check_custom_fields(text, jsonb, jsonb) is
  'Raises validation_error for fields whose value breaks their definition, and, if the workspace refuses them, for '
  'fields that are not defined. p_known: the record''s current values, which stay valid.';

create function crm.merged_custom_fields(p_known jsonb, p_sent jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_fields jsonb := (p_known || p_sent) - array(
    -- A null that a creation stored stays, so that a record can be sent back as it was read.
    select f.key from jsonb_each(p_sent) f where f.value = 'null' and p_known -> f.key is distinct from 'null'
  );
begin
  -- The length of the JSON without the spaces that Postgres prints before and after each field's name.
  if (
    select count(*) > 50 or sum(octet_length(to_json(f.key)::text) + octet_length(f.value::text) + 2) + 1 > 10240
    from jsonb_each(v_fields) f
  ) then
    perform api.fail(
      'validation_error', array['custom_fields'],
      'Com os campos que já tem, o registro passaria de 50 campos ou de 10 KB, o máximo'
    );
  end if;
  return v_fields;
end
$$;
comment on function crm.merged_custom_fields(jsonb, jsonb) is
  'The custom fields of a record that has p_known, after a change that sends p_sent: a null removes a field, and fields '
  'that are not sent stay. Raises validation_error for more than 50 fields or 10 KB.';

create function crm.checked_values(p_object_type text, p_args jsonb, p_current jsonb default null) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  if p_args ?| '{tags,add_tags,remove_tags}' then p_args := crm.with_tags(p_args, p_current); end if;
  if jsonb_typeof(p_args -> 'custom_fields') = 'object' then
    if p_current is not null then
      p_args := jsonb_set(
        p_args, '{custom_fields}',
        crm.merged_custom_fields(coalesce(nullif(p_current -> 'custom_fields', 'null'), '{}'), p_args -> 'custom_fields')
      );
    end if;
    perform crm.check_custom_fields(p_object_type, p_args -> 'custom_fields', p_current -> 'custom_fields');
  end if;
  return p_args;
end
$$;
comment on function crm.checked_values(text, jsonb, jsonb) is
  'The arguments of a creation, or of a change of the record p_current, with the tags and custom fields that the '
  'record will have. Raises validation_error for invalid tags or custom fields.';

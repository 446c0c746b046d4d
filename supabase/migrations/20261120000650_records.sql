-- What the verbs of every record share: lists, references, partial updates.

create type api.page_meta as (next_cursor uuid, has_more boolean);
create type api.page as (data json, meta api.page_meta);
comment on type api.page is 'A page of a list (spec 4.0). The data is JSON already.';

create function crm.page(p_table regclass, p_json regproc, p_args jsonb, p_filters jsonb default '{}') returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_limit integer := (p_args ->> 'limit')::integer;
  v_where text := 't.workspace_id = crm.current_workspace_id()';
  v_filter record;
  v_ids uuid[];
  v_records json[];
  v_has_more boolean;
begin
  for v_filter in
    select f.condition from jsonb_each_text(
      p_filters || jsonb_build_object(
        'cursor', 't.id < ($1 ->> ''cursor'')::uuid',
        'since', 't.id >= crm.uuid_v7_floor(($1 ->> ''since'')::timestamptz)',
        'updated_since', 't.updated_at >= ($1 ->> ''updated_since'')::timestamptz'
      )
    ) as f (name, condition)
    where p_args ? f.name
  loop
    v_where := v_where || ' and ' || v_filter.condition;
  end loop;
  -- Composed and planned for the filters that are there: one plan for all of them could use no index.
  execute format(
    $sql$
      select array_agg(page.id), array_agg(page.record)
      from (select t.id, %s(t) as record from %s t where %s order by t.id desc limit $2) page
    $sql$,
    p_json, p_table, v_where
  ) into v_ids, v_records using p_args, v_limit + 1;
  v_has_more := coalesce(cardinality(v_ids), 0) > v_limit;
  return to_json(row(
    coalesce(array_to_json(v_records[:v_limit]), '[]'),
    row(case when v_has_more then v_ids[v_limit] end, v_has_more)
  )::api.page);
end
$$;
comment on function crm.page(regclass, regproc, jsonb, jsonb) is
  'A page of a list (spec 4.0): newest first, limit + 1 rows read. p_filters: by parameter name, the condition on row t '
  'that it stands for, where $1 is p_args. Conditions are code, never input.';

create function crm.found(p_record json) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_record is null then
    perform api.fail('not_found');
  end if;
  return p_record;
end
$$;
comment on function crm.found(json) is 'The record, or the error not_found where there is none.';

create function api.fail_all(p_code text, p_fields text[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception using
    errcode = 'CRM00',
    message = p_code,
    detail = (select json_agg(json_build_object('field', f, 'message', null)) from unnest(p_fields) f)::text;
end
$$;
comment on function api.fail_all(text, text[]) is 'As api.fail, for several fields at once.';

create function crm.check_references(p_args jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_field text;
  v_id uuid;
  v_exists boolean;
  v_missing text[] := '{}';
begin
  foreach v_field in array array['contact_id', 'company_id', 'deal_id', 'owner_id', 'loss_reason_id'] loop
    v_id := p_args ->> v_field;
    continue when v_id is null;
    case v_field
      when 'contact_id' then
        v_exists := exists (select from crm.contacts t where t.workspace_id = v_workspace_id and t.id = v_id);
      when 'company_id' then
        v_exists := exists (select from crm.companies t where t.workspace_id = v_workspace_id and t.id = v_id);
      when 'deal_id' then
        v_exists := exists (select from crm.deals t where t.workspace_id = v_workspace_id and t.id = v_id);
      when 'owner_id' then
        v_exists := crm.active_member(v_id) is not null;
      when 'loss_reason_id' then
        v_exists := exists (
          select from crm.loss_reasons t where t.workspace_id = v_workspace_id and t.id = v_id and t.is_active
        );
    end case;
    if not v_exists then
      v_missing := v_missing || v_field;
    end if;
  end loop;
  if v_missing <> '{}' then
    perform api.fail_all('invalid_reference', v_missing);
  end if;
end
$$;
comment on function crm.check_references(jsonb) is
  'Raises invalid_reference naming every *_id whose record is not of the workspace, and an owner who is not active.';

create function crm.changes(p_current jsonb, p_args jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(a.key, a.value), '{}')
    from jsonb_each(p_args) a
    where a.key <> 'id' and p_current -> a.key is distinct from a.value
  );
end
$$;
comment on function crm.changes(jsonb, jsonb) is
  'What a PATCH changes of a record. A client may send back what it read: a reference that stays is not checked again.';

create function crm.owner_or_default(p_owner_id uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_owner_id uuid := coalesce(p_owner_id, crm.default_owner());
begin
  if v_owner_id is null then
    perform api.fail('no_owner_available');
  end if;
  return v_owner_id;
end
$$;
comment on function crm.owner_or_default(uuid) is
  'The owner that the call names, else the default; raises no_owner_available when there is none (spec 4.2).';

create function crm.with_fields(p_record json, p_fields json) returns json
language sql immutable parallel safe
-- Joined as text: jsonb would forget the order of the fields.
as $$ select (left(p_record::text, -1) || ',' || substr(p_fields::text, 2))::json $$;
comment on function crm.with_fields(json, json) is
  'A record''s public JSON with more fields at its end. Both are objects made here, without space around their braces, neither of them empty.';

-- What the verbs of every record share: lists, references, partial updates.

create function crm.page(p_table regclass, p_json regproc, p_args jsonb, p_filters jsonb default '{}') returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_where text := 't.workspace_id = crm.current_workspace_id()';
  v_filter record;
  v_page json;
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
      with page as (
        select t.id, row_number() over (order by t.id desc) as number, %s(t) as record
        from %s t
        where %s
        order by t.id desc
        limit ($1 ->> 'limit')::integer + 1
      )
      select json_build_object(
        'data', coalesce(json_agg(record order by id desc) filter (where number <= ($1 ->> 'limit')::integer), '[]'),
        'meta', json_build_object(
          'next_cursor', (select p.id from page p where p.number = ($1 ->> 'limit')::integer
            and exists (select from page q where q.number > p.number)),
          'has_more', count(*) > ($1 ->> 'limit')::integer
        )
      )
      from page
    $sql$,
    p_json, p_table, v_where
  ) into v_page using p_args;
  return v_page;
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
  v_missing text[];
begin
  select array_agg(r.field) into v_missing
  from (
    values ('contact_id'), ('company_id'), ('deal_id'), ('owner_id'), ('loss_reason_id')
  ) as r (field)
  cross join lateral (select (p_args ->> r.field)::uuid as id) as v
  where v.id is not null
    and not case r.field
      when 'contact_id' then exists (select from crm.contacts t where t.workspace_id = v_workspace_id and t.id = v.id)
      when 'company_id' then exists (select from crm.companies t where t.workspace_id = v_workspace_id and t.id = v.id)
      when 'deal_id' then exists (select from crm.deals t where t.workspace_id = v_workspace_id and t.id = v.id)
      when 'owner_id' then crm.active_member(v.id) is not null
      else exists (
        select from crm.loss_reasons t where t.workspace_id = v_workspace_id and t.id = v.id and t.is_active
      )
    end;
  if v_missing is not null then
    perform api.fail_all('invalid_reference', v_missing);
  end if;
end
$$;
comment on function crm.check_references(jsonb) is
  'Raises invalid_reference naming every *_id whose record is not of the workspace, and an owner who is not active.';

create function crm.changes(p_current jsonb, p_args jsonb) returns jsonb
language sql immutable
as $$
  select coalesce(jsonb_object_agg(a.key, a.value), '{}')
  from jsonb_each(p_args) a
  where a.key <> 'id' and p_current -> a.key is distinct from a.value
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
as $$ select (left(p_record::text, -1) || ', ' || substr(p_fields::text, 2))::json $$;
comment on function crm.with_fields(json, json) is
  'A record''s public JSON with more fields at its end. Both are objects made by json_build_object, neither of them empty.';

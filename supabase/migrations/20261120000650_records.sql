-- What the verbs of every record share: lists, references, partial updates.

create type api.page_meta as (next_cursor uuid, has_more boolean);
create type api.page as (data json, meta api.page_meta);
comment on type api.page is 'A page of a list (spec 4.0). The data is JSON already.';

create function crm.page(p_limit integer, p_ids uuid[], p_records json[]) returns json
language plpgsql immutable
set search_path = ''
as $$
declare
  v_has_more boolean := coalesce(cardinality(p_ids), 0) > p_limit;
begin
  return to_json(row(
    coalesce(array_to_json(p_records[:p_limit]), '[]'),
    row(case when v_has_more then p_ids[p_limit] end, v_has_more)
  )::api.page);
end
$$;
comment on function crm.page(integer, uuid[], json[]) is
  'A page of a list (spec 4.0), from the ids and records of up to limit + 1 rows.';

create procedure crm.define_list(
  p_verb text,
  p_table regclass,
  p_json regproc,
  p_filters jsonb,
  p_ranges jsonb default '{}'
)
language plpgsql
set search_path = ''
as $define$
declare
  v_filters jsonb := p_filters || p_ranges || jsonb_build_object(
    'since', 't.id >= crm.uuid_v7_floor(($1 ->> ''since'')::timestamptz)',
    'updated_since', 't.updated_at >= ($1 ->> ''updated_since'')::timestamptz'
  );
  v_names text[] := array(select jsonb_object_keys(v_filters));
  -- case rather than coalesce, which row-level security takes for a leak, and then serves by no index.
  v_rows text := format(
    $sql$select array_agg(page.id), array_agg(page.record)
      from (
        select t.id, %s(t) as record from %s t
        where t.workspace_id = crm.current_workspace_id()
          and t.id < case
            when $1 ? 'cursor' then ($1 ->> 'cursor')::uuid
            else 'ffffffff-ffff-ffff-ffff-ffffffffffff'
          end%%s
        order by t.id desc
        limit ($1 ->> 'limit')::integer + 1
      ) page$sql$,
    p_json, p_table
  );
  v_one_filter text;
begin
  select string_agg(
    format(
      $sql$
    when %L then
      %s into v_ids, v_records;$sql$,
      array[f.name], format(v_rows, ' and ' || f.condition)
    ),
    '' order by f.name
  )
  into v_one_filter
  from jsonb_each_text(p_filters) as f (name, condition);

  execute format(
    $sql$
create function api.%1$I(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
-- For a limit that it does not know, the planner expects more rows than any page has, and would plan each time.
set plan_cache_mode = 'force_generic_plan'
-- The index of an equality ends with the id, so that a page is read in its order. The planner, who knows of all workspaces together
-- and of none by itself, would rather collect a whole workspace's rows and sort them.
set enable_bitmapscan = off
as $list$
declare
  v_asked text[] := array(
    select n from unnest(%2$L::text[]) n
    where p_args ? n or p_args ->> split_part(n, ' = ', 1) = split_part(n, ' = ', 2)
  );
  v_ids uuid[];
  v_records json[];
begin
  -- Each filter has a statement of its own, whose plan is kept: one for all of them could use no index.
  case v_asked
    when '{}' then
      %3$s into v_ids, v_records;%4$s
    else
      -- Planned anew: how many rows are in a range, its bound decides.
      execute format(
        %5$L, (select string_agg(' and ' || f.value, '') from jsonb_each_text(%6$L) f where f.key = any (v_asked))
      ) into v_ids, v_records using p_args;
  end case;
  return crm.page((p_args ->> 'limit')::integer, v_ids, v_records);
end
$list$
    $sql$,
    p_verb, v_names, format(v_rows, ''), v_one_filter, v_rows, v_filters
  );
  execute format('comment on function api.%I(jsonb) is %L', p_verb, format('A page of %s (spec 4.0).', p_table));
end
$define$;
comment on procedure crm.define_list(text, regclass, regproc, jsonb, jsonb) is
  'Makes the verb of a list: newest first, limit + 1 rows read. p_filters: by parameter name, the equality on row t that '
  'it stands for, where $1 is the arguments, each served by an index that ends with the id. p_ranges: other conditions; '
  '`name = value` for one value of a parameter. Conditions are code, never input.';

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
    perform api.fail('invalid_reference', v_missing);
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

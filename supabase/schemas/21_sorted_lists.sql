-- Lists with `sort`. The cursor of a sorted list is the key of a stored position. The last row's id would not be
-- enough, because the value of that row may change before the next call.

create table crm.list_cursors (
  workspace_id uuid not null,
  cursor uuid not null,
  record text not null,
  sort text not null,
  value text,
  id uuid not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, cursor)
);
comment on table crm.list_cursors is
  'Where a sorted list continues: after this value and this id, even if the row now has another value. crm.duplicates '
  'stores no value, and continues with the value that the record has now.';
call crm.protect('crm.list_cursors');
create index list_cursors_age on crm.list_cursors (created_at);

create function crm.keep_cursor(p_record text, p_sort text, p_value text, p_id uuid) returns uuid
language plpgsql set search_path = '' as $$
declare
  -- The same position gets the same cursor all day, so that reading a page again stores no second row.
  v_hash text := md5(format('%s %s %L %s %s', p_record, p_sort, p_value, p_id, current_date));
  -- A UUID of version 8, so that it cannot be the id of a record.
  v_cursor uuid := left(v_hash, 12) || '8' || substr(v_hash, 14, 3) || 'a' || substr(v_hash, 18);
begin
  insert into crm.list_cursors (workspace_id, cursor, record, sort, value, id)
  values (crm.current_workspace_id(), v_cursor, p_record, p_sort, p_value, p_id)
  on conflict do nothing;
  return v_cursor;
end
$$;
comment on function crm.keep_cursor(text, text, text, uuid) is
  'Stores a position in a sorted list, and returns its cursor, which is valid for at least a day.';

create function crm.sorted_list(p_record text, p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- crm.list_by explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_incremental_sort = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_sort text := p_args ->> 'sort';
  v_direction text := case when left(v_sort, 1) = '-' then 'desc' else 'asc' end;
  v_limit integer := p_args ->> 'limit';
  v_before uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  -- How many more rows this page may read.
  v_left integer := 1250;
  v_rows integer := v_limit + 1;
  v_after crm.list_cursors;
  v_column text;
  v_type text;
  v_walk crm.walk;
  v_way text;
  -- The ids of the rows that match one filter, if they are few.
  v_chosen uuid[];
  v_looked integer;
  v_last_id uuid;
  v_last_value text;
  v_more_ids uuid[];
  v_more_values text[];
  v_more_records json[];
  v_ids uuid[] := '{}';
  v_values text[] := '{}';
  v_next_id uuid;
  v_next_value text;
  v_records json[] := '{}';
begin
  perform crm.require_known_filters(p_args);
  select f.target, f.sql into v_column, v_type
  from crm.list_filters(p_record) f
  where f.kind = 'sort' and f.name = ltrim(v_sort, '-');
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := crm.uuid_v7_floor((p_args ->> 'until')::timestamptz); end if;
  if p_args ? 'cursor' then
    select c.* into v_after
    from crm.list_cursors c
    where c.workspace_id = crm.current_workspace_id() and c.cursor = (p_args ->> 'cursor')::uuid
      and c.record = p_record and c.sort = v_sort;
    if not found then
      perform api.fail(
        'invalid_cursor', array['cursor'],
        'Deve ser o meta.next_cursor de uma resposta desta lista com o mesmo sort, das últimas 24 horas'
      );
    end if;
  end if;
  v_walk := crm.walk_for(p_record, p_args, format(', t.%I as sorted, t as entry', v_column));

  -- If few rows match one of the filters, read and sort them all.
  foreach v_way in array v_walk.ways || v_walk.ranges || case when p_args ?| '{since,until}' then v_walk.everything end
  loop
    continue when v_way is null;
    execute format('select array(select w.id from (%s limit $3) w)', v_way)
    into v_chosen using v_before, v_from, v_left + 1;
    continue when cardinality(v_chosen) > v_left;
    -- Without `offset 0`, the planner could read the whole workspace by the index on the sorted column.
    v_way := format('(%s and t.id = any ($4) and t.id < $1 and t.id >= $2 offset 0)', v_walk.rows);
    exit;
  end loop;
  -- If many rows match each of the filters, read the index on the sorted column.
  if v_chosen is null or cardinality(v_chosen) > v_left then
    v_way := format('(%s and t.id < $1 and t.id >= $2)', v_walk.rows);
  end if;

  loop
    -- Rows without a value come last, in either order.
    execute format(
      'select count(*), (array_agg(w.id))[count(*)],'
      ' (array_agg(w.sorted::text))[count(*)], array_agg(w.id) filter (where w.is_match),'
      ' array_agg(w.sorted::text) filter (where w.is_match),'
      ' array_agg(crm.%5$I(w.entry)) filter (where w.is_match) from ('
      '(select t.* from %1$s t where %2$s order by t.sorted %4$s, t.id %4$s limit $3)'
      ' union all '
      '(select t.* from %1$s t where %3$s order by t.id %4$s limit $3) limit $3) w',
      v_way,
      case
        when v_after.id is null then 't.sorted is not null'
        when v_after.value is null then 'false'
        else format(
          '(t.sorted, t.id) %s (%L::%s, %L::uuid)', case v_direction when 'desc' then '<' else '>' end,
          v_after.value, v_type, v_after.id
        )
      end,
      case
        when v_after.id is null or v_after.value is not null then 't.sorted is null'
        else format('t.sorted is null and t.id %s %L', case v_direction when 'desc' then '<' else '>' end, v_after.id)
      end,
      v_direction, p_record || '_json_if_short'
    ) into v_looked, v_last_id, v_last_value, v_more_ids, v_more_values, v_more_records
    using v_before, v_from, v_rows, v_chosen;
    v_ids := v_ids || v_more_ids;
    v_values := v_values || v_more_values;
    v_records := v_records || v_more_records;
    v_left := v_left - v_rows;
    exit when v_looked < v_rows;
    v_after.id := v_last_id;
    v_after.value := v_last_value;
    if cardinality(v_ids) > v_limit or v_left <= 0 then
      v_next_id := v_after.id;
      v_next_value := v_after.value;
      exit;
    end if;
    v_rows := least(4 * v_rows, v_left);
  end loop;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_next_value := v_values[v_limit];
  end if;
  v_records := crm.bounded_records(p_record, v_ids[:v_limit], v_records[:v_limit]);
  if cardinality(v_records) < cardinality(v_ids[:v_limit]) then
    v_next_id := v_ids[cardinality(v_records)];
    v_next_value := v_values[cardinality(v_records)];
  end if;
  if p_args ? 'expand' then v_records := crm.expanded(v_records, p_args -> 'expand'); end if;
  if v_next_id is not null then v_next_id := crm.keep_cursor(p_record, v_sort, v_next_value, v_next_id); end if;
  return crm.page(v_records, v_next_id);
end
$$;
comment on function crm.sorted_list(text, jsonb) is
  'A page of a list in the order of `sort`. If a filter has at most 1,250 rows, sorts these rows. Otherwise reads at '
  'most 1,250 rows of the sorted column''s index, so the page may end early. Raises invalid_cursor.';

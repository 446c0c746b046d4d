-- Lists. For each kind of record, 21_lists_written.sql has the filters as data, and static statements for common calls.
-- See docs/decisions/0012-lists-that-end.md.
--
-- api.<name>_list and crm.<name>_match have two settings. Without `plan_cache_mode = 'force_generic_plan'`, Postgres
-- would plan every call again: a cached plan looks too expensive, because Postgres expects too many rows for an unknown
-- limit. Without `enable_sort = off`, it would often read and sort all rows of a workspace instead of reading rows in
-- the order of an index, because its statistics cover all workspaces together.

-- Lists and sums by any combination of filters. Common calls (no filter, one equality, `updated_since` or `q` alone)
-- have static statements, whose plans Postgres caches (api.<name>_list, crm.kept_walk). For any other call,
-- crm.walk_for composes a statement from the filters sent.

create type crm.sent_filter as (kind text, name text, target text, is_many boolean, value text, condition text);
comment on type crm.sent_filter is 'A sent filter as SQL: its value (an array if is_many) and its condition on row t.';

create type crm.walk as (
  rows text, everything text, ways text[], ranges text[], is_alone boolean[], chosen text, shows_all boolean
);
comment on type crm.walk is
  'Statements that read rows for the filters sent. Their column is_match tells whether a row matches all filters. '
  'rows: all rows in no order; the caller appends conditions. everything: all rows, newest first. ways: for each '
  'filter, its rows, newest first. ranges: for each range filter, its rows in the order of its column. chosen: the '
  'rows with the ids $4. everything and ways read the ids below $1, down to $2; $3 is the number of rows. is_alone: '
  'for each of ranges, whether it is the only filter. shows_all: whether archived records are requested too.';

create function crm.rows_by(p_rows text, p_kind text, p_column text, p_value text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return format(
    case
      when p_column is null then '%1$s and t.id < $1 and t.id >= $2 order by t.id desc'
      -- At most one row has a given unique value, so the rows need no order by id.
      when p_kind = 'unique' then
        '%1$s and t.%2$I = %3$s and (t.%2$I, t.id) < (%3$s, $1) and (t.%2$I, t.id) >= (%3$s, $2) order by t.%2$I desc'
      -- The same conditions as in api.<name>_list, so that the plan uses the same index.
      else '%1$s and (t.%2$I, t.id) < (%3$s, $1) and t.%2$I >= %3$s and t.%2$I = any (array[%3$s])'
        ' and t.%2$I is not null and t.id < $1 and t.id >= $2 order by t.%2$I desc, t.id desc'
    end,
    p_rows, p_column, p_value
  );
end
$$;
comment on function crm.rows_by(text, text, text, text) is
  'Builds a statement that reads the rows with a filter''s value, newest first, by the index on p_column. If p_column '
  'is null, the statement reads all rows.';

create function crm.newest_deals(p_column text, p_value uuid, p_most integer) returns uuid[]
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
begin
  if p_column = 'company_id' then
    return array(
      select d.id from crm.deals d
      where d.workspace_id = crm.current_workspace_id() and d.company_id = p_value
      order by d.company_id desc, d.id desc limit p_most
    );
  end if;
  return array(
    select d.id from crm.deals d
    where d.workspace_id = crm.current_workspace_id() and d.contact_id = p_value
    order by d.contact_id desc, d.id desc limit p_most
  );
end
$$;
comment on function crm.newest_deals(text, uuid, integer) is
  'The ids of the newest p_most deals with a company (company_id) or a contact (contact_id).';

create function crm.walk_for(p_record text, p_args jsonb, p_columns text default '') returns crm.walk
language plpgsql stable set search_path = '' as $$
declare
  v crm.walk;
  v_sent crm.sent_filter[];
  v_table text;
  v_searched text;
  v_matching text;
  v_leading text;
  v_rows text;
  v_filters integer;
  v_ranges boolean;
  v_values crm.sent_value[];
  v_pending uuid[];
  -- Whether the required filter is missing. Most indexes begin with that filter's column. Without the filter, the list
  -- can use only the primary key and, for a filter of kind `deal`, the index on deal_id.
  v_is_partial boolean := exists (
    select from crm.list_filters(p_record) f where f.kind = 'required' and not p_args ? f.name
  );
begin
  select
    array_agg(row(s.*)::crm.sent_filter),
    count(*) filter (where s.kind not in ('list', 'required', 'shown')),
    bool_or(s.kind in ('range', '>=', '<')) and not v_is_partial,
    max(s.target) filter (where s.kind = 'list'),
    max(s.value) filter (where s.kind = 'list'),
    coalesce(string_agg(s.condition, ' and ') filter (where s.kind <> 'required'), 'true'),
    coalesce(string_agg(s.condition, ' and ') filter (where s.kind = 'required'), 'true'),
    not bool_or(s.kind = 'shown')
  into v_sent, v_filters, v_ranges, v_table, v_searched, v_matching, v_leading, v.shows_all
  from (
    select f.kind, f.name, f.target, f.is_many, f.value, case
      when f.kind = 'list' then null
      when f.kind in ('shown', 'hidden', 'range', 'condition') then f.value
      when f.kind in ('>=', '<') then format('t.%I %s %s', f.target, f.kind, f.value)
      -- For more than 250 deals, reading the rows of each deal would take too long: check the deal of each row instead.
      when f.kind = 'deal' and not f.is_many then format(
        'exists (select from crm.deals d where d.workspace_id = t.workspace_id and d.id = t.%I and d.%I = %s)',
        f.target, f.sql, f.value
      )
      when f.is_many then format('t.%I = any (%s)', f.target, f.value)
      else format('t.%I = %s', f.target, f.value)
    end
    from (
      select f.kind, f.name, f.target, f.sql,
        case f.kind
          when 'several' then jsonb_array_length(p_args -> f.name) > 1
          when 'deal' then cardinality(d.ids) <= 250
          else false
        end as is_many,
        case
          when f.kind = 'deal' and cardinality(d.ids) > 250 then format('%L::uuid', p_args ->> f.name)
          when f.kind = 'deal' then format('%L::uuid[]', d.ids)
          when f.given is not null or f.kind = 'list' then f.sql
          when f.kind <> 'several' then format(f.sql, p_args ->> f.name)
          when jsonb_array_length(p_args -> f.name) = 1 then format(f.sql, p_args -> f.name ->> 0)
          else format(f.sql || '[]', array(select jsonb_array_elements_text(p_args -> f.name)))
        end as value
      from crm.list_filters(p_record) f
      cross join lateral (
        select case
          when f.kind = 'deal' and p_args ? f.name then crm.newest_deals(f.sql, (p_args ->> f.name)::uuid, 251)
        end
      ) d (ids)
      where case
        when f.kind = 'list' then true
        when f.kind = 'shown' then coalesce(p_args ->> f.name, f.given) = f.given
        when f.given is not null then p_args ->> f.name = f.given
        else p_args ? f.name
      end
    ) f
  ) s (kind, name, target, is_many, value, condition);
  if p_args ?| '{tag,custom}' then
    v_values := array(select s from crm.sent_values(p_record, p_args) s);
    v_filters := v_filters + cardinality(v_values);
    v_matching := concat_ws(
      ' and ', v_matching, (select string_agg(crm.value_condition(s), ' and ') from unnest(v_values) s)
    );
    v_pending := crm.pending_texts(p_record, 1000);
  end if;
  if jsonb_array_length(nullif(p_args -> 'words', 'null')) > 0 then
    v_matching := format(
      '%s and not exists (select from unnest(%L::text[]) s (word) where strpos(%s, s.word) = 0)',
      v_matching, array(select jsonb_array_elements_text(p_args -> 'words')), v_searched
    );
  end if;
  -- The workspace id is a literal, because Postgres would parse the function crm.current_workspace_id again for each
  -- composed statement.
  v_rows := format('t.workspace_id = %L::uuid', crm.current_workspace_id());
  v.chosen := format(
    'select t.id, %s as is_match, %s as text from unnest($4) with ordinality chosen (id, position)'
    ' join %s t on %s and t.id = chosen.id order by chosen.position',
    v_matching, coalesce(v_searched, 'null'), v_table, v_rows
  );
  v_rows := format('select t.id, %s as is_match%s from %s t where %s', v_matching, p_columns, v_table, v_rows);
  select coalesce(max(crm.rows_by(v_rows, s.kind, s.target, s.value)), crm.rows_by(v_rows, null, null, null))
  into v.everything
  from unnest(v_sent) s
  where s.kind = 'required';
  v_rows := format('%s and %s', v_rows, v_leading);
  v.rows := v_rows;
  if v_filters = 0 then return v; end if;
  select array_agg(
    case
      when s.kind = 'hidden' then crm.rows_by(format('%s and %s', v_rows, s.condition), null, null, null)
      when s.is_many then format(
        'select w.* from unnest(%s) s (value) cross join lateral (%s limit $3 + 1) w order by w.id desc',
        s.value, crm.rows_by(v_rows, s.kind, s.target, 's.value')
      )
      else crm.rows_by(v_rows, s.kind, s.target, s.value)
    end
  )
  into v.ways
  from unnest(v_sent) s
  where s.kind in ('hidden', 'equality', 'unique', 'several') and not v_is_partial or s.kind = 'deal' and s.is_many;
  if v_ranges then
    select
      array_agg(format('%s and %s order by t.%I desc', v_rows, r.conditions, r.target) order by r.name, r.target),
      array_agg(r.count = v_filters order by r.name, r.target)
    into v.ranges, v.is_alone
    from (
      select r.target, r.name, count(*), string_agg(s.condition, ' and ') as conditions
      from (
        select distinct s.target, case when s.kind = 'range' then s.name end as name
        from unnest(v_sent) s
        where s.kind in ('range', '>=', '<')
      ) r
      join unnest(v_sent) s on s.target = r.target and (s.name = r.name or s.kind in ('>=', '<'))
      group by r.target, r.name
    ) r;
  end if;
  -- v_pending is null if too many records still have to be indexed. Then do not read crm.record_values.
  if v_pending is not null then
    v.ways := v.ways || array(
      select crm.rows_by_value(s, p_record, v_rows, v_pending) from unnest(v_values) s
      where s.is_indexed and s.low = s.high
    );
    v.ranges := v.ranges || array(
      select crm.rows_by_value(s, p_record, v_rows, v_pending) from unnest(v_values) s
      where s.is_indexed and s.low <> s.high
    );
    v.is_alone := v.is_alone || array_fill(false, array[cardinality(v.ranges) - coalesce(cardinality(v.is_alone), 0)]);
  end if;
  return v;
end
$$;
comment on function crm.walk_for(text, jsonb, text) is
  'The statements for the filters sent. They contain the caller''s input only as quoted literals of the filter''s '
  'type; names of columns and tables come from crm.list_filters.';

create function crm.shortest_way(p_walk crm.walk, p_before uuid, p_from uuid, p_step integer) returns text
language plpgsql stable set search_path = '' as $$
declare
  v_way text;
  v_reach uuid;
  v_furthest uuid;
  v_by text := p_walk.everything;
begin
  if cardinality(p_walk.ways) = 1 then return p_walk.ways[1]; end if;
  foreach v_way in array coalesce(p_walk.ways, '{}') loop
    execute format('select w.id from (%s) w offset $3 limit 1', v_way)
    into v_reach using p_before, p_from, p_step;
    if v_reach is null then
      return v_way;
    elsif v_furthest is null or v_reach < v_furthest then
      v_furthest := v_reach;
      v_by := v_way;
    end if;
  end loop;
  return v_by;
end
$$;
comment on function crm.shortest_way(crm.walk, uuid, uuid, integer) is
  'The statement for the filter that probably has the fewest rows: the first p_step rows of this filter reach the '
  'furthest back. If no filter has a statement, returns the statement for all rows.';

create function crm.list_by(
  p_record text, p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250,
  p_kept boolean default false, out ids uuid[], out next_id uuid
)
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan'
-- Generic plans and no sorts, as in api.<name>_list. Incremental sorts are off too: Postgres plans a composed statement
-- for its values, and if statistics suggest few rows, it would read the whole workspace and sort it incrementally.
set enable_sort = off set enable_incremental_sort = off
-- A page needs only joins by the primary key.
set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_walk crm.walk;
  v_way text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_in_range uuid[];
  v_chosen uuid[];
  v_newer integer;
begin
  if not p_kept then
    v_walk := crm.walk_for(p_record, p_args);
    v_way := crm.shortest_way(v_walk, p_before, p_from, p_step);
  elsif p_args ? 'updated_since' then
    v_walk.ranges := '{updated_at}';
    v_walk.is_alone := '{true}';
  end if;
  ids := '{}';
  for v_round in 1 .. 2 loop
    if v_way is null then
      select w.walked, w.matches into v_walked, v_matches
      from crm.kept_walk(p_record, p_args, v_before, p_from, v_rows, v_chosen) w;
    else
      execute format('select array_agg(w.id), array_agg(w.id) filter (where w.is_match) from (%s limit $3) w', v_way)
      into v_walked, v_matches using v_before, p_from, v_rows, v_chosen;
    end if;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    v_rows := 4 * p_step;
    -- Few rows of the first round matched. Read a small range instead, unless most of its rows have been read already.
    for v_range in 1 .. coalesce(cardinality(v_walk.ranges), 0) loop
      if p_kept then
        v_in_range := crm.updated_ids(p_record, p_args, 10 * p_step + 1);
      else
        execute format('select array_agg(w.id) from (%s limit $1) w', v_walk.ranges[v_range])
        into v_in_range using 10 * p_step + 1;
      end if;
      continue when cardinality(v_in_range) > 10 * p_step;
      select array_agg(r.id order by r.id desc) filter (where r.id < v_before),
        count(*) filter (where r.id >= v_before and r.id < p_before)
      into v_in_range, v_newer
      from unnest(v_in_range) r (id)
      where r.id >= p_from;
      continue when v_newer > p_step;
      if v_walk.is_alone[v_range] and v_walk.shows_all then
        ids := ids || v_in_range[:v_limit + 1];
        next_id := null;
        return;
      elsif v_walk.is_alone[v_range] then
        -- Only archived rows are skipped, and they are few, so little more than a page must be read.
        v_rows := least(v_rows, v_limit + 51);
      end if;
      v_chosen := coalesce(v_in_range[:v_rows], '{}');
      v_way := v_walk.chosen;
      exit;
    end loop;
  end loop;
end
$$;
comment on function crm.list_by(text, jsonb, uuid, uuid, integer, boolean) is
  'The ids of a page of a list for any combination of filters, and further ids if more rows matched. Reads at most 5 * '
  'p_step rows, and for each range its ids, 10 * p_step + 1 at most. next_id is the last row read; null if no row is '
  'left. p_kept: the call has no filter, or only updated_since, so the statements have cached plans.';

create function crm.list_reply(
  p_record text, p_args jsonb, p_filters jsonb, p_before uuid, p_from uuid, p_ids uuid[], p_records json[],
  p_shown integer
) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_complete boolean := p_shown = coalesce(cardinality(p_ids), 0);
  v_next_id uuid;
begin
  -- A list hides no activities or notes, so the missing ones are long: crm.bounded_records builds those.
  if v_complete is null or not v_complete and p_record not in ('activity', 'note') then
    select page.ids, page.records, page.is_complete, page.next_id into p_ids, p_records, v_complete, v_next_id
    from crm.rest_of_page(p_record, p_args, p_filters, p_before, p_from, p_ids, p_records, v_complete) page;
  end if;
  if cardinality(p_ids) > v_limit then
    v_next_id := p_ids[v_limit];
    p_ids := p_ids[:v_limit];
    p_records := p_records[:v_limit];
  end if;
  if not v_complete or pg_column_size(p_records) > crm.max_page_bytes() then
    p_records := crm.bounded_records(p_record, p_ids, p_records);
    if cardinality(p_records) < cardinality(p_ids) then v_next_id := p_ids[cardinality(p_records)]; end if;
  end if;
  if coalesce(cardinality(p_records), 0) = 0 then perform crm.require_known_filters(p_args); end if;
  if p_args ? 'expand' then p_records := crm.expanded(p_records, p_args -> 'expand'); end if;
  if p_args ? 'updated_since' and not p_args ? 'cursor' then return crm.synced_page(p_records, v_next_id); end if;
  return crm.page(p_records, v_next_id);
end
$$;
comment on function crm.list_reply(text, jsonb, jsonb, uuid, uuid, uuid[], json[], integer) is
  'The reply of api.<name>_list. p_ids and p_records: what its statement read, with null for hidden and long records. '
  'p_shown: how many are not null; null if no statement is for these filters (p_filters).';

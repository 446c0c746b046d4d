-- Lists and sums by any filters. The lists that are called most, without a filter and by one equality, have statements of
-- their own whose plans are kept (api.<name>_list). Everything else is composed here of the filters that were sent. Why,
-- and what it costs: docs/decisions/0016-bounded-lists.md.

-- written by deno task records: filters
create function crm.list_filters(p_record text)
returns table (kind text, name text, target text, given text, sql text)
language sql immutable
as $$
  select f.kind, f.name, f.target, f.given, f.sql
  from (
    values
      ('activity', 'list', null, 'crm.activities', null, null),
      ('activity', 'equality', 'deal_id', 'deal_id', null, '%L::uuid'),
      ('activity', 'equality', 'contact_id', 'contact_id', null, '%L::uuid'),
      ('activity', 'equality', 'owner_id', 'owner_id', null, '%L::uuid'),
      ('activity', 'several', 'type', 'type', null, '%L::text'),
      ('activity', 'several', 'status', 'status', null, '%L::text'),
      ('activity', 'range', 'is_overdue', 'due_at', 'true', 't.status = ''pendente'' and t.due_at < now()'),
      ('activity', 'condition', 'is_overdue', null, 'false', '(t.status <> ''pendente'' or t.due_at is null or t.due_at >= now())'),
      ('activity', '<', 'due_before', 'due_at', null, '%L::timestamptz'),
      ('activity', '>=', 'due_after', 'due_at', null, '%L::timestamptz'),
      ('activity', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('company', 'list', null, 'crm.companies', null, 'crm.company_text(t)'),
      ('company', 'equality', 'name', 'name_key', null, 'coalesce(crm.name_key(%L), '''')'),
      ('company', 'equality', 'tax_id', 'tax_id', null, '%L::text'),
      ('company', 'equality', 'domain', 'domain', null, '%L::text'),
      ('company', 'equality', 'owner_id', 'owner_id', null, '%L::uuid'),
      ('company', 'unique', 'external_id', 'external_id', null, '%L::text'),
      ('company', 'shown', 'archived', null, 'false', 't.archived_at is null'),
      ('company', 'hidden', 'archived', null, 'true', 't.archived_at is not null'),
      ('company', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('contact', 'list', null, 'crm.contacts', null, 'crm.contact_text(t)'),
      ('contact', 'equality', 'email', 'email', null, '%L::text'),
      ('contact', 'equality', 'phone', 'phone_e164', null, 'coalesce(crm.e164(%L), '''')'),
      ('contact', 'equality', 'company_id', 'company_id', null, '%L::uuid'),
      ('contact', 'unique', 'external_id', 'external_id', null, '%L::text'),
      ('contact', 'shown', 'archived', null, 'false', 't.archived_at is null'),
      ('contact', 'hidden', 'archived', null, 'true', 't.archived_at is not null'),
      ('contact', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('deal', 'list', null, 'crm.deals', null, 'crm.deal_text(t)'),
      ('deal', 'several', 'status', 'status', null, '%L::text'),
      ('deal', 'equality', 'pipeline_id', 'pipeline_id', null, '%L::uuid'),
      ('deal', 'equality', 'stage_id', 'stage_id', null, '%L::uuid'),
      ('deal', 'equality', 'contact_id', 'contact_id', null, '%L::uuid'),
      ('deal', 'equality', 'company_id', 'company_id', null, '%L::uuid'),
      ('deal', 'equality', 'owner_id', 'owner_id', null, '%L::uuid'),
      ('deal', 'equality', 'external_id', 'external_id', null, '%L::text'),
      ('deal', 'shown', 'archived', null, 'false', 't.archived_at is null'),
      ('deal', 'hidden', 'archived', null, 'true', 't.archived_at is not null'),
      ('deal', '>=', 'closed_since', 'closed_at', null, '%L::timestamptz'),
      ('deal', '<', 'closed_until', 'closed_at', null, '%L::timestamptz'),
      ('deal', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('note', 'list', null, 'crm.notes', null, null),
      ('note', 'required', 'deal_id', 'deal_id', null, '%L::uuid'),
      ('note', 'several', 'kind', 'kind', null, '%L::text'),
      ('note', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz')
  ) f (record, kind, name, target, given, sql)
  where f.record = p_record
$$;
comment on function crm.list_filters(text) is
  'The list of a record, with its table and the text that is searched, and its filters. A filter compares '
  'the column target with a value, where %L is what was sent; or, for the value given, it is a condition on '
  'row t. Of the kind range it has an index with the column target, shown holds where the filter was not '
  'sent, and hidden is of few rows.';

create function crm.kept_walk(
  p_record text, p_args jsonb, p_before uuid, p_from uuid, p_rows integer, p_ids uuid[],
  out walked uuid[], out matches uuid[]
)
language plpgsql stable
set search_path = ''
as $$
declare
  v_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
begin
  case p_record
    when 'activity' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since)
      into walked, matches
      from (
        (
          select t.id, t.updated_at from crm.activities t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id()
            and t.id < p_before
            and t.id >= p_from
          order by t.id desc
          limit p_rows
        )
        union all
        (
          select t.id, t.updated_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.activities t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'company' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since and t.archived_at is null)
      into walked, matches
      from (
        (
          select t.id, t.updated_at, t.archived_at from crm.companies t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id()
            and t.id < p_before
            and t.id >= p_from
          order by t.id desc
          limit p_rows
        )
        union all
        (
          select t.id, t.updated_at, t.archived_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'contact' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since and t.archived_at is null)
      into walked, matches
      from (
        (
          select t.id, t.updated_at, t.archived_at from crm.contacts t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id()
            and t.id < p_before
            and t.id >= p_from
          order by t.id desc
          limit p_rows
        )
        union all
        (
          select t.id, t.updated_at, t.archived_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.contacts t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'deal' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since and t.archived_at is null)
      into walked, matches
      from (
        (
          select t.id, t.updated_at, t.archived_at from crm.deals t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id()
            and t.id < p_before
            and t.id >= p_from
          order by t.id desc
          limit p_rows
        )
        union all
        (
          select t.id, t.updated_at, t.archived_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'note' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since)
      into walked, matches
      from (
        (
          select t.id, t.updated_at from crm.notes t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id()
            and (t.deal_id, t.id) < ((p_args ->> 'deal_id')::uuid, p_before)
            and t.deal_id >= (p_args ->> 'deal_id')::uuid
            and t.deal_id = any (array[(p_args ->> 'deal_id')::uuid])
            and t.id < p_before
            and t.id >= p_from
          order by t.deal_id desc, t.id desc
          limit p_rows
        )
        union all
        (
          select t.id, t.updated_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.notes t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
  end case;
end
$$;
comment on function crm.kept_walk(text, jsonb, uuid, uuid, integer, uuid[]) is
  'Walks the newest rows of a list, or those of p_ids in their order; matches are those that the list has '
  'with at most the filter updated_since.';

create function crm.updated_ids(p_record text, p_args jsonb, p_most integer) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_since timestamptz := p_args ->> 'updated_since';
begin
  case p_record
    when 'activity' then
      return array(
        select t.id from crm.activities t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc
        limit p_most
      );
    when 'company' then
      return array(
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc
        limit p_most
      );
    when 'contact' then
      return array(
        select t.id from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc
        limit p_most
      );
    when 'deal' then
      return array(
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc
        limit p_most
      );
    when 'note' then
      return array(
        select t.id from crm.notes t
        where t.workspace_id = crm.current_workspace_id() and t.deal_id = (p_args ->> 'deal_id')::uuid and t.updated_at >= v_since
        order by t.updated_at desc
        limit p_most
      );
  end case;
end
$$;
comment on function crm.updated_ids(text, jsonb, integer) is
  'The rows of a list that changed since updated_since, last changed first.';
-- end of what is written

create type crm.sent_filter as (kind text, name text, target text, is_many boolean, value text, condition text);
comment on type crm.sent_filter is
  'A filter that was sent, as SQL: its value, an array if there are several, and the condition that row `t` matches it.';

create type crm.walk as (
  everything text, ways text[], ranges text[], is_alone boolean[], chosen text, shows_all boolean
);
comment on type crm.walk is
  'Statements that read the rows for the filters of a caller, newest first, with `is_match`: all rows, those with the value '
  'of one filter, those in a range (in its order) and whether no other filter was sent, those of the ids `$4`. `$1` is the id '
  'before which rows are read, `$2` the lowest, `$3` how many are wanted.';

create function crm.rows_by(p_rows text, p_kind text, p_column text, p_value text) returns text
language sql immutable
-- One expression, so that it is inlined.
as $$
  select format(
    case
      when p_column is null then '%1$s and t.id < $1 and t.id >= $2 order by t.id desc'
      -- One row at most has a unique value, so its index needs no order by the id.
      when p_kind = 'unique' then
        '%1$s and (t.%2$I, t.id) < (%3$s, $1) and (t.%2$I, t.id) >= (%3$s, $2) order by t.%2$I desc'
      -- The conditions are those of api.<name>_list.
      else '%1$s and (t.%2$I, t.id) < (%3$s, $1) and t.%2$I >= %3$s and t.%2$I = any (array[%3$s])'
        ' and t.%2$I is not null and t.id < $1 and t.id >= $2 order by t.%2$I desc, t.id desc'
    end,
    p_rows, p_column, p_value
  )
$$;
comment on function crm.rows_by(text, text, text, text) is
  'The rows with the value of a filter, newest first, by the index of its column; without a column all rows.';

create function crm.walk_for(p_record text, p_args jsonb, p_columns text default '') returns crm.walk
language plpgsql stable
set search_path = ''
as $$
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
begin
  select
    array_agg(row(s.*)::crm.sent_filter),
    count(*) filter (where s.kind not in ('list', 'required', 'shown')),
    bool_or(s.kind in ('range', '>=', '<')),
    max(s.target) filter (where s.kind = 'list'),
    max(s.value) filter (where s.kind = 'list'),
    coalesce(string_agg(s.condition, ' and ') filter (where s.kind <> 'required'), 'true'),
    coalesce(string_agg(s.condition, ' and ') filter (where s.kind = 'required'), 'true'),
    not bool_or(s.kind = 'shown')
  into v_sent, v_filters, v_ranges, v_table, v_searched, v_matching, v_leading, v.shows_all
  from (
    select f.kind, f.name, f.target, f.is_many, f.value, case
      when f.kind in ('shown', 'hidden', 'range', 'condition') then f.value
      when f.kind in ('>=', '<') then format('t.%I %s %s', f.target, f.kind, f.value)
      when f.is_many then format('t.%I = any (%s)', f.target, f.value)
      when f.kind <> 'list' then format('t.%I = %s', f.target, f.value)
    end
    from (
      select f.kind, f.name, f.target, f.kind = 'several' and jsonb_array_length(p_args -> f.name) > 1 as is_many, case
        when f.given is not null or f.kind = 'list' then f.sql
        when f.kind <> 'several' then format(f.sql, p_args ->> f.name)
        when jsonb_array_length(p_args -> f.name) = 1 then format(f.sql, p_args -> f.name ->> 0)
        else format(f.sql || '[]', array(select jsonb_array_elements_text(p_args -> f.name)))
      end as value
      from crm.list_filters(p_record) f
      where case
        when f.kind = 'list' then true
        when f.kind = 'shown' then coalesce(p_args ->> f.name, f.given) = f.given
        when f.given is not null then p_args ->> f.name = f.given
        else p_args ? f.name
      end
    ) f
  ) s (kind, name, target, is_many, value, condition);
  -- The workspace is a value, because Postgres would parse the function anew in each statement.
  v_rows := format('t.workspace_id = %L::uuid', crm.current_workspace_id());
  v.chosen := format(
    'select t.id, %s as is_match, %s as text from unnest($4) with ordinality chosen (id, position)'
    ' join %s t on %s and t.id = chosen.id order by chosen.position',
    v_matching, coalesce(v_searched, 'null'), v_table, v_rows
  );
  v_rows := format('select t.id, %s as is_match%s from %s t where %s', v_matching, p_columns, v_table, v_rows);
  select coalesce(max(crm.rows_by(v_rows, s.kind, s.target, s.value)), crm.rows_by(v_rows, null, null, null)) into v.everything
  from unnest(v_sent) s
  where s.kind = 'required';
  if v_filters = 0 then
    return v;
  end if;
  v_rows := format('%s and %s', v_rows, v_leading);
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
  where s.kind in ('hidden', 'equality', 'unique', 'several');
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
  return v;
end
$$;
comment on function crm.walk_for(text, jsonb, text) is
  'How to read the rows of a list by the filters that were sent. Of what a caller sends only values get into the statements, '
  'as literals; the names are those that crm.list_filters has.';

create function crm.shortest_way(p_walk crm.walk, p_before uuid, p_from uuid, p_step integer) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_way text;
  v_reach uuid;
  v_furthest uuid;
  v_by text := p_walk.everything;
begin
  if cardinality(p_walk.ways) = 1 then
    return p_walk.ways[1];
  end if;
  foreach v_way in array coalesce(p_walk.ways, '{}') loop
    execute format('select w.id from (%s) w offset $3 limit 1', v_way) into v_reach using p_before, p_from, p_step;
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
  'The rows of the filter that has the fewest as far as a step goes, or all rows if there is none.';

create function crm.list_by(
  p_record text, p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250, p_kept boolean default false,
  out ids uuid[], out next_id uuid
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- As in api.<name>_list. A page needs no other join than by the primary key.
set enable_sort = off
set enable_incremental_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_walk crm.walk;
  v_way text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_in_range uuid[];
  -- Those of them that are walked.
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
    -- Few rows of the first round match. A range of few rows is walked instead, if it has no more rows where the first
    -- round was.
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
        -- Hardly more rows have to be looked at than the page has, because hardly any is hidden.
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
  'The ids of a page of a list, more than its limit if there are as many, for any combination of its filters. It looks '
  'through at most 5 * p_step rows; next_id is the last of them if there may be others. p_kept: at most updated_since was '
  'sent, for which plans are kept.';

create function crm.summary(p_record text, p_args jsonb, p_columns text, p_most integer, p_sums text) returns json
language plpgsql stable
set search_path = ''
-- As in api.<name>_list.
set plan_cache_mode = 'force_generic_plan'
set enable_sort = off
set enable_incremental_sort = off
set jit = off
as $$
declare
  v_before uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_walk crm.walk := crm.walk_for(p_record, p_args, p_columns);
  v_rows text;
  v_looked bigint;
  v_summary json;
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  if p_args ? 'until' then
    v_before := crm.uuid_v7_floor((p_args ->> 'until')::timestamptz);
  end if;
  -- By a range that was sent, if it has few enough rows.
  foreach v_rows in array v_walk.ranges || crm.shortest_way(v_walk, v_before, v_from, 250) loop
    execute format(p_sums, v_rows) into v_looked, v_summary using v_before, v_from, p_most + 1;
    if coalesce(v_looked, 0) <= p_most then
      return v_summary;
    end if;
  end loop;
  perform api.fail('too_many_records');
end
$$;
comment on function crm.summary(text, jsonb, text, integer, text) is
  'What p_sums makes of the rows for the filters that were sent: how many it looked at, and the sums. It looks at p_most '
  'rows at most, so that a call costs as much whatever the workspace has; raises too_many_records where that is not enough.';

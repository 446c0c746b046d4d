-- Counts and sums of the deals of a list (docs/decisions/0012-lists-that-end.md).

create function crm.sum_deals(p_args jsonb, p_columns text, p_sums text) returns json
language plpgsql stable set search_path = ''
-- crm.list_by explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_incremental_sort = off
set jit = off as $$
declare
  -- Bounds the cost of a call.
  c_most constant integer := 50000;
  v_before uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_walk crm.walk := crm.walk_for(
    'deal', p_args || jsonb_build_object('words', crm.search_words(p_args ->> 'q')), p_columns
  );
  v_ways text[];
  v_rows text;
  v_most integer;
  v_looked bigint;
  v_summary json;
begin
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := crm.uuid_v7_floor((p_args ->> 'until')::timestamptz); end if;
  v_ways := array[crm.shortest_way(v_walk, v_before, v_from, 250)];
  -- If `since` was sent, try the ways before the ranges, because reading by id probably reads fewer rows.
  v_ways := case when p_args ? 'since' then v_ways || v_walk.ranges else v_walk.ranges || v_ways end;
  -- First try each statement for at most 1,000 rows: one statement may find few rows where another finds tens of
  -- thousands.
  foreach v_most in array case when cardinality(v_ways) > 1 then array[1000, c_most] else array[c_most] end loop
    foreach v_rows in array v_ways loop
      execute format(p_sums, v_rows) into v_looked, v_summary using v_before, v_from, v_most + 1;
      if coalesce(v_looked, 0) <= v_most then return v_summary; end if;
    end loop;
  end loop;
  perform api.fail('too_many_records');
end
$$;
comment on function crm.sum_deals(jsonb, text, text) is
  'Runs the statement p_sums over the deals for the filters sent (crm.walk), with the columns p_columns. p_sums '
  'returns the number of rows read and a reply. Raises too_many_records if each way to the rows reads more than 50,000 '
  'rows.';

create function api.deal_summary(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_summary json;
begin
  v_summary := crm.sum_deals(p_args, ', t.pipeline_id, t.stage_id, t.status, t.value, t.recurring_value', $sql$
    select sum(g.looked), json_build_object(
      'data', coalesce(
        json_agg(
          json_build_object(
            'pipeline_id', g.pipeline_id, 'stage_id', g.stage_id, 'status', g.status, 'count', g.count,
            'value', g.value, 'recurring_value', g.recurring_value
          )
          order by g.pipeline_id, g.stage_id, g.status
        ) filter (where g.count > 0),
        '[]'
      ),
      'totals', json_build_object(
        'count', coalesce(sum(g.count), 0), 'value', coalesce(sum(g.value), 0),
        'recurring_value', coalesce(sum(g.recurring_value), 0)
      )
    )
    from (
      select w.pipeline_id, w.stage_id, w.status, count(*) as looked, count(*) filter (where w.is_counted) as count,
        coalesce(sum(w.value) filter (where w.is_counted), 0) as value,
        coalesce(sum(w.recurring_value) filter (where w.is_counted), 0) as recurring_value
      from (select w.*, w.is_match and w.id < $1 and w.id >= $2 as is_counted from (%s limit $3) w) w
      group by w.pipeline_id, w.stage_id, w.status
    ) g
  $sql$);
  if v_summary #>> '{totals,count}' = '0' then perform crm.require_known_filters(p_args); end if;
  if p_args ? 'group_by' then
    v_summary := crm.with_fields(v_summary, json_build_object('groups', crm.sum_deals(
      p_args,
      format(
        ', %s as key, t.value, t.recurring_value',
        case p_args ->> 'group_by'
          when 'owner' then 't.owner_id::text'
          when 'stage' then 't.stage_id::text'
          when 'month' then 'to_char(coalesce(t.closed_at at time zone ''UTC'', t.expected_close_date), ''YYYY-MM'')'
          when 'source' then 't.source'
        end
      ),
      format($sql$
        select sum(g.looked), coalesce(
          json_agg(
            json_build_object('key', g.key, 'name', %s, 'count', g.count, 'value', g.value, 'recurring_value', g.recurring_value)
            order by g.value desc, g.count desc, g.key
          ) filter (where g.count > 0),
          '[]'
        )
        from (
          select w.key, count(*) as looked, count(*) filter (where w.is_counted) as count,
            coalesce(sum(w.value) filter (where w.is_counted), 0) as value,
            coalesce(sum(w.recurring_value) filter (where w.is_counted), 0) as recurring_value
          from (select w.*, w.is_match and w.id < $1 and w.id >= $2 as is_counted from (%%s limit $3) w) w
          group by w.key
        ) g
      $sql$, case p_args ->> 'group_by'
        when 'owner' then
          '(select n.name from crm.members n where n.workspace_id = crm.current_workspace_id() and n.id = g.key::uuid)'
        when 'stage' then
          '(select n.name from crm.stages n where n.workspace_id = crm.current_workspace_id() and n.id = g.key::uuid)'
        else 'g.key'
      end)
    )));
  end if;
  return v_summary;
end
$$;
comment on function api.deal_summary(jsonb) is
  'Counts and adds up the deals of the list with the same filters, by pipeline, stage and status, and with group_by '
  'also by one of owner, stage, month, source. Raises too_many_records if the call would read more than 50,000 deals.';

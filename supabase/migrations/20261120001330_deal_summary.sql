-- The number and value of deals by pipeline, stage and status.

-- written by deno task records: deal summary
create function api.deal_summary(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_summary json;
begin
  v_summary := crm.summary('deal', p_args, ', t.pipeline_id, t.stage_id, t.status, t.value, t.recurring_value', 50000, $sql$
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
  if v_summary #>> '{totals,count}' = '0' and p_args ?| '{owner_id,pipeline_id,stage_id}' then perform crm.require_known_filters(p_args); end if;
  return v_summary;
end
$$;
comment on function api.deal_summary(jsonb) is
  'Counts and adds up the records of the list with the same filters, by pipeline_id, stage_id, status. Reads at most '
  '50,000 records, which bounds the cost of a call; raises too_many_records if there are more.';
-- end of what is written

-- How many deals there are and what they are worth, by pipeline, stage and status.

-- written by deno task records: deal summary
create function api.deal_summary(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- As in api.deal_list.
set enable_sort = off
set jit = off
as $$
declare
  c_most constant integer := 50000;
  v_status text[] := case when p_args ? 'status' then array(select jsonb_array_elements_text(p_args -> 'status')) end;
  v_pipeline_id uuid := (p_args ->> 'pipeline_id')::uuid;
  v_stage_id uuid := (p_args ->> 'stage_id')::uuid;
  v_contact_id uuid := (p_args ->> 'contact_id')::uuid;
  v_company_id uuid := (p_args ->> 'company_id')::uuid;
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_closed_since timestamptz := coalesce((p_args ->> 'closed_since')::timestamptz, '-infinity');
  v_closed_until timestamptz := coalesce((p_args ->> 'closed_until')::timestamptz, 'infinity');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_ranges text[] := array_remove(array[
    case when p_args ?| array['closed_since', 'closed_until'] then 'closed_at' end,
    case when p_args ?| array['updated_since'] then 'updated_at' end
  ], null);
  v_before uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_by text;
  v_looked bigint;
  v_summary json;
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  if p_args ? 'until' then
    v_before := crm.uuid_v7_floor((p_args ->> 'until')::timestamptz);
  end if;
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'archived' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < v_before
        and t.id >= v_from
        and t.archived_at is not null
      order by t.id desc
      offset 250 limit 1
    ) as reach
    where v_archived = 'true'
    union all
    select 'status' as name, (
      select t.* from unnest(v_status) s (value)
      cross join lateral (
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id()
          and (t.status, t.id) < (s.value, v_before)
          and t.status >= s.value
          and t.status = any (array[s.value])
          and t.id < v_before
          and t.id >= v_from
        order by t.status desc, t.id desc
        limit 250 + 1
      ) t
      order by t.id desc
      offset 250 limit 1
    ) as reach
    where v_status is not null
    union all
    select 'pipeline_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.pipeline_id, t.id) < (v_pipeline_id, v_before)
        and t.pipeline_id >= v_pipeline_id
        and t.pipeline_id = any (array[v_pipeline_id])
        and t.id < v_before
        and t.id >= v_from
      order by t.pipeline_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_pipeline_id is not null
    union all
    select 'stage_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.stage_id, t.id) < (v_stage_id, v_before)
        and t.stage_id >= v_stage_id
        and t.stage_id = any (array[v_stage_id])
        and t.id < v_before
        and t.id >= v_from
      order by t.stage_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_stage_id is not null
    union all
    select 'contact_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.contact_id, t.id) < (v_contact_id, v_before)
        and t.contact_id >= v_contact_id
        and t.contact_id = any (array[v_contact_id])
        and t.id < v_before
        and t.id >= v_from
      order by t.contact_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_contact_id is not null
    union all
    select 'company_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.company_id, t.id) < (v_company_id, v_before)
        and t.company_id >= v_company_id
        and t.company_id = any (array[v_company_id])
        and t.id < v_before
        and t.id >= v_from
      order by t.company_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_company_id is not null
    union all
    select 'owner_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < (v_owner_id, v_before)
        and t.owner_id >= v_owner_id
        and t.owner_id = any (array[v_owner_id])
        and t.id < v_before
        and t.id >= v_from
      order by t.owner_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_owner_id is not null
    union all
    select 'external_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.external_id, t.id) < (v_external_id, v_before)
        and t.external_id >= v_external_id
        and t.external_id = any (array[v_external_id])
        and t.id < v_before
        and t.id >= v_from
        and t.external_id is not null
      order by t.external_id desc, t.id desc
      offset 250 limit 1
    ) as reach
    where v_external_id is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  -- By a range that was sent, if it has few enough rows.
  foreach v_by in array v_ranges || v_by loop
    select sum(g.looked), json_build_object(
      'data', coalesce(
        json_agg(
          json_build_object('pipeline_id', g.pipeline_id, 'stage_id', g.stage_id, 'status', g.status, 'count', g.count, 'value', g.value, 'recurring_value', g.recurring_value)
          order by g.pipeline_id, g.stage_id, g.status
        ) filter (where g.count > 0),
        '[]'
      ),
      'totals', json_build_object(
        'count', coalesce(sum(g.count), 0),
        'value', coalesce(sum(g.value), 0),
        'recurring_value', coalesce(sum(g.recurring_value), 0)
      )
    )
    into v_looked, v_summary
    from (
      select
        t.pipeline_id, t.stage_id, t.status,
        count(*) as looked,
        count(*) filter (where t.is_match) as count,
        coalesce(sum(t.value) filter (where t.is_match), 0) as value,
        coalesce(sum(t.recurring_value) filter (where t.is_match), 0) as recurring_value
      from (
        select
          t.pipeline_id, t.stage_id, t.status, t.value, t.recurring_value,
          (t.id < v_before and t.id >= v_from
            and (v_status is null or t.status = any (v_status))
            and (v_pipeline_id is null or t.pipeline_id = v_pipeline_id)
            and (v_stage_id is null or t.stage_id = v_stage_id)
            and (v_contact_id is null or t.contact_id = v_contact_id)
            and (v_company_id is null or t.company_id = v_company_id)
            and (v_owner_id is null or t.owner_id = v_owner_id)
            and (v_external_id is null or t.external_id = v_external_id)
            and (v_archived is distinct from 'false' or t.archived_at is null)
            and (v_archived is distinct from 'true' or t.archived_at is not null)
            and (v_closed_since = '-infinity' or t.closed_at >= v_closed_since)
            and (v_closed_until = 'infinity' or t.closed_at < v_closed_until)
            and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)) as is_match
        from (
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'all'
              and t.workspace_id = crm.current_workspace_id()
              and t.id < v_before
              and t.id >= v_from
            order by t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'archived'
              and t.workspace_id = crm.current_workspace_id()
              and t.id < v_before
              and t.id >= v_from
              and t.archived_at is not null
            order by t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.* from unnest(v_status) s (value)
            cross join lateral (
              select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
              where t.workspace_id = crm.current_workspace_id()
                and (t.status, t.id) < (s.value, v_before)
                and t.status >= s.value
                and t.status = any (array[s.value])
                and t.id < v_before
                and t.id >= v_from
              order by t.status desc, t.id desc
              limit c_most + 1
            ) t
            where v_by = 'status'
            order by t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'pipeline_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.pipeline_id, t.id) < (v_pipeline_id, v_before)
              and t.pipeline_id >= v_pipeline_id
              and t.pipeline_id = any (array[v_pipeline_id])
              and t.id < v_before
              and t.id >= v_from
            order by t.pipeline_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'stage_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.stage_id, t.id) < (v_stage_id, v_before)
              and t.stage_id >= v_stage_id
              and t.stage_id = any (array[v_stage_id])
              and t.id < v_before
              and t.id >= v_from
            order by t.stage_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'contact_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.contact_id, t.id) < (v_contact_id, v_before)
              and t.contact_id >= v_contact_id
              and t.contact_id = any (array[v_contact_id])
              and t.id < v_before
              and t.id >= v_from
            order by t.contact_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'company_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.company_id, t.id) < (v_company_id, v_before)
              and t.company_id >= v_company_id
              and t.company_id = any (array[v_company_id])
              and t.id < v_before
              and t.id >= v_from
            order by t.company_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'owner_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.owner_id, t.id) < (v_owner_id, v_before)
              and t.owner_id >= v_owner_id
              and t.owner_id = any (array[v_owner_id])
              and t.id < v_before
              and t.id >= v_from
            order by t.owner_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'external_id'
              and t.workspace_id = crm.current_workspace_id()
              and (t.external_id, t.id) < (v_external_id, v_before)
              and t.external_id >= v_external_id
              and t.external_id = any (array[v_external_id])
              and t.id < v_before
              and t.id >= v_from
              and t.external_id is not null
            order by t.external_id desc, t.id desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'closed_at'
              and t.workspace_id = crm.current_workspace_id()
              and t.closed_at >= v_closed_since
              and t.closed_at < v_closed_until
            order by t.closed_at desc
            limit c_most + 1
          )
          union all
          (
            select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.closed_at, t.updated_at, t.archived_at, t.value, t.recurring_value from crm.deals t
            where v_by = 'updated_at'
              and t.workspace_id = crm.current_workspace_id()
              and t.updated_at >= v_updated_since
            order by t.updated_at desc
            limit c_most + 1
          )
        ) t
      ) t
      group by t.pipeline_id, t.stage_id, t.status
    ) g;
    if coalesce(v_looked, 0) <= c_most then
      if v_summary #>> '{totals,count}' = '0' and p_args ?| '{owner_id,pipeline_id,stage_id}' then
        perform crm.require_known_filters(p_args);
      end if;
      return v_summary;
    end if;
  end loop;
  perform api.fail('too_many_records');
end
$$;
comment on function api.deal_summary(jsonb) is
  'Counts and adds up the records that the list with the same filters has, by pipeline_id, stage_id, '
  'status. It looks through 50,000 records at most, so that a call costs as much whatever the workspace '
  'has; raises too_many_records where that is not enough.';
-- end of what is written

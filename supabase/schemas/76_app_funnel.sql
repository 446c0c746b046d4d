-- The funnel of a pipeline, for the console: its stages, each with its newest deals.

create function crm.funnel_stages(p_workspace_id uuid, p_pipeline_id uuid) returns json
language plpgsql stable set search_path = ''
-- A cached plan and no compilation, because planning and compiling take longer than running the query, and every
-- pipeline gets the same plan.
set plan_cache_mode = 'force_generic_plan' set jit = off
-- Without sorts, the deals of each stage and each outcome are read in index order, and reading stops after 1,001 deals.
-- With a sort, the planner might read all deals first.
set enable_sort = off set enable_incremental_sort = off as $$
begin
  return (
    with all_stage as materialized (
      select s.id, s.name, s.type, s.position, s.is_active from crm.stages s
      where s.workspace_id = p_workspace_id and s.pipeline_id = p_pipeline_id
    ),
    open_deal as materialized (
      select s.id as stage_id, d.id, d.value, d.created_at as at, false as more
      from all_stage s
      cross join lateral (
        select d.id, d.value, d.created_at from crm.deals d
        where d.workspace_id = p_workspace_id and d.status = 'aberto' and d.archived_at is null
          -- This means d.stage_id = s.id. A range of both columns expresses it, because only the index of open deals
          -- has this order. With an equality, the planner expects to find the stage's deals among the newest deals of
          -- the workspace, and for an empty stage it reads the whole workspace.
          and (d.stage_id, d.id) >= (s.id, '00000000-0000-0000-0000-000000000000'::uuid)
          and (d.stage_id, d.id) <= (s.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
        order by d.stage_id desc, d.id desc limit 1001
      ) d
    ),
    stage as materialized (
      select s.* from all_stage s
      where s.is_active or s.id in (select d.stage_id from open_deal d)
      order by s.position limit 50
    ),
    outcome as materialized (
      select
        o.type, o.status,
        (select s.id from stage s where s.type = o.type and s.is_active order by s.position limit 1) as first_stage_id
      from (values ('won', 'ganho'), ('lost', 'perdido')) o (type, status)
    ),
    closed_deal as (
      select
        -- Closing a deal does not change its stage. So a closed deal is shown in its own stage only if that stage has
        -- the type won or lost, otherwise in the first active stage of that type.
        coalesce(s.id, o.first_stage_id) as stage_id,
        d.id, d.value, d.closed_at as at, d.more
      from outcome o
      cross join lateral (
        select d.id, d.stage_id, d.value, d.closed_at, count(*) over () > 1000 as more
        from (
          select d.id, d.stage_id, d.value, d.closed_at from crm.deals d
          where d.workspace_id = p_workspace_id and d.pipeline_id = p_pipeline_id and d.status = o.status
            and d.closed_at >= now() - interval '30 days' and d.archived_at is null
          order by d.closed_at desc, d.id desc limit 1001
        ) d
      ) d
      left join stage s on s.id = d.stage_id and s.type = o.type
    ),
    deal as materialized (
      select t.*, row_number() over (partition by t.stage_id order by t.at desc, t.id desc) as rank
      from (select * from open_deal union all select * from closed_deal) t
    ),
    total as (
      select
        d.stage_id,
        count(*) filter (where d.rank <= 1000) as deals_count,
        bool_or(d.more or d.rank > 1000) as is_partial,
        sum(d.value) filter (where d.rank <= 1000) as value_sum
      from deal d
      group by d.stage_id
    ),
    -- Materialized, because otherwise the join below would build the cards of all stages once for each stage.
    card as materialized (
      select
        c.stage_id,
        json_agg(
          json_build_object(
            'id', d.id, 'title', d.title, 'value', d.value, 'recurring_value', d.recurring_value, 'source', d.source,
            'owner', case when m.id is not null then json_build_object('id', m.id, 'name', m.name) end,
            'contact', case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end,
            'company', case when o.id is not null then json_build_object('id', o.id, 'name', o.name) end,
            'created_at', crm.iso(d.created_at), 'stage_entered_at', crm.iso(d.stage_changed_at),
            'proposal_accepted_at', (
              select crm.iso(max(t.accepted_at)) from crm.proposals t
              where t.workspace_id = p_workspace_id and t.deal_id = d.id
            )
          )
          order by c.rank
        ) as list
      from deal c
      -- Lateral, because with a plain join the planner expects to need most of the workspace, and scans all of it.
      cross join lateral (select d.* from crm.deals d where d.workspace_id = p_workspace_id and d.id = c.id limit 1) d
      left join crm.members m on m.workspace_id = d.workspace_id and m.id = d.owner_id
      left join crm.contacts p on p.workspace_id = d.workspace_id and p.id = d.contact_id
      left join crm.companies o on o.workspace_id = d.workspace_id and o.id = d.company_id
      where c.rank <= 50
      group by c.stage_id
    )
    select coalesce(json_agg(json_build_object(
      'id', s.id, 'name', s.name, 'type', s.type, 'position', s.position,
      'deals_count', coalesce(t.deals_count, 0), 'deals_count_is_partial', coalesce(t.is_partial, false),
      'value_sum', coalesce(t.value_sum, 0), 'deals', coalesce(c.list, '[]')
    ) order by s.position), '[]')
    from stage s
    left join total t on t.stage_id = s.id
    left join card c on c.stage_id = s.id
  );
end
$$;
comment on function crm.funnel_stages(uuid, uuid) is
  'The stages of a pipeline that are active or have open deals, in order, 50 at most, each with its open, unarchived '
  'deals, newest first. Deals that were won or lost in the last 30 days are shown too: in their own stage if it has '
  'the type won or lost, otherwise in the first active stage of that type. deals_count and value_sum cover the newest '
  '1,000 deals of a stage; deals_count_is_partial: whether there are more. `deals` has the newest 50.';

create function app.funnel_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id}', '{pipeline_id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_pipeline crm.pipelines;
begin
  select p.* into v_pipeline from crm.pipelines p
  where p.workspace_id = v_workspace_id and p.is_active
    and (v_args ->> 'pipeline_id' is null or p.id = (v_args ->> 'pipeline_id')::uuid)
  order by p.is_default desc, p.id limit 1;
  if not found and v_args ? 'pipeline_id' then perform crm.raise_code('not_found', 'pipeline_id'); end if;
  return json_build_object(
    'as_of', crm.iso(statement_timestamp()),
    'pipelines', (
      select coalesce(
        json_agg(
          json_build_object('id', p.id, 'name', p.name, 'is_default', p.is_default) order by p.created_at, p.id
        ),
        '[]'
      )
      from (
        select p.* from crm.pipelines p
        where p.workspace_id = v_workspace_id and p.is_active
        order by p.created_at, p.id limit 100
      ) p
    ),
    'pipeline', case when v_pipeline.id is not null then
      json_build_object('id', v_pipeline.id, 'name', v_pipeline.name)
    end,
    'stages', crm.funnel_stages(v_workspace_id, v_pipeline.id)
  );
end
$$;
comment on function app.funnel_get(jsonb) is
  'Returns the funnel of an active pipeline (the named one, else the default, else the oldest): as_of, '
  'pipelines (the active ones, 100 at most), pipeline (null if none is active), stages (crm.funnel_stages). '
  'Arguments: workspace_id, pipeline_id. Codes: validation_error, not_found.';

create function app.funnel_deal(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- api.change_summary explains these settings. The conditions compare the deal and the id as one row value, which only
-- one index can serve (as in api.<name>_list).
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off as $$
declare
  c_most constant integer := 20;
  c_last constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_args jsonb := crm.require_workspace(crm.check_args(p_args, '{workspace_id, id}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_id uuid := (v_args ->> 'id')::uuid;
  v_deal crm.deals;
  v_from uuid;
begin
  select * into v_deal from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_id;
  if not found then perform crm.raise_code('not_found', 'id'); end if;
  -- A deal has no events from before its creation, so older partitions are not read.
  v_from := crm.uuid_v7_floor(greatest(v_deal.created_at, now() - interval '90 days'));
  return json_build_object(
    'id', v_id, 'title', v_deal.title, 'status', v_deal.status, 'value', v_deal.value,
    'recurring_value', v_deal.recurring_value,
    'pipeline', (
      select json_build_object('id', p.id, 'name', p.name) from crm.pipelines p
      where p.workspace_id = v_workspace_id and p.id = v_deal.pipeline_id
    ),
    'stage', (
      select json_build_object('id', s.id, 'name', s.name) from crm.stages s
      where s.workspace_id = v_workspace_id and s.id = v_deal.stage_id
    ),
    'owner', (
      select json_build_object('id', m.id, 'name', m.name) from crm.members m
      where m.workspace_id = v_workspace_id and m.id = v_deal.owner_id
    ),
    'company', (
      select json_build_object('id', c.id, 'name', c.name) from crm.companies c
      where c.workspace_id = v_workspace_id and c.id = v_deal.company_id
    ),
    'contact', (
      select json_build_object(
        'id', c.id, 'name', c.name, 'email', c.email, 'phone', c.phone,
        'role', (
          select k.role from crm.deal_contacts k
          where k.workspace_id = v_workspace_id and k.deal_id = v_id and k.contact_id = c.id
        )
      )
      from crm.contacts c
      where c.workspace_id = v_workspace_id and c.id = v_deal.contact_id
    ),
    'other_contacts', (
      select coalesce(json_agg(json_build_object(
        'id', c.id, 'name', c.name, 'email', c.email, 'phone', c.phone, 'role', k.role
      ) order by k.contact_id), '[]')
      from (
        select k.contact_id, k.role from crm.deal_contacts k
        where k.workspace_id = v_workspace_id and k.deal_id = v_id and k.contact_id is distinct from v_deal.contact_id
        order by k.contact_id limit c_most
      ) k
      join crm.contacts c on c.workspace_id = v_workspace_id and c.id = k.contact_id
    ),
    'source', v_deal.source, 'tags', coalesce(v_deal.tags, '{}'), 'expected_close_date', v_deal.expected_close_date,
    'loss_reason', (
      select json_build_object('id', l.id, 'name', l.name) from crm.loss_reasons l
      where l.workspace_id = v_workspace_id and l.id = v_deal.loss_reason_id
    ),
    'loss_note', v_deal.loss_note, 'created_at', crm.iso(v_deal.created_at),
    'stage_entered_at', crm.iso(v_deal.stage_changed_at), 'closed_at', crm.iso(v_deal.closed_at),
    'proposals', (
      select coalesce(json_agg(crm.deal_proposal_json(p) order by p.id desc), '[]')
      from (
        select t.* from crm.proposals t
        where t.workspace_id = v_workspace_id and (t.deal_id, t.id) < (v_id, c_last) and t.deal_id >= v_id
        order by t.deal_id desc, t.id desc limit c_most
      ) p
    ),
    'activities', (
      select coalesce(json_agg(json_build_object(
        'id', a.id, 'type', a.type, 'title', a.title, 'description', a.description, 'status', a.status,
        'due_at', crm.iso(a.due_at), 'completed_at', crm.iso(a.completed_at),
        'owner', json_build_object('id', m.id, 'name', m.name), 'created_at', crm.iso(a.created_at)
      ) order by a.id desc), '[]')
      from (
        select t.* from crm.activities t
        where t.workspace_id = v_workspace_id and (t.deal_id, t.id) < (v_id, c_last) and t.deal_id >= v_id
        order by t.deal_id desc, t.id desc limit c_most
      ) a
      join crm.members m on m.workspace_id = v_workspace_id and m.id = a.owner_id
    ),
    'notes', (
      select coalesce(json_agg(json_build_object(
        'id', n.id, 'body', n.body, 'author', json_build_object('id', m.id, 'name', m.name),
        'created_at', crm.iso(n.created_at)
      ) order by n.id desc), '[]')
      from (
        select t.* from crm.notes t
        where t.workspace_id = v_workspace_id and (t.deal_id, t.id) < (v_id, c_last) and t.deal_id >= v_id
        order by t.deal_id desc, t.id desc limit c_most
      ) n
      join crm.members m on m.workspace_id = v_workspace_id and m.id = n.author_id
    ),
    'events', (
      select coalesce(json_agg(json_build_object(
        'id', e.id, 'event', e.event, 'changed_fields', coalesce(e.facts -> 'changed_fields', '[]'),
        'occurred_at', crm.iso(e.occurred_at)
      ) order by e.position desc, e.id desc), '[]')
      from (
        select t.* from crm.events t
        where t.workspace_id = v_workspace_id and t.object_id = v_id and t.id >= v_from
        order by t.position desc, t.id desc limit c_most
      ) e
    )
  );
end
$$;
comment on function app.funnel_deal(jsonb) is
  'Returns a deal, archived or not, with the names of the records that it refers to, its main and other contacts, and '
  'its newest proposals, activities, notes and events (of the last 90 days), 20 of each at most. Arguments: '
  'workspace_id, id. Codes: validation_error, not_found.';

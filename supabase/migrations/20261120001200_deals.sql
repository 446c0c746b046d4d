-- Deals: the table, its triggers, its plain SQL.

create table crm.deals (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  title text not null check (char_length(title) between 1 and 255),
  status text not null default 'aberto' check (status in ('aberto', 'ganho', 'perdido')),
  value numeric check (value >= 0),
  recurring_value numeric check (recurring_value >= 0),
  pipeline_id uuid not null,
  stage_id uuid not null,
  contact_id uuid,
  company_id uuid,
  owner_id uuid not null,
  expected_close_date date,
  loss_reason_id uuid,
  loss_note text,
  source text,
  utm jsonb,
  custom_fields jsonb,
  external_id text,
  from_lead boolean not null default false,
  stage_changed_at timestamptz not null default now(),
  moved_at timestamptz not null default now(),
  stale_reported_for timestamptz,
  -- A generated column and not a condition in the query, so that the planner has statistics on how few rows qualify.
  stale_unreported_since timestamptz generated always as (
    case when status = 'aberto' and stale_reported_for is distinct from moved_at then moved_at end
  ) stored,
  last_activity_at timestamptz,
  won_at timestamptz,
  lost_at timestamptz,
  closed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, pipeline_id, stage_id) references crm.stages (workspace_id, pipeline_id, id),
  foreign key (workspace_id, contact_id) references crm.contacts (workspace_id, id),
  foreign key (workspace_id, company_id) references crm.companies (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id),
  foreign key (workspace_id, loss_reason_id) references crm.loss_reasons (workspace_id, id)
);
comment on table crm.deals is 'Sales in progress or closed.';
comment on column crm.deals.moved_at is
  'When the deal last moved: it was changed, an activity of it was created or changed, or a note was added. '
  'updated_at cannot show that, because a note changes no field of the deal.';
comment on column crm.deals.stale_reported_for is
  'The moved_at for which deal.stale was last emitted. A later movement differs from it, so the event can be emitted '
  'again.';
comment on column crm.deals.stale_unreported_since is
  'moved_at of an open deal for which deal.stale has not been emitted since; otherwise null.';
comment on column crm.deals.external_id is
  'The caller''s own id of the deal, by which the caller finds it again. Not unique: crm.lead_receipts makes leads '
  'idempotent.';
comment on column crm.deals.from_lead is 'Whether POST leads created the deal: such an insert emits lead.received.';
create index deals_stale on crm.deals (workspace_id, stale_unreported_since) where stale_unreported_since is not null;
-- Of the funnel (app.funnel_get). Winning or losing a deal leaves it in its stage, so stages fill up with closed deals,
-- which the open ones are not looked for among.
create index deals_open on crm.deals (workspace_id, stage_id, id) where status = 'aberto';
create index deals_closed on crm.deals (workspace_id, pipeline_id, status, closed_at, id) where closed_at is not null;
call crm.protect('crm.deals');

create function crm.touch_deal() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- An update that only records deal.stale, or only a movement (crm.set_moved_at), changes no field that a client sees.
  if new.stale_reported_for is not distinct from old.stale_reported_for and new.moved_at = old.moved_at then
    new.updated_at := now();
    new.moved_at := now();
  end if;
  return new;
end
$$;
comment on function crm.touch_deal() is
  'Trigger: sets updated_at and moved_at on every update of the deal''s own fields, whether the API or the '
  'application writes.';

create trigger touch before update on crm.deals for each row execute function crm.touch_deal();

create function crm.set_moved_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  update crm.deals d set moved_at = now() where d.workspace_id = new.workspace_id and d.id = new.deal_id;
  return null;
end
$$;
comment on function crm.set_moved_at() is 'Trigger of notes and activities: sets moved_at of their deal.';

create function crm.set_deal_moments() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.stage_id is distinct from old.stage_id then
    new.stage_changed_at := now();
  end if;
  if new.status is distinct from old.status then
    new.won_at := case when new.status = 'ganho' then now() end;
    new.lost_at := case when new.status = 'perdido' then now() end;
    new.closed_at := coalesce(new.won_at, new.lost_at);
    if new.status <> 'perdido' then
      new.loss_reason_id := null;
      new.loss_note := null;
    end if;
  end if;
  return new;
end
$$;
comment on function crm.set_deal_moments() is
  'Trigger: keeps stage_changed_at, won_at, lost_at, closed_at and the loss fields consistent with stage and status, '
  'whether the API or the application writes.';

create trigger set_deal_moments before update on crm.deals
  for each row when (old.stage_id is distinct from new.stage_id or old.status is distinct from new.status)
  execute function crm.set_deal_moments();

-- written by deno task records: deal
create type api.deal as (
  id uuid,
  workspace_id uuid,
  title text,
  status text,
  value numeric,
  recurring_value numeric,
  pipeline_id uuid,
  stage_id uuid,
  contact_id uuid,
  company_id uuid,
  owner_id uuid,
  expected_close_date date,
  loss_reason_id uuid,
  loss_note text,
  source text,
  utm jsonb,
  custom_fields jsonb,
  external_id text,
  stage_changed_at text,
  last_activity_at text,
  won_at text,
  lost_at text,
  closed_at text,
  created_at text,
  updated_at text
);
comment on type api.deal is 'A deal: its public fields, in order.';

create function crm.deal_json(t crm.deals) returns json
language sql stable
as $$
  select to_json(row(
    t.id, t.workspace_id, t.title, t.status, t.value, t.recurring_value, t.pipeline_id, t.stage_id,
    t.contact_id, t.company_id, t.owner_id, t.expected_close_date, t.loss_reason_id, t.loss_note, t.source,
    t.utm, t.custom_fields, t.external_id, crm.iso(t.stage_changed_at), crm.iso(t.last_activity_at),
    crm.iso(t.won_at), crm.iso(t.lost_at), crm.iso(t.closed_at), crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.deal)
$$;
comment on function crm.deal_json(crm.deals) is 'A row as public JSON, with the fields of api.deal.';

create function crm.deal_insert(t crm.deals) returns crm.deals
language plpgsql
set search_path = ''
as $$
begin
  insert into crm.deals as new (
    workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
    expected_close_date, source, utm, custom_fields, external_id
  )
  values (
    crm.current_workspace_id(), t.title, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id,
    t.company_id, t.owner_id, t.expected_close_date, t.source, t.utm, t.custom_fields, t.external_id
  )
  returning new.* into t;
  return t;
end
$$;
comment on function crm.deal_insert(crm.deals) is
  'Creates the record in the caller''s workspace and returns it.';

create function crm.deal_lock(p_id uuid) returns crm.deals
language plpgsql
set search_path = ''
as $$
declare
  t crm.deals;
begin
  select * into t from crm.deals r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  return t;
end
$$;
comment on function crm.deal_lock(uuid) is
  'Locks the record until the transaction ends, so that concurrent changes of different fields are all '
  'kept, and returns it. Raises not_found.';

create function crm.deal_save(t crm.deals) returns crm.deals
language plpgsql
set search_path = ''
as $$
begin
  update crm.deals as saved
  set (
    title, status, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
    expected_close_date, loss_reason_id, loss_note, source, utm, custom_fields
  ) = (
    t.title, t.status, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id, t.company_id,
    t.owner_id, t.expected_close_date, t.loss_reason_id, t.loss_note, t.source, t.utm, t.custom_fields
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.deal_save(crm.deals) is
  'Writes the fields of the record that can change, and returns the row as it is then.';

create function crm.changed_fields(a crm.deals, b crm.deals) returns text[]
language sql immutable
as $$
  select array_remove(array[
    case when a.closed_at is distinct from b.closed_at then 'closed_at' end,
    case when a.company_id is distinct from b.company_id then 'company_id' end,
    case when a.contact_id is distinct from b.contact_id then 'contact_id' end,
    case when a.created_at is distinct from b.created_at then 'created_at' end,
    case when a.custom_fields is distinct from b.custom_fields then 'custom_fields' end,
    case when a.expected_close_date is distinct from b.expected_close_date then 'expected_close_date' end,
    case when a.external_id is distinct from b.external_id then 'external_id' end,
    case when a.last_activity_at is distinct from b.last_activity_at then 'last_activity_at' end,
    case when a.loss_note is distinct from b.loss_note then 'loss_note' end,
    case when a.loss_reason_id is distinct from b.loss_reason_id then 'loss_reason_id' end,
    case when a.lost_at is distinct from b.lost_at then 'lost_at' end,
    case when a.owner_id is distinct from b.owner_id then 'owner_id' end,
    case when a.pipeline_id is distinct from b.pipeline_id then 'pipeline_id' end,
    case when a.recurring_value is distinct from b.recurring_value then 'recurring_value' end,
    case when a.source is distinct from b.source then 'source' end,
    case when a.stage_changed_at is distinct from b.stage_changed_at then 'stage_changed_at' end,
    case when a.stage_id is distinct from b.stage_id then 'stage_id' end,
    case when a.status is distinct from b.status then 'status' end,
    case when a.title is distinct from b.title then 'title' end,
    case when a.utm is distinct from b.utm then 'utm' end,
    case when a.value is distinct from b.value then 'value' end,
    case when a.won_at is distinct from b.won_at then 'won_at' end
  ], null)
$$;
comment on function crm.changed_fields(crm.deals, crm.deals) is
  'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and '
  'without those that are computed.';

create index deals_status on crm.deals (workspace_id, status, id);
create index deals_pipeline_id on crm.deals (workspace_id, pipeline_id, id);
create index deals_stage_id on crm.deals (workspace_id, stage_id, id);
create index deals_contact_id on crm.deals (workspace_id, contact_id, id);
create index deals_company_id on crm.deals (workspace_id, company_id, id);
create index deals_owner_id on crm.deals (workspace_id, owner_id, id);
create index deals_external_id on crm.deals (workspace_id, external_id, id);
create index deals_updated_at on crm.deals (workspace_id, updated_at, id);

create function crm.deal_list_by(
  p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250, out ids uuid[], out next_id uuid
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- As in api.deal_list. The few sorts that are left would count as expensive enough to compile.
set enable_sort = off
set jit = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_status text := p_args ->> 'status';
  v_pipeline_id uuid := (p_args ->> 'pipeline_id')::uuid;
  v_stage_id uuid := (p_args ->> 'stage_id')::uuid;
  v_contact_id uuid := (p_args ->> 'contact_id')::uuid;
  v_company_id uuid := (p_args ->> 'company_id')::uuid;
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_ranges text[] := array_remove(array[
    case when p_args ?| array['updated_since'] then 'updated_at' end
  ], null);
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_range text;
  v_in_range uuid[];
  -- Whether no other filter was sent, so that all rows in the range match.
  v_alone boolean;
  v_newer integer;
begin
  -- By the equality with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'status' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.status, t.id) < (v_status, p_before)
        and (t.status, t.id) >= (v_status, p_from)
      order by t.status desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_status is not null
    union all
    select 'pipeline_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.pipeline_id, t.id) < (v_pipeline_id, p_before)
        and (t.pipeline_id, t.id) >= (v_pipeline_id, p_from)
      order by t.pipeline_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_pipeline_id is not null
    union all
    select 'stage_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.stage_id, t.id) < (v_stage_id, p_before)
        and (t.stage_id, t.id) >= (v_stage_id, p_from)
      order by t.stage_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_stage_id is not null
    union all
    select 'contact_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.contact_id, t.id) < (v_contact_id, p_before)
        and (t.contact_id, t.id) >= (v_contact_id, p_from)
      order by t.contact_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_contact_id is not null
    union all
    select 'company_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.company_id, t.id) < (v_company_id, p_before)
        and (t.company_id, t.id) >= (v_company_id, p_from)
      order by t.company_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_company_id is not null
    union all
    select 'owner_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < (v_owner_id, p_before)
        and (t.owner_id, t.id) >= (v_owner_id, p_from)
      order by t.owner_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_owner_id is not null
    union all
    select 'external_id' as name, (
      select t.id from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.external_id, t.id) < (v_external_id, p_before)
        and (t.external_id, t.id) >= (v_external_id, p_from)
      order by t.external_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_external_id is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  ids := '{}';
  for v_round in 1 .. 2 loop
    select array_agg(t.id), array_agg(t.id) filter (
      where (v_status is null or t.status = v_status)
        and (v_pipeline_id is null or t.pipeline_id = v_pipeline_id)
        and (v_stage_id is null or t.stage_id = v_stage_id)
        and (v_contact_id is null or t.contact_id = v_contact_id)
        and (v_company_id is null or t.company_id = v_company_id)
        and (v_owner_id is null or t.owner_id = v_owner_id)
        and (v_external_id is null or t.external_id = v_external_id)
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
    )
    into v_walked, v_matches
    from (
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.updated_at from crm.deals t
        where v_by = 'all' and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.updated_at from crm.deals t
        where v_by = 'status' and t.workspace_id = crm.current_workspace_id()
          and (t.status, t.id) < (v_status, v_before)
          and (t.status, t.id) >= (v_status, p_from)
        order by t.status desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.updated_at from crm.deals t
        where v_by = 'pipeline_id' and t.workspace_id = crm.current_workspace_id()
          and (t.pipeline_id, t.id) < (v_pipeline_id, v_before)
          and (t.pipeline_id, t.id) >= (v_pipeline_id, p_from)
        order by t.pipeline_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.updated_at from crm.deals t
        where v_by = 'stage_id' and t.workspace_id = crm.current_workspace_id()
          and (t.stage_id, t.id) < (v_stage_id, v_before)
          and (t.stage_id, t.id) >= (v_stage_id, p_from)
        order by t.stage_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.updated_at from crm.deals t
        where v_by = 'contact_id' and t.workspace_id = crm.current_workspace_id()
          and (t.contact_id, t.id) < (v_contact_id, v_before)
          and (t.contact_id, t.id) >= (v_contact_id, p_from)
        order by t.contact_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.updated_at from crm.deals t
        where v_by = 'company_id' and t.workspace_id = crm.current_workspace_id()
          and (t.company_id, t.id) < (v_company_id, v_before)
          and (t.company_id, t.id) >= (v_company_id, p_from)
        order by t.company_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.updated_at from crm.deals t
        where v_by = 'owner_id' and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and (t.owner_id, t.id) >= (v_owner_id, p_from)
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.updated_at from crm.deals t
        where v_by = 'external_id' and t.workspace_id = crm.current_workspace_id()
          and (t.external_id, t.id) < (v_external_id, v_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.status, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id, t.external_id, t.updated_at
        from unnest(v_in_range[:v_rows]) with ordinality chosen (id, position)
        join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        where v_by = 'range'
        order by chosen.position
      )
    ) t;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    v_rows := 4 * p_step;
    -- Few rows of the first round match. A range of few rows is walked instead, if it has no more rows where the first
    -- round was.
    foreach v_range in array v_ranges loop
      case v_range
        when 'updated_at' then
          v_alone := p_args - '{limit,cursor,since,updated_since}'::text[] = '{}';
          v_in_range := array(
            select t.id from crm.deals t
            where t.workspace_id = crm.current_workspace_id()
              and t.updated_at >= v_updated_since
            order by t.updated_at desc
            limit 10 * p_step + 1
          );
      end case;
      continue when cardinality(v_in_range) > 10 * p_step;
      select array_agg(r.id order by r.id desc) filter (where r.id < v_before),
        count(*) filter (where r.id >= v_before and r.id < p_before)
      into v_in_range, v_newer
      from unnest(v_in_range) r (id)
      where r.id >= p_from;
      if v_newer <= p_step then
        if v_alone then
          ids := ids || v_in_range[:v_limit + 1];
          next_id := null;
          return;
        end if;
        v_by := 'range';
        exit;
      end if;
    end loop;
  end loop;
end
$$;
comment on function crm.deal_list_by(jsonb, uuid, uuid, integer) is
  'The ids of a page of api.deal_list, more than its limit if there are as many, for any combination of its '
  'filters. It looks through at most 5 * p_step rows; next_id is the last of them if there may be others.';

create function crm.deal_json_if_short(t crm.deals) returns json
language sql stable
as $$
  select case when coalesce(pg_column_size(t.utm), 0) + coalesce(pg_column_size(t.custom_fields), 0) <= 4000
    and pg_column_compression(t.utm) is null
    and pg_column_compression(t.custom_fields) is null
    then crm.deal_json(t)
  end
$$;
comment on function crm.deal_json_if_short(crm.deals) is
  'crm.deal_json, or null if the row may be long: crm.deal_page makes those, so that a page can end before '
  'them.';

create function crm.deal_page(p_ids uuid[], p_records json[]) returns json[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_record json;
  v_records json[];
  v_bytes integer := 0;
begin
  for v_position in 1 .. cardinality(p_ids) loop
    v_record := p_records[v_position];
    if v_record is null then
      select crm.deal_json(t) into v_record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
    end if;
    v_bytes := v_bytes + pg_column_size(v_record);
    -- One record is shown however long it is, because the next page would begin with it again.
    exit when v_bytes > crm.max_page_bytes() and v_position > 1;
    v_records := v_records || v_record;
  end loop;
  return v_records;
end
$$;
comment on function crm.deal_page(uuid[], json[]) is
  'The records of a page that may be too long: those that are null are made one by one, until the page has '
  'its maximum of bytes.';

create function api.deal_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
-- The planner estimates more rows for an unknown limit than any page has, and would therefore plan at every call.
set plan_cache_mode = 'force_generic_plan'
-- Every list is read in the order of an index. The planner has statistics only of all workspaces together, and would
-- often read and sort all rows of a workspace instead.
set enable_sort = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since}'::text[];
  v_ids uuid[];
  v_next_id uuid;
  v_records json[];
  v_complete boolean;
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  -- Each filter has its own statement with its own cached plan: one statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.deal_json_if_short(t) as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < v_before
        and t.id >= v_from
      order by t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'status' = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.deal_json_if_short(t) as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.status, t.id) < (p_args ->> 'status', v_before)
        and (t.status, t.id) >= (p_args ->> 'status', v_from)
      order by t.status desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'pipeline_id' = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.deal_json_if_short(t) as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.pipeline_id, t.id) < ((p_args ->> 'pipeline_id')::uuid, v_before)
        and (t.pipeline_id, t.id) >= ((p_args ->> 'pipeline_id')::uuid, v_from)
      order by t.pipeline_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'stage_id' = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.deal_json_if_short(t) as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.stage_id, t.id) < ((p_args ->> 'stage_id')::uuid, v_before)
        and (t.stage_id, t.id) >= ((p_args ->> 'stage_id')::uuid, v_from)
      order by t.stage_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'contact_id' = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.deal_json_if_short(t) as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.contact_id, t.id) < ((p_args ->> 'contact_id')::uuid, v_before)
        and (t.contact_id, t.id) >= ((p_args ->> 'contact_id')::uuid, v_from)
      order by t.contact_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'company_id' = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.deal_json_if_short(t) as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.company_id, t.id) < ((p_args ->> 'company_id')::uuid, v_before)
        and (t.company_id, t.id) >= ((p_args ->> 'company_id')::uuid, v_from)
      order by t.company_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.deal_json_if_short(t) as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < ((p_args ->> 'owner_id')::uuid, v_before)
        and (t.owner_id, t.id) >= ((p_args ->> 'owner_id')::uuid, v_from)
      order by t.owner_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.deal_json_if_short(t) as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id()
        and (t.external_id, t.id) < (p_args ->> 'external_id', v_before)
        and (t.external_id, t.id) >= (p_args ->> 'external_id', v_from)
      order by t.external_id desc, t.id desc
      limit v_limit + 1
    ) page;
  else
    select page.ids, page.next_id into v_ids, v_next_id
    from crm.deal_list_by(p_args, v_before, v_from) page;
    select array_agg(page.record), count(page.record) = count(*) into v_records, v_complete
    from (
      select crm.deal_json_if_short(t) as record
      from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
      join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
      order by chosen.position
    ) page;
  end if;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_ids := v_ids[:v_limit];
    v_records := v_records[:v_limit];
  end if;
  if not v_complete or pg_column_size(v_records) > crm.max_page_bytes() then
    v_records := crm.deal_page(v_ids, v_records);
    if cardinality(v_records) < cardinality(v_ids) then
      v_next_id := v_ids[cardinality(v_records)];
    end if;
  end if;
  return crm.page(v_records, v_next_id);
end
$$;
comment on function api.deal_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
-- end of what is written

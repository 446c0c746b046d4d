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

create index deals_status on crm.deals (workspace_id, status, id);
create index deals_pipeline_id on crm.deals (workspace_id, pipeline_id, id);
create index deals_stage_id on crm.deals (workspace_id, stage_id, id);
create index deals_contact_id on crm.deals (workspace_id, contact_id, id);
create index deals_company_id on crm.deals (workspace_id, company_id, id);
create index deals_owner_id on crm.deals (workspace_id, owner_id, id);
create index deals_external_id on crm.deals (workspace_id, external_id, id);
create index deals_updated_at on crm.deals (workspace_id, updated_at, id);

create function crm.deal_list_by(p_args jsonb, p_before uuid, out ids uuid[], out records json[])
language plpgsql stable
set search_path = ''
-- Planned for the values of each call: conditions of absent filters are removed, and the bound of a range decides the
-- index.
set plan_cache_mode = 'force_custom_plan'
set enable_bitmapscan = off
as $$
begin
  select array_agg(page.id), array_agg(page.record) into ids, records
  from (
    select t.id, crm.deal_json(t) as record from crm.deals t
    where t.workspace_id = crm.current_workspace_id() and t.id < p_before
      and (not p_args ? 'status' or t.status = p_args ->> 'status')
      and (not p_args ? 'pipeline_id' or t.pipeline_id = (p_args ->> 'pipeline_id')::uuid)
      and (not p_args ? 'stage_id' or t.stage_id = (p_args ->> 'stage_id')::uuid)
      and (not p_args ? 'contact_id' or t.contact_id = (p_args ->> 'contact_id')::uuid)
      and (not p_args ? 'company_id' or t.company_id = (p_args ->> 'company_id')::uuid)
      and (not p_args ? 'owner_id' or t.owner_id = (p_args ->> 'owner_id')::uuid)
      and (not p_args ? 'external_id' or t.external_id = p_args ->> 'external_id')
      and (not p_args ? 'since' or t.id >= crm.uuid_v7_floor((p_args ->> 'since')::timestamptz))
      and (not p_args ? 'updated_since' or t.updated_at >= (p_args ->> 'updated_since')::timestamptz)
    order by t.id desc
    limit (p_args ->> 'limit')::integer + 1
  ) page;
end
$$;
comment on function crm.deal_list_by(jsonb, uuid) is
  'The ids and records of a page of api.deal_list, for any combination of its filters.';

create function api.deal_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
-- The planner estimates more rows for an unknown limit than any page has, and would therefore plan at every call.
set plan_cache_mode = 'force_generic_plan'
-- The index of an equality ends with the id, so that a page is read in its order. The planner has statistics only of
-- all workspaces together, and would often read and sort all rows of a workspace instead.
set enable_bitmapscan = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_ids uuid[];
  v_records json[];
begin
  -- Each filter has its own statement with its own cached plan: one statement for all filters could use no index.
  case crm.filters_of(p_args)
    when '{}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.deal_json(t) as record from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{status}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.deal_json(t) as record from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.status = p_args ->> 'status'
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{pipeline_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.deal_json(t) as record from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.pipeline_id = (p_args ->> 'pipeline_id')::uuid
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{stage_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.deal_json(t) as record from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.stage_id = (p_args ->> 'stage_id')::uuid
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{contact_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.deal_json(t) as record from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.contact_id = (p_args ->> 'contact_id')::uuid
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{company_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.deal_json(t) as record from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.company_id = (p_args ->> 'company_id')::uuid
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{owner_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.deal_json(t) as record from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.owner_id = (p_args ->> 'owner_id')::uuid
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{external_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.deal_json(t) as record from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.external_id = p_args ->> 'external_id'
        order by t.id desc
        limit v_limit + 1
      ) page;
    else
      select page.ids, page.records into v_ids, v_records from crm.deal_list_by(p_args, v_before) page;
  end case;
  return crm.page(v_limit, v_ids, v_records);
end
$$;
comment on function api.deal_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
-- end of what is written

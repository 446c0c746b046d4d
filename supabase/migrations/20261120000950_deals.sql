-- Deals: the table, its public JSON, its verbs.

create table crm.loss_reasons (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  name text not null check (char_length(name) between 1 and 255),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table crm.loss_reasons is 'Why deals are lost, in the words of a workspace.';
call crm.protect('crm.loss_reasons');
grant select on crm.loss_reasons to crm_api;
create trigger touch before update on crm.loss_reasons for each row execute function crm.touch();

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
  stage_changed_at timestamptz not null default now(),
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
comment on column crm.deals.external_id is
  'The caller''s own id, for finding the deal again. Not unique: what makes a lead idempotent is crm.lead_receipts.';
create index deals_status on crm.deals (workspace_id, status, id);
create index deals_pipeline on crm.deals (workspace_id, pipeline_id, id);
create index deals_stage on crm.deals (workspace_id, stage_id, id);
create index deals_owner on crm.deals (workspace_id, owner_id, id);
create index deals_contact on crm.deals (workspace_id, contact_id, id);
create index deals_company on crm.deals (workspace_id, company_id, id);
create index deals_external on crm.deals (workspace_id, external_id, id);
create index deals_updated on crm.deals (workspace_id, updated_at, id);
call crm.protect('crm.deals');
grant select, insert, update on crm.deals to crm_api;
create trigger touch before update on crm.deals for each row execute function crm.touch();

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
comment on type api.deal is 'Public JSON of a deal.';

create function crm.deal_json(d crm.deals) returns json
language sql stable
as $$
  select to_json(row(
    d.id, d.workspace_id, d.title, d.status, d.value, d.recurring_value, d.pipeline_id, d.stage_id,
    d.contact_id, d.company_id, d.owner_id, d.expected_close_date, d.loss_reason_id, d.loss_note, d.source,
    d.utm, d.custom_fields, d.external_id, crm.iso(d.stage_changed_at), crm.iso(d.last_activity_at),
    crm.iso(d.won_at), crm.iso(d.lost_at), crm.iso(d.closed_at), crm.iso(d.created_at), crm.iso(d.updated_at)
  )::api.deal)
$$;
comment on function crm.deal_json(crm.deals) is 'As api.deal, in JSON: everywhere that a deal is shown.';

create function crm.deal_moments() returns trigger
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
comment on function crm.deal_moments() is
  'Keeps stage_changed_at, won_at, lost_at, closed_at and the loss fields true whoever writes, the API or the application.';

create trigger deal_moments before update on crm.deals
  for each row when (old.stage_id is distinct from new.stage_id or old.status is distinct from new.status)
  execute function crm.deal_moments();

create function crm.deal_locked(p_id uuid) returns crm.deals
language plpgsql
set search_path = ''
as $$
declare
  v_deal crm.deals;
begin
  -- No key update: notes and activities of the deal can be added meanwhile.
  select * into v_deal from crm.deals d
  where d.workspace_id = crm.current_workspace_id() and d.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  return v_deal;
end
$$;
comment on function crm.deal_locked(uuid) is
  'The deal, held until the transaction ends so that changes to it take turns; raises not_found.';

call crm.define_list('deal_list', 'crm.deals', 'crm.deal_json', jsonb_build_object(
  'status', 't.status = $1 ->> ''status''',
  'pipeline_id', 't.pipeline_id = ($1 ->> ''pipeline_id'')::uuid',
  'stage_id', 't.stage_id = ($1 ->> ''stage_id'')::uuid',
  'owner_id', 't.owner_id = ($1 ->> ''owner_id'')::uuid',
  'contact_id', 't.contact_id = ($1 ->> ''contact_id'')::uuid',
  'company_id', 't.company_id = ($1 ->> ''company_id'')::uuid',
  'external_id', 't.external_id = $1 ->> ''external_id'''
));

create function api.deal_get(p_args jsonb) returns json
-- plpgsql: the table of activities comes in a later migration.
language plpgsql stable
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_deal crm.deals;
begin
  select * into v_deal from crm.deals d
  where d.workspace_id = v_workspace_id and d.id = (p_args ->> 'id')::uuid;
  if not found then
    perform api.fail('not_found');
  end if;
  return crm.with_fields(crm.deal_json(v_deal), json_build_object(
    'contact', (
      select crm.contact_json(c) from crm.contacts c
      where c.workspace_id = v_workspace_id and c.id = v_deal.contact_id
    ),
    'company', (
      select crm.company_json(c) from crm.companies c
      where c.workspace_id = v_workspace_id and c.id = v_deal.company_id
    ),
    'last_activity', (
      select crm.activity_json(a) from crm.activities a
      where a.workspace_id = v_workspace_id and a.deal_id = v_deal.id
      order by a.id desc
      limit 1
    )
  ));
end
$$;
comment on function api.deal_get(jsonb) is
  'One deal with its contact, its company and the activity created last, or not_found (spec 4.6).';

create function api.deal_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_deal crm.deals := jsonb_populate_record(null::crm.deals, p_args);
  v_place record;
begin
  perform crm.check_references(p_args);
  v_place := crm.place(v_deal.pipeline_id, v_deal.stage_id);
  insert into crm.deals as d (
    workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
    expected_close_date, source, utm, custom_fields, external_id
  )
  values (
    v_workspace_id,
    coalesce(
      v_deal.title,
      (select c.name from crm.contacts c where c.workspace_id = v_workspace_id and c.id = v_deal.contact_id),
      (select c.name from crm.companies c where c.workspace_id = v_workspace_id and c.id = v_deal.company_id)
    ),
    v_deal.value, v_deal.recurring_value, v_place.pipeline_id, v_place.stage_id, v_deal.contact_id, v_deal.company_id,
    crm.owner_or_default(v_deal.owner_id), v_deal.expected_close_date, v_deal.source, v_deal.utm,
    v_deal.custom_fields, v_deal.external_id
  )
  returning d.* into v_deal;
  return crm.deal_json(v_deal);
end
$$;
comment on function api.deal_create(jsonb) is
  'Creates a deal and returns it. Raises invalid_reference, no_owner_available, and what crm.place raises (spec 4.6).';

create function api.deal_update(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_deal crm.deals := crm.deal_locked((p_args ->> 'id')::uuid);
  v_changes jsonb := crm.changes(to_jsonb(v_deal), p_args);
  v_place record;
begin
  -- A PATCH that changes nothing is no change, to a feed by updated_since least of all.
  if v_changes = '{}' then
    return crm.deal_json(v_deal);
  end if;
  -- A closed deal may be sent back as it was read; closing one has facts of its own, so it has an action of its own.
  if v_changes ->> 'status' <> 'aberto' then
    perform api.fail('validation_error', array['status'], format(
      'Use POST /api-v1-deals/%s/%s', v_deal.id, case v_changes ->> 'status' when 'ganho' then 'win' else 'lose' end
    ));
  end if;
  perform crm.check_references(v_changes);
  v_place := crm.deal_place(v_deal, (p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid);
  v_deal := jsonb_populate_record(v_deal, v_changes);
  update crm.deals d
  set (
    title, status, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
    expected_close_date, source, utm, custom_fields
  ) = (
    v_deal.title, v_deal.status, v_deal.value, v_deal.recurring_value, v_place.pipeline_id, v_place.stage_id,
    v_deal.contact_id, v_deal.company_id, crm.owner_or_default(v_deal.owner_id), v_deal.expected_close_date,
    v_deal.source, v_deal.utm, v_deal.custom_fields
  )
  where d.workspace_id = v_deal.workspace_id and d.id = v_deal.id
  returning * into v_deal;
  return crm.deal_json(v_deal);
end
$$;
comment on function api.deal_update(jsonb) is
  'Changes what was sent and clears what was sent as null. A stage goes the same way as in deal_move_stage; status '
  '`aberto` reopens, any other new status is a validation_error that names the action (spec 4.6).';

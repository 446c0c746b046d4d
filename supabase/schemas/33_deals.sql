-- Deals: the table, its triggers and verbs. `deno task records` writes the plain SQL into 33_deals_written.sql.

create domain crm.deal_status as text check (value in ('aberto', 'ganho', 'perdido'));
comment on domain crm.deal_status is 'Whether a deal is open, won or lost.';

create table crm.deals (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  title crm.record_name not null,
  status crm.deal_status not null default 'aberto',
  value crm.amount,
  recurring_value crm.amount,
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
  external_id crm.external_id,
  lead jsonb,
  stage_changed_at timestamptz not null default now(),
  moved_at timestamptz not null default now(),
  stale_reported_for timestamptz,
  -- A generated column instead of a condition in the query, so that the planner has statistics on how few rows qualify.
  stale_unreported_since timestamptz generated always as (
    case
      when status = 'aberto' and archived_at is null and stale_reported_for is distinct from moved_at then moved_at
    end
  ) stored,
  last_activity_at timestamptz,
  won_at timestamptz,
  lost_at timestamptz,
  closed_at timestamptz,
  archived_at timestamptz,
  lead_contact_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  tags text[],
  primary key (workspace_id, id),
  foreign key (workspace_id, pipeline_id, stage_id) references crm.stages (workspace_id, pipeline_id, id),
  foreign key (workspace_id, contact_id) references crm.contacts (workspace_id, id),
  foreign key (workspace_id, company_id) references crm.companies (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id),
  foreign key (workspace_id, loss_reason_id) references crm.loss_reasons (workspace_id, id)
);
comment on table crm.deals is 'Sales in progress or closed.';
comment on column crm.deals.moved_at is
  'When the deal last moved: it was changed, one of its activities was created or changed, or a note or another '
  'contact was added. updated_at cannot show this, because a note changes no field of the deal.';
comment on column crm.deals.stale_reported_for is
  'The moved_at for which deal.stale was last emitted. After the deal has moved, the event can be emitted again.';
comment on column crm.deals.stale_unreported_since is
  'moved_at of an open, unarchived deal for which deal.stale has not been emitted since it moved; otherwise null.';
comment on column crm.deals.external_id is
  'The caller''s own id for the deal. Leads do not need it to be unique: crm.lead_receipts makes them idempotent.';
comment on column crm.deals.lead is
  'The body of the call to POST leads that created the deal; null for any other deal. Later changes of the deal or its '
  'contact do not change it. Inserting a deal with a lead emits lead.received.';
comment on column crm.deals.lead_contact_id is
  'The contact who sent the lead, set when the deal gets another contact; null before that. Erasing this person '
  'erases the lead too. The id stays even if the contact is merged.';
create index deals_lead_contact on crm.deals (workspace_id, lead_contact_id) where lead_contact_id is not null;
create index deals_stale on crm.deals (workspace_id, stale_unreported_since) where stale_unreported_since is not null;
-- For the funnel (app.funnel_get). A closed deal stays in its stage: without this index, the funnel would read all
-- closed deals of a stage to find the open deals.
create index deals_open on crm.deals (workspace_id, stage_id, id) where status = 'aberto' and archived_at is null;
create index deals_closed on crm.deals (workspace_id, pipeline_id, status, closed_at, id)
  where closed_at is not null and archived_at is null;
-- For the filters closed_since and closed_until. Open deals are not in the index, so creating or changing an open deal
-- writes no entry. The ids descend, so that this index does not serve a query for closed deals of one status in the
-- order of closed_at and id: Postgres would read this index to its end instead of using deals_closed.
create index deals_closed_at on crm.deals (workspace_id, closed_at, id desc) where closed_at is not null;
call crm.protect('crm.deals');

create function crm.keep_lead_contact() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.lead_contact_id := old.contact_id;
  return new;
end
$$;
comment on function crm.keep_lead_contact() is
  'Trigger: keeps the contact who sent the lead when the deal gets another contact.';

create trigger keep_lead_contact before update of contact_id on crm.deals
  for each row when (
    old.lead is not null and old.lead_contact_id is null and old.contact_id is distinct from new.contact_id
  )
  execute function crm.keep_lead_contact();

create function crm.touch_deal() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- An update that only records deal.stale or a movement (crm.set_moved_at) changes no field that clients see.
  if new.stale_reported_for is not distinct from old.stale_reported_for and new.moved_at = old.moved_at then
    new.updated_at := now();
    new.moved_at := now();
  end if;
  return new;
end
$$;
comment on function crm.touch_deal() is 'Trigger: sets updated_at and moved_at when the deal''s own fields change.';

create trigger touch before update on crm.deals for each row execute function crm.touch_deal();

create function crm.set_moved_at() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- A second note in the same transaction must not update the deal: the note would write the same moved_at, and
  -- crm.touch_deal would take the update for a change of the deal's fields.
  update crm.deals d set moved_at = now()
  where d.workspace_id = new.workspace_id and d.id = new.deal_id and d.moved_at < now();
  return null;
end
$$;
comment on function crm.set_moved_at() is 'Trigger for notes, activities, further contacts: sets moved_at on the deal.';

create function crm.set_deal_moments() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.stage_id is distinct from old.stage_id then new.stage_changed_at := now(); end if;
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

-- Verbs of deals (spec 3, 4.6): get, create, update, move stage, reassign, win, lose. The triggers in 50_emission*.sql
-- emit their events.

create function crm.deal_detail_json(p_deal crm.deals) returns json
language plpgsql stable set search_path = '' as $$
begin
  return crm.with_fields(crm.deal_json(p_deal), json_build_object(
    'contact', (
      select crm.contact_json(c) from crm.contacts c
      where c.workspace_id = p_deal.workspace_id and c.id = p_deal.contact_id
    ),
    'company', (
      select crm.company_json(c) from crm.companies c
      where c.workspace_id = p_deal.workspace_id and c.id = p_deal.company_id
    ),
    'last_activity', (
      select crm.activity_json(a) from crm.activities a
      where a.workspace_id = p_deal.workspace_id and a.deal_id = p_deal.id
      order by a.id desc limit 1
    ),
    'lead', p_deal.lead
  ));
end
$$;
comment on function crm.deal_detail_json(crm.deals) is
  'A deal as GET /:id shows it: with its contact, its company, its newest activity, and the lead''s body.';

create function api.deal_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_deal crm.deals;
  v_json json;
begin
  select * into v_deal from crm.deals d
  where d.workspace_id = crm.current_workspace_id() and d.id = (p_args ->> 'id')::uuid;
  if not found then perform api.fail('not_found'); end if;
  v_json := crm.expanded(crm.deal_detail_json(v_deal), (p_args -> 'expand') - '{contact,company,contacts}'::text[]);
  return case
    when p_args -> 'expand' ? 'contacts'
      then crm.with_fields(v_json, json_build_object('contacts', crm.deal_contacts_json(v_deal)))
    else v_json
  end;
end
$$;
comment on function api.deal_get(jsonb) is
  'Returns one deal with its contact, its company, its newest activity, and the lead''s body if POST leads created '
  'it; with expand=contacts also with all its contacts. Raises not_found (spec 4.6).';

create function crm.deal_new(p_args jsonb) returns crm.deals
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals := jsonb_populate_record(
    null::crm.deals, crm.require_references(crm.checked_values('deal', p_args))
  );
begin
  select p.pipeline_id, p.stage_id into v_deal.pipeline_id, v_deal.stage_id
  from crm.choose_stage(v_deal.pipeline_id, v_deal.stage_id) p;
  v_deal.owner_id := crm.owner_or_default(v_deal.owner_id);
  if v_deal.title is null then
    v_deal.title := coalesce(
      (
        select c.name from crm.contacts c
        where c.workspace_id = crm.current_workspace_id() and c.id = v_deal.contact_id
      ),
      (
        select c.name from crm.companies c
        where c.workspace_id = crm.current_workspace_id() and c.id = v_deal.company_id
      )
    );
  end if;
  return v_deal;
end
$$;
comment on function crm.deal_new(jsonb) is
  'The deal to insert; its default title is the name of its contact, otherwise of its company. Raises '
  'invalid_reference, no_owner_available and the codes of crm.checked_values and crm.choose_stage (spec 4.6).';

create function api.deal_create(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ declare t crm.deals := crm.deal_insert(crm.deal_new(p_args)); begin return crm.deal_json(t); end $$;
comment on function api.deal_create(jsonb) is 'Creates a deal and returns it. Raises the codes of crm.deal_new.';

create function crm.choose_stage_for_move(
  p_deal crm.deals, p_pipeline_id uuid, p_stage_id uuid, out pipeline_id uuid, out stage_id uuid
)
language plpgsql stable set search_path = '' as $$
begin
  pipeline_id := coalesce(p_pipeline_id, p_deal.pipeline_id);
  stage_id := p_stage_id;
  -- An unchanged stage is not checked again: it may have been deactivated since.
  if pipeline_id = p_deal.pipeline_id and stage_id = p_deal.stage_id then return; end if;
  if pipeline_id <> p_deal.pipeline_id then perform crm.require_active_pipeline(pipeline_id); end if;
  perform crm.require_active_stage(pipeline_id, stage_id);
end
$$;
comment on function crm.choose_stage_for_move(crm.deals, uuid, uuid) is
  'The pipeline and stage for a call that names a stage of the workspace, and optionally its pipeline. Raises '
  'pipeline_not_found, stage_not_found.';

create function api.deal_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals;
  v_changes jsonb;
  v_pipeline_id uuid := p_args ->> 'pipeline_id';
  v_stage_id uuid := p_args ->> 'stage_id';
  v_target record;
begin
  if p_args ?| '{company_id,contact_id}' then
    perform crm.lock_referred(array[(p_args ->> 'company_id')::uuid], array[(p_args ->> 'contact_id')::uuid]);
  end if;
  v_deal := crm.deal_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes := crm.changes('deal', to_jsonb(v_deal), p_args);
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes = '{}' then return crm.deal_json(v_deal); end if;
  -- A client may send back the status that it read, or reopen the deal. Closing a deal needs more than a status, so the
  -- statuses ganho and perdido are refused, and the error names the action to use.
  if v_changes ->> 'status' <> 'aberto' then
    perform api.fail('validation_error', array['status'], format(
      case when v_deal.status <> 'aberto' then 'Reabra o negócio com o status aberto; depois, use' else 'Use' end
        || ' POST /api-v1-deals/%s/%s',
      v_deal.id, case v_changes ->> 'status' when 'ganho' then 'win' else 'lose' end
    ));
  end if;
  v_changes := crm.require_references(v_changes);
  if v_stage_id is null and v_pipeline_id <> v_deal.pipeline_id then
    -- Without a stage, the deal enters the first active stage of the other pipeline.
    select crm.require_active_pipeline(v_pipeline_id) as pipeline_id, crm.first_stage(v_pipeline_id) as stage_id
    into v_target;
  else
    v_target := crm.choose_stage_for_move(v_deal, v_pipeline_id, coalesce(v_stage_id, v_deal.stage_id));
  end if;
  v_deal := jsonb_populate_record(v_deal, v_changes);
  v_deal.pipeline_id := v_target.pipeline_id;
  v_deal.stage_id := v_target.stage_id;
  v_deal.owner_id := crm.owner_or_default(v_deal.owner_id);
  v_deal := crm.deal_save(v_deal);
  return crm.deal_json(v_deal);
end
$$;
comment on function api.deal_update(jsonb) is
  'Changes the fields sent; null clears a field. A stage is checked as in deal_move_stage. The status `aberto` '
  'reopens the deal; any other new status is a validation_error that names the action to use (spec 4.6).';

create function crm.deal_action_json(p_deal crm.deals, p_idempotent boolean) returns json
language sql stable
as $$ select crm.with_fields(crm.deal_json(p_deal), json_build_object('idempotent', p_idempotent)) $$;
comment on function crm.deal_action_json(crm.deals, boolean) is
  'The reply to an action: the deal, and `idempotent`: whether the action changed nothing.';

create function api.deal_move_stage(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
  v_target record;
begin
  p_args := crm.require_references(p_args);
  v_target := crm.choose_stage_for_move(v_deal, (p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid);
  if v_target.stage_id = v_deal.stage_id then return crm.deal_action_json(v_deal, true); end if;
  v_deal.pipeline_id := v_target.pipeline_id;
  v_deal.stage_id := v_target.stage_id;
  v_deal := crm.deal_save(v_deal);
  return crm.deal_action_json(v_deal, false);
end
$$;
comment on function api.deal_move_stage(jsonb) is
  'Moves an open or closed deal to another stage and keeps its status. Raises invalid_reference for a stage of another '
  'workspace, otherwise the codes of crm.choose_stage_for_move (spec 3).';

create function api.deal_reassign(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_from uuid := p_args ->> 'from_owner_id';
  v_to uuid := p_args ->> 'to_owner_id';
  v_ids uuid[];
  v_next_id uuid;
  v_count integer;
begin
  if not exists (select from crm.members m where m.workspace_id = v_workspace_id and m.id = v_from) then
    perform api.fail('invalid_reference', array['from_owner_id']);
  end if;
  if not exists (select from crm.members m where m.workspace_id = v_workspace_id and m.id = v_to and m.is_active) then
    perform api.fail('invalid_reference', array['to_owner_id']);
  end if;
  select l.ids, l.next_id into v_ids, v_next_id
  from crm.list_by(
    'deal',
    jsonb_strip_nulls(jsonb_build_object(
      'limit', 1000, 'owner_id', v_from,
      'status', case when p_args ->> 'status' is not null then jsonb_build_array(p_args -> 'status') end
    )),
    coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff')::uuid, '00000000-0000-0000-0000-000000000000',
    1000
  ) l;
  if cardinality(v_ids) > 1000 then v_next_id := v_ids[1000]; end if;
  v_ids := v_ids[:1000];
  if p_args -> 'dry_run' is not distinct from 'true' then
    v_count := case when v_from <> v_to then cardinality(v_ids) else 0 end;
  else
    -- Every call that locks several deals locks them in order of id, so that two such calls cannot deadlock.
    perform from crm.deals d where d.workspace_id = v_workspace_id and d.id = any (v_ids) order by d.id for no key update;
    update crm.deals d set owner_id = v_to
    where d.workspace_id = v_workspace_id and d.id = any (v_ids) and d.owner_id = v_from and v_from <> v_to
      and d.status = coalesce(p_args ->> 'status', d.status);
    get diagnostics v_count = row_count;
  end if;
  return json_build_object(
    'count', v_count, 'dry_run', p_args -> 'dry_run' is not distinct from 'true',
    'meta', json_build_object('next_cursor', v_next_id, 'has_more', v_next_id is not null)
  );
end
$$;
comment on function api.deal_reassign(jsonb) is
  'Gives one member''s unarchived deals, or only those with `status`, to an active member: the newest 1,000, or with '
  '`cursor` the next 1,000. Each changed deal emits deal.updated. Raises invalid_reference.';

create function api.deal_win(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
begin
  -- A closed deal stays won or lost.
  if v_deal.status <> 'aberto' then return crm.deal_action_json(v_deal, true); end if;
  v_deal := jsonb_populate_record(v_deal, jsonb_strip_nulls(p_args));
  v_deal.status := 'ganho';
  v_deal := crm.deal_save(v_deal);
  return crm.deal_action_json(v_deal, false);
end
$$;
comment on function api.deal_win(jsonb) is 'Marks an open deal as won, with final amounts if sent (spec 3).';

create function api.deal_lose(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
begin
  if v_deal.status <> 'aberto' then return crm.deal_action_json(v_deal, true); end if;
  v_deal := jsonb_populate_record(v_deal, crm.require_references(p_args));
  v_deal.status := 'perdido';
  v_deal := crm.deal_save(v_deal);
  return crm.deal_action_json(v_deal, false);
end
$$;
comment on function api.deal_lose(jsonb) is
  'Marks an open deal as lost, with a reason and a note if they are sent. Raises invalid_reference (spec 3).';

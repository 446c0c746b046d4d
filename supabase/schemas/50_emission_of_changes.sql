-- The triggers that emit the events of changed records (spec 6.1). 50_emission.sql says why they are security definer.

create function crm.emit_stage_changed() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.emit(
    new.workspace_id, 'deal.stage_changed', new.id,
    jsonb_build_object('previous_stage_id', old.stage_id, 'previous_pipeline_id', old.pipeline_id)
  );
  return null;
end
$$;
comment on function crm.emit_stage_changed() is
  'Trigger: emits deal.stage_changed with the previous stage and pipeline.';

create trigger emit_stage_changed after update of stage_id on crm.deals
  for each row when (old.stage_id is distinct from new.stage_id)
  execute function crm.emit_stage_changed();

create trigger emit_closed_lost after update of status on crm.deals
  for each row when (old.status is distinct from new.status and new.status = 'perdido')
  execute function crm.emit_event('deal.lost');
create trigger emit_closed_won after update of status on crm.deals
  for each row when (old.status is distinct from new.status and new.status = 'ganho')
  execute function crm.emit_event('deal.won');

-- Every change of a public field emits `updated`, even if a more specific event reports the change too: a win emits
-- deal.won and deal.updated. So a receiver that keeps a copy of the records needs only the events `created` and
-- `updated` (docs/decisions/0016-events-feed-change-log.md).

create function crm.changed_fields(p_before jsonb, p_after jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select f.name from unnest(crm.changed_field_names()) f (name)
    where p_before -> f.name is distinct from p_after -> f.name
  );
end
$$;
comment on function crm.changed_fields(jsonb, jsonb) is
  'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and computed '
  'fields. The function looks for the public fields of all records. So a column that clients do not see must not have '
  'the name of another record''s public field.';

create function crm.emit_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_changed_fields text[] := '{}';
begin
  if tg_op = 'UPDATE' then
    v_changed_fields := crm.changed_fields(to_jsonb(old), to_jsonb(new));
    if v_changed_fields = '{}' then return null; end if;
  end if;
  perform crm.emit(
    new.workspace_id, tg_argv[0]::crm.event_type, new.id, jsonb_build_object('changed_fields', v_changed_fields)
  );
  return null;
end
$$;
comment on function crm.emit_change() is
  'Trigger: emits an event of the type in its argument. After an update, the event names the public fields that '
  'changed; if none changed, no event is emitted. After an insert, the event names no fields.';

-- Postgres fires triggers in order of name, so the more specific event comes before `updated`. The conditions on
-- pg_trigger_depth() skip rows that a merge moves, because the merge's trigger emits the events for these rows all at
-- once.
create trigger emit_updated after update on crm.contacts
  for each row when (
    old.* is distinct from new.*
    and (pg_trigger_depth() = 0 or old.company_id is not distinct from new.company_id)
  )
  execute function crm.emit_change('contact.updated');
create trigger emit_updated after update on crm.companies
  for each row when (old.* is distinct from new.*) execute function crm.emit_change('company.updated');
create trigger emit_updated after update on crm.deals
  for each row when (
    old.* is distinct from new.*
    and (
      pg_trigger_depth() = 0
      or (old.contact_id, old.company_id) is not distinct from (new.contact_id, new.company_id)
    )
  )
  execute function crm.emit_change('deal.updated');
create trigger emit_updated after update on crm.activities
  for each row when (
    old.* is distinct from new.*
    and (pg_trigger_depth() = 0 or old.contact_id is not distinct from new.contact_id)
  )
  execute function crm.emit_change('activity.updated');

-- Statement triggers emit the events when contacts are added to or removed from deals. A merge may move hundreds of
-- rows, and a row trigger would emit each event in a subtransaction (crm.emit_for_each).

create function crm.emit_deal_contacts() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_fact text := case tg_argv[0] when 'deal.contact_added' then 'added_contact_id' else 'removed_contact_id' end;
  v_group record;
begin
  for v_group in
    select c.workspace_id, c.contact_id, array_agg(c.deal_id order by c.deal_id) as deal_ids
    from changed c
    join crm.deals d on d.workspace_id = c.workspace_id and d.id = c.deal_id
    -- Deleting the main contact's row removes only the role: the contact stays in the deal.
    where tg_op = 'INSERT' or d.contact_id is distinct from c.contact_id
    group by c.workspace_id, c.contact_id
  loop
    perform crm.emit_for_each(
      v_group.workspace_id, tg_argv[0]::crm.event_type, v_group.deal_ids,
      jsonb_build_object(v_fact, v_group.contact_id)
    );
  end loop;
  return null;
end
$$;
comment on function crm.emit_deal_contacts() is
  'Trigger: emits an event for the deal of each row of the statement. Its argument is the type of the events.';

create function crm.emit_contact_role() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.emit(
    new.workspace_id, 'deal.contact_added', new.deal_id, jsonb_build_object('added_contact_id', new.contact_id)
  );
  return null;
end
$$;
comment on function crm.emit_contact_role() is
  'Trigger: emits deal.contact_added when a contact''s role in a deal changes.';

create trigger emit_added after insert on crm.deal_contacts referencing new table as changed
  for each statement execute function crm.emit_deal_contacts('deal.contact_added');
create trigger emit_removed after delete on crm.deal_contacts referencing old table as changed
  for each statement execute function crm.emit_deal_contacts('deal.contact_removed');
create trigger emit_role after update of role on crm.deal_contacts
  for each row when (old.role is distinct from new.role)
  execute function crm.emit_contact_role();

create trigger emit_reopened after update of status on crm.deals
  for each row when (old.status is distinct from new.status and new.status = 'aberto')
  execute function crm.emit_change('deal.reopened');

create trigger emit_completed after update of status on crm.activities
  for each row when (old.status is distinct from new.status and new.status = 'concluida')
  execute function crm.emit_change('activity.completed');
-- An activity may be complete when it is created, such as a phone call that somebody records afterwards.
create trigger emit_created_completed after insert on crm.activities
  for each row when (new.status = 'concluida')
  execute function crm.emit_change('activity.completed');

-- An update that answers a proposal may also be its first view: set_proposal_moments then sets viewed_at. The names of
-- the triggers make proposal.viewed come first.
create trigger emit_first_view after update on crm.proposals
  for each row when (old.viewed_at is null and new.viewed_at is not null)
  execute function crm.emit_event('proposal.viewed');
create trigger emit_outcome_accepted after update of status on crm.proposals
  for each row when (old.status <> new.status and new.status = 'aceita')
  execute function crm.emit_event('proposal.accepted');
create trigger emit_outcome_rejected after update of status on crm.proposals
  for each row when (old.status <> new.status and new.status = 'recusada')
  execute function crm.emit_event('proposal.rejected');

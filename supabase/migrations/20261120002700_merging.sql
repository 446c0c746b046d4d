-- What a merge moves: two records of one person, or of one company, become one, and what refers to the other follows by
-- triggers, so that nothing is left behind when the application merges. See docs/decisions/0032-merge-and-erase.md.

-- By which a merge finds the records that were merged into the one that it merges.
create index contacts_merged on crm.contacts (workspace_id, merged_into_id) where merged_into_id is not null;
create index companies_merged on crm.companies (workspace_id, merged_into_id) where merged_into_id is not null;

create function crm.filled_custom_fields(p_fields jsonb, p_other jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  v_filled jsonb;
  v_key text;
begin
  if p_fields is null or p_other is null then
    return coalesce(p_fields, p_other);
  end if;
  for v_key in select o.key from jsonb_object_keys(p_other) o (key) where not p_fields ? o.key order by o.key loop
    v_filled := p_fields || jsonb_build_object(v_key, p_other -> v_key);
    if (select count(*) from jsonb_object_keys(v_filled)) <= 50 and octet_length(v_filled::text) <= 10240 then
      p_fields := v_filled;
    end if;
  end loop;
  return p_fields;
end
$$;
comment on function crm.filled_custom_fields(jsonb, jsonb) is
  'The first fields, with those of the second that they lack, as far as the limits of custom_fields allow (spec 8).';

create function crm.emit_for_each(
  p_workspace_id uuid, p_event crm.event_type, p_object_ids uuid[], p_facts jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_event_ids uuid[];
begin
  if cardinality(p_object_ids) is null then
    return;
  end if;
  with stored as (
    insert into crm.events (workspace_id, event, object_id, facts)
    select p_workspace_id, p_event, o.id, p_facts from unnest(p_object_ids) o (id)
    returning id
  )
  select array_agg(e.id) into v_event_ids from stored e;
  perform crm.fan_out(p_workspace_id, v_event_ids, crm.subscribers(p_workspace_id, p_event));
exception when others then
  raise log 'crm.emit_for_each % of % objects: % (%)', p_event, cardinality(p_object_ids), sqlerrm, sqlstate;
end
$$;
comment on function crm.emit_for_each(uuid, crm.event_type, uuid[], jsonb) is
  'As crm.emit, for many objects in two statements: each call of crm.emit is a subtransaction, and more than 64 of them '
  'slow down every other transaction. Null: no object.';

create function crm.move_to_contact() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  v_changed jsonb := '{"changed_fields": ["contact_id"]}';
  v_ids uuid[];
begin
  perform crm.emit(
    new.workspace_id, 'contact.merged', new.merged_into_id, jsonb_build_object('merged_contact_id', new.id)
  );
  update crm.contacts c set merged_into_id = new.merged_into_id
  where c.workspace_id = new.workspace_id and c.merged_into_id = new.id;
  -- Receipts are found by their deals, because an index of their own would cost every lead. One whose deal was given
  -- another contact since keeps the id, at whose address the reply is 301.
  update crm.lead_receipts r set contact_id = new.merged_into_id
  from crm.deals d
  where d.workspace_id = new.workspace_id and d.contact_id = new.id
    and r.workspace_id = new.workspace_id and r.external_id = d.external_id and r.contact_id = new.id;

  -- Activities before deals, in the order in which a PATCH of an activity locks them.
  with moved as (
    update crm.activities a set contact_id = new.merged_into_id
    where a.workspace_id = new.workspace_id and a.contact_id = new.id
    returning a.id
  )
  select array_agg(m.id) into v_ids from moved m;
  perform crm.emit_for_each(new.workspace_id, 'activity.updated', v_ids, v_changed);
  with moved as (
    update crm.deals d set contact_id = new.merged_into_id
    where d.workspace_id = new.workspace_id and d.contact_id = new.id
    returning d.id
  )
  select array_agg(m.id) into v_ids from moved m;
  perform crm.emit_for_each(new.workspace_id, 'deal.updated', v_ids, v_changed);
  return null;
end
$$;
comment on function crm.move_to_contact() is
  'Trigger: makes what refers to a contact that was merged refer to the one that it was merged into, and emits '
  'contact.merged and the updates of what it moves.';

-- Named so that it fires before emit_updated: the special event of a write comes before its update.
create trigger emit_merged after update of merged_into_id on crm.contacts
  for each row when (old.merged_into_id is null and new.merged_into_id is not null)
  execute function crm.move_to_contact();

create function crm.move_to_company() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  v_changed jsonb := '{"changed_fields": ["company_id"]}';
  v_ids uuid[];
begin
  update crm.companies c set merged_into_id = new.merged_into_id
  where c.workspace_id = new.workspace_id and c.merged_into_id = new.id;
  -- As in crm.move_to_contact.
  update crm.lead_receipts r set company_id = new.merged_into_id
  from crm.deals d
  where d.workspace_id = new.workspace_id and d.company_id = new.id
    and r.workspace_id = new.workspace_id and r.external_id = d.external_id and r.company_id = new.id;

  with moved as (
    update crm.contacts c set company_id = new.merged_into_id
    where c.workspace_id = new.workspace_id and c.company_id = new.id
    returning c.id
  )
  select array_agg(m.id) into v_ids from moved m;
  perform crm.emit_for_each(new.workspace_id, 'contact.updated', v_ids, v_changed);
  with moved as (
    update crm.deals d set company_id = new.merged_into_id
    where d.workspace_id = new.workspace_id and d.company_id = new.id
    returning d.id
  )
  select array_agg(m.id) into v_ids from moved m;
  perform crm.emit_for_each(new.workspace_id, 'deal.updated', v_ids, v_changed);
  return null;
end
$$;
comment on function crm.move_to_company() is
  'Trigger: makes what refers to a company that was merged refer to the one that it was merged into, and emits the '
  'updates of what it moves.';

create trigger move_to_company after update of merged_into_id on crm.companies
  for each row when (old.merged_into_id is null and new.merged_into_id is not null)
  execute function crm.move_to_company();

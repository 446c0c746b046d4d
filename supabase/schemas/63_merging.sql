-- Merging: two records of one person, or of one company, become one. A trigger makes the rows that refer to the merged
-- record refer to the remaining one, even if the application merges without the API. See
-- docs/decisions/0019-merge-archive-erase.md.

-- When a record is merged, these indexes find the records that were merged into it earlier.
create index contacts_merged on crm.contacts (workspace_id, merged_into_id) where merged_into_id is not null;
create index companies_merged on crm.companies (workspace_id, merged_into_id) where merged_into_id is not null;

create function crm.filled_custom_fields(p_fields jsonb, p_other jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  v_filled jsonb;
  v_key text;
begin
  if p_fields is null or p_other is null then return coalesce(p_fields, p_other); end if;
  for v_key in select o.key from jsonb_object_keys(p_other) o (key)
    where coalesce(p_fields -> o.key, 'null') = 'null' order by o.key
  loop
    v_filled := p_fields || jsonb_build_object(v_key, p_other -> v_key);
    if (select count(*) from jsonb_object_keys(v_filled)) <= 50 and octet_length(v_filled::text) <= 10240 then
      p_fields := v_filled;
    end if;
  end loop;
  return p_fields;
end
$$;
comment on function crm.filled_custom_fields(jsonb, jsonb) is
  'Returns p_fields. Each field that is missing or null gets its value from p_other, within the limits of spec 8.';

create function crm.emit_for_each(
  p_workspace_id uuid, p_event crm.event_type, p_object_ids uuid[], p_facts jsonb
) returns void
language plpgsql set search_path = '' as $$
declare
  v_event_ids uuid[];
begin
  if cardinality(p_object_ids) is null then return; end if;
  with stored as (
    insert into crm.events (workspace_id, event, object_id, facts)
    select p_workspace_id, p_event, o.id, p_facts from unnest(p_object_ids) o (id)
    returning id
  )
  select array_agg(e.id) into v_event_ids from stored e;
  perform crm.fan_out(p_workspace_id, v_event_ids, crm.subscribers(p_workspace_id, p_event));
  perform crm.fan_out_filtered(p_workspace_id, p_event, v_event_ids);
exception when others then
  raise log 'crm.emit_for_each % of % objects: % (%)', p_event, cardinality(p_object_ids), sqlerrm, sqlstate;
end
$$;
comment on function crm.emit_for_each(uuid, crm.event_type, uuid[], jsonb) is
  'Emits one event for each of many objects. Each call of crm.emit would be a subtransaction, and more than 64 of them '
  'slow down all other transactions. Does nothing if p_object_ids is null.';

create function crm.move_children(
  p_workspace_id uuid, p_table text, p_column text, p_from uuid, p_to uuid, p_event crm.event_type
) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_ids uuid[];
begin
  -- Lock in order of id, as other runs and batches do, to avoid deadlocks.
  execute format(
    'with next as (
       select t.id from crm.%1$I t where t.workspace_id = $1 and t.%2$I = $2 order by t.id limit 200 for no key update
     ), moved as (
       update crm.%1$I t set %2$I = $3 from next n where t.workspace_id = $1 and t.id = n.id returning t.id
     )
     select array_agg(m.id) from moved m',
    p_table, p_column
  ) into v_ids using p_workspace_id, p_from, p_to;
  if p_event is not null then
    perform crm.emit_for_each(
      p_workspace_id, p_event, v_ids, jsonb_build_object('changed_fields', jsonb_build_array(p_column))
    );
  end if;
  return coalesce(v_ids, '{}');
end
$$;
comment on function crm.move_children(uuid, text, text, uuid, uuid, crm.event_type) is
  'Changes p_column from p_from to p_to in at most 200 rows, emits an event for each row, and returns the rows'' ids. '
  'p_event is null for a change that clients cannot see.';

create function crm.move_deal_contacts(p_workspace_id uuid, p_from uuid, p_to uuid) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_rows crm.deal_contacts[];
  v_ids uuid[] := array(
    select k.deal_id from crm.deal_contacts k
    where k.workspace_id = p_workspace_id and k.contact_id = p_from limit 200
  );
begin
  -- Wait for calls that add a contact to one of these deals: such a call holds the deal's lock.
  perform from crm.deals d where d.workspace_id = p_workspace_id and d.id = any (v_ids) order by d.id for no key update;
  with gone as (
    delete from crm.deal_contacts k
    where k.workspace_id = p_workspace_id and k.contact_id = p_from and k.deal_id = any (v_ids)
    returning k.*
  )
  select array_agg(g::crm.deal_contacts) into v_rows from gone g;
  insert into crm.deal_contacts as kept (workspace_id, deal_id, contact_id, role, created_at)
  select r.workspace_id, r.deal_id, p_to, r.role, r.created_at from unnest(v_rows) r
  on conflict (workspace_id, deal_id, contact_id) do update set role = excluded.role
  where kept.role is null and excluded.role is not null;
  return v_ids;
end
$$;
comment on function crm.move_deal_contacts(uuid, uuid, uuid) is
  'Replaces the additional contact p_from by p_to in at most 200 deals, and returns these deals. If a deal has both '
  'contacts, p_to keeps its role; without a role, it gets the role of p_from.';

create function crm.merge_step(o crm.operations) returns crm.operations
language plpgsql set search_path = '' as $$
declare
  v_contact boolean := o.kind = 'contact_merge';
  v_column text := case when v_contact then 'contact_id' else 'company_id' end;
  v_into uuid;
  v_ids uuid[];
  v_name text;
begin
  -- Read the remaining record in each step, because it may have been merged into another one since the last step.
  if v_contact then
    select c.merged_into_id into v_into from crm.contacts c where c.workspace_id = o.workspace_id and c.id = o.object_id;
  else
    select c.merged_into_id into v_into from crm.companies c where c.workspace_id = o.workspace_id and c.id = o.object_id;
  end if;
  o.progress := coalesce(o.progress, '{}');
  -- Move earlier merges first, to keep chains short. Move activities before deals, because a PATCH of an activity locks
  -- the activity before its deal.
  foreach v_name in array case
    when v_contact then '{contacts,activities,deals,deal_contacts}'::text[]
    else '{companies,contacts,deals}'
  end
  loop
    v_ids := case when v_name = 'deal_contacts' then crm.move_deal_contacts(o.workspace_id, o.object_id, v_into)
    else crm.move_children(
      o.workspace_id, v_name,
      case when v_name = 'companies' or v_contact and v_name = 'contacts' then 'merged_into_id' else v_column end,
      o.object_id, v_into,
      case
        when v_name = 'activities' then 'activity.updated'
        when v_name = 'deals' then 'deal.updated'
        when v_name = 'contacts' and not v_contact then 'contact.updated'
      end::crm.event_type
    ) end;
    if v_name = 'deals' then perform crm.move_receipts(o.workspace_id, v_column, v_ids, o.object_id, v_into); end if;
    -- Count each row twice, because its event costs as much as its update.
    o.work := o.work + 1 + 2 * cardinality(v_ids);
    o.result := jsonb_build_object('moved', crm.sum_counts(
      o.result -> 'moved',
      jsonb_build_object(
        case when v_name = 'companies' or v_contact and v_name = 'contacts' then 'merged' else v_name end,
        cardinality(v_ids)
      )
    ));
    if v_ids <> '{}' then return o; end if;
  end loop;
  o.progress := null;
  return o;
end
$$;
comment on function crm.merge_step(crm.operations) is
  'Takes at most 200 rows of one table that refer to a merged record, and makes them refer to the remaining record. '
  'The operation is done when no such row is left. No new rows appear, because nothing may refer to a merged '
  'record any more.';

create function crm.move_receipts(p_workspace_id uuid, p_column text, p_deal_ids uuid[], p_from uuid, p_to uuid) returns void
language plpgsql set search_path = '' as $$
begin
  -- Receipts are found by their deals, because an index for them would slow down every lead. If the deal has another
  -- contact now, the receipt keeps the id of the merged contact, whose URL redirects to the remaining contact (301).
  execute format(
    'update crm.lead_receipts r set %1$I = $4
     from crm.deals d
     where d.workspace_id = $1 and d.id = any ($2)
       and r.workspace_id = $1 and r.external_id = d.external_id and r.%1$I = $3',
    p_column
  ) using p_workspace_id, p_deal_ids, p_from, p_to;
end
$$;
comment on function crm.move_receipts(uuid, text, uuid[], uuid, uuid) is
  'Makes the receipts of leads, found by their deals, refer to another contact or company.';

create function crm.begin_merge() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  o crm.operations;
begin
  o.workspace_id := new.workspace_id;
  o.kind := tg_argv[0];
  o.object_id := new.id;
  o.arguments := jsonb_build_object('id', new.merged_into_id, 'merge_id', new.id);
  o.result := '{"moved": {"activities": 0, "contacts": 0, "deals": 0, "deal_contacts": 0, "merged": 0}}';
  if o.kind = 'contact_merge' then
    perform crm.emit(
      new.workspace_id, 'contact.merged', new.merged_into_id, jsonb_build_object('merged_contact_id', new.id)
    );
  end if;
  -- About 600 records and their events, which take half a second.
  perform crm.begin_operation(o, 1200);
  return null;
end
$$;
comment on function crm.begin_merge() is
  'Trigger: emits contact.merged if a contact was merged. Moves some hundred rows from the merged record to the record '
  'into which it was merged, with their events (crm.merge_step). The job run-operations moves the other rows.';

-- Named so that it fires before emit_updated: contact.merged comes before contact.updated.
create trigger emit_merged after update of merged_into_id on crm.contacts
  for each row when (old.merged_into_id is null and new.merged_into_id is not null)
  execute function crm.begin_merge('contact_merge');
create trigger emit_merged after update of merged_into_id on crm.companies
  for each row when (old.merged_into_id is null and new.merged_into_id is not null)
  execute function crm.begin_merge('company_merge');

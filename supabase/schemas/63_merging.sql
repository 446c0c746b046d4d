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
  'p_fields, in which each field that is missing or null gets its value from p_other, within the limits of spec 8.';

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
  'crm.emit for many objects at once: each call of crm.emit is a subtransaction, and more than 64 of them slow down '
  'all other transactions. Does nothing if p_object_ids is null.';

create function crm.move_children(
  p_workspace_id uuid, p_table text, p_column text, p_from uuid, p_to uuid, p_event crm.event_type
) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_ids uuid[];
begin
  -- Lock in order of id, as other runs and batches do, so that they cannot deadlock.
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
  'Changes p_column from p_from to p_to in at most 200 rows, emits an event for each, and returns their ids. p_event '
  'is null for a change that clients cannot see.';

create function crm.move_deal_contacts(p_workspace_id uuid, p_from uuid, p_to uuid) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_rows crm.deal_contacts[];
  v_ids uuid[] := array(
    select k.deal_id from crm.deal_contacts k
    where k.workspace_id = p_workspace_id and k.contact_id = p_from limit 200
  );
begin
  -- Wait for calls that add a contact to one of these deals: they hold the deal's lock.
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
  'Replaces the additional contact p_from by p_to in at most 200 deals, and returns these deals. If a deal has both, '
  'p_to keeps its role, or gets that of p_from if it has none.';

create function crm.merge_step(o crm.operations) returns crm.operations
language plpgsql set search_path = '' as $$
declare
  v_contact boolean := o.kind = 'contact_merge';
  v_column text := case when v_contact then 'contact_id' else 'company_id' end;
  v_into uuid;
  v_ids uuid[];
  v_name text;
begin
  -- Read again: the remaining record may have been merged into another one since.
  if v_contact then
    select c.merged_into_id into v_into from crm.contacts c where c.workspace_id = o.workspace_id and c.id = o.object_id;
  else
    select c.merged_into_id into v_into from crm.companies c where c.workspace_id = o.workspace_id and c.id = o.object_id;
  end if;
  o.progress := coalesce(o.progress, '{}');
  -- Earlier merges first, to keep chains short. Then activities before deals, because a PATCH of an activity locks them
  -- in this order.
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
    -- Count each row twice, because it also emits an event, which costs as much.
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
  'Takes at most 200 rows that refer to a merged record, and makes them refer to the record it was merged into. The '
  'operation is done when none are left; no new ones appear, because nothing may refer to a merged record any more.';

create function crm.move_receipts(p_workspace_id uuid, p_column text, p_deal_ids uuid[], p_from uuid, p_to uuid) returns void
language plpgsql set search_path = '' as $$
begin
  -- Receipts are found by their deals, because an index of their own would slow down every lead. If the deal has
  -- another contact now, the receipt keeps the id of the merged contact, whose URL redirects (301).
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
  -- About 600 records and their events: half a second.
  perform crm.begin_operation(o, 1200);
  return null;
end
$$;
comment on function crm.begin_merge() is
  'Trigger: emits contact.merged if a contact was merged, makes the rows that refer to the merged record refer to the '
  'record it was merged into, and emits an update for each row. Handles some hundred rows; the job handles the rest.';

-- Named so that it fires before emit_updated: contact.merged comes before contact.updated.
create trigger emit_merged after update of merged_into_id on crm.contacts
  for each row when (old.merged_into_id is null and new.merged_into_id is not null)
  execute function crm.begin_merge('contact_merge');
create trigger emit_merged after update of merged_into_id on crm.companies
  for each row when (old.merged_into_id is null and new.merged_into_id is not null)
  execute function crm.begin_merge('company_merge');

-- The verbs that merge contacts and companies, and the locks by which merges, leads and upserts wait for each other.
-- See docs/decisions/0019-merge-archive-erase.md.

create function crm.lock_matches_of_contacts(p_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform crm.lock_matches(variadic array(
    select jsonb_build_object(
      'contact email', c.email, 'contact phone', c.phone_e164, 'contact external_id', c.external_id
    )
    from crm.contacts c
    where c.workspace_id = crm.current_workspace_id() and c.id = any (p_ids)
  ));
end
$$;
comment on function crm.lock_matches_of_contacts(uuid[]) is
  'Makes leads and upserts that look for one of these contacts wait until the transaction ends.';

create function crm.lock_matches_of_companies(p_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform crm.lock_matches(variadic array(
    select jsonb_build_object(
      'company name', c.name_key, 'company tax_id', c.tax_id, 'company domain', c.domain,
      'company external_id', c.external_id
    )
    from crm.companies c
    where c.workspace_id = crm.current_workspace_id() and c.id = any (p_ids)
  ));
end
$$;
comment on function crm.lock_matches_of_companies(uuid[]) is
  'Makes leads and upserts that look for one of these companies wait until the transaction ends.';

create function crm.lock_company_merges(p_exclusive boolean) returns void
language plpgsql set search_path = '' as $$
declare
  v_number bigint := crm.lock_number('company merges ' || crm.current_workspace_id());
begin
  if p_exclusive then
    perform pg_advisory_xact_lock(v_number);
  else
    perform pg_advisory_xact_lock_shared(v_number);
  end if;
end
$$;
comment on function crm.lock_company_merges(boolean) is
  'Makes a merge of companies (exclusive) and the merges of contacts in a workspace wait for each other. A merge of '
  'companies locks the company, then its contacts; a merge of contacts locks the contacts, then the company that one '
  'of them gets. Without this lock they could deadlock.';

create function crm.merge_json(p_record json, p_kind text, p_merge_id uuid) returns json
language plpgsql set search_path = '' as $$
declare
  v_operation json := crm.unfinished_operation(p_kind, p_merge_id);
begin
  if v_operation is null then return p_record; end if;
  return crm.with_fields(p_record, json_build_object('operation', v_operation));
end
$$;
comment on function crm.merge_json(json, text, uuid) is
  'The reply to a merge: the remaining record, and the operation that moves the merged one''s rows, until it is done.';

create function api.contact_merge(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid := p_args ->> 'id';
  v_merge_id uuid := p_args ->> 'merge_id';
  v_winner crm.contacts;
  v_other crm.contacts;
  v_filled crm.contacts;
  v_next uuid;
begin
  if v_merge_id = v_id then perform api.fail('validation_error', array['merge_id'], 'Deve ser outro contato'); end if;
  perform crm.lock_company_merges(false);
  perform crm.lock_matches_of_contacts(array[v_id, v_merge_id]);
  -- In order of id, so that two merges of the same contacts cannot deadlock.
  foreach v_next in array array[least(v_id, v_merge_id), greatest(v_id, v_merge_id)] loop
    if v_next = v_id then
      v_winner := crm.contact_lock(v_id);
    else
      -- Also waits for transactions that are creating a deal or an activity for this contact, and makes later ones
      -- wait.
      select c.* into v_other from crm.contacts c
      where c.workspace_id = v_workspace_id and c.id = v_merge_id
      for update;
    end if;
  end loop;
  if v_other.id is null then
    perform api.fail('invalid_reference', array['merge_id']);
  elsif v_other.merged_into_id = v_id then
    -- A repeated call, for example because the first reply was lost. It fills in nothing, because the record may have
    -- changed since.
    return crm.merge_json(crm.contact_json(v_winner), 'contact_merge', v_merge_id);
  elsif v_other.merged_into_id is not null then
    perform api.fail(
      'invalid_reference', array['merge_id'], 'Este contato já foi unido a outro', array[v_other.merged_into_id]
    );
  elsif v_other.erased_at is not null then
    perform api.fail('record_erased', array['merge_id']);
  end if;

  v_filled := crm.contact_filled(v_winner, v_other);
  if v_filled.company_id is distinct from v_winner.company_id then
    -- The application may be merging that company in a transaction that does not see the change below. Wait for that
    -- transaction, and take the company that remains.
    select coalesce(c.merged_into_id, c.id) into v_filled.company_id from crm.companies c
    where c.workspace_id = v_workspace_id and c.id = v_filled.company_id
    for key share;
  end if;
  update crm.contacts c
  set
    merged_into_id = v_id,
    archived_at = coalesce(c.archived_at, now()),
    -- The external_id moves to the remaining contact only if that contact has none: otherwise it stays here, so that no
    -- third contact can take it.
    external_id = case when v_winner.external_id is not null then c.external_id end
  where c.workspace_id = v_workspace_id and c.id = v_merge_id;
  if v_filled is distinct from v_winner then v_winner := crm.contact_save(v_filled); end if;
  return crm.merge_json(crm.contact_json(v_winner), 'contact_merge', v_merge_id);
end
$$;
comment on function api.contact_merge(jsonb) is
  'Merges the contact merge_id into the contact id, fills the empty fields of the remaining contact and returns it; a '
  'repeated call only returns it. Raises not_found, record_merged, record_erased, validation_error, invalid_reference.';

create function api.company_merge(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid := p_args ->> 'id';
  v_merge_id uuid := p_args ->> 'merge_id';
  v_winner crm.companies;
  v_other crm.companies;
  v_filled crm.companies;
  v_next uuid;
begin
  if v_merge_id = v_id then perform api.fail('validation_error', array['merge_id'], 'Deve ser outra empresa'); end if;
  perform crm.lock_company_merges(true);
  perform crm.lock_matches_of_companies(array[v_id, v_merge_id]);
  -- Locked in order of id, as in api.contact_merge.
  foreach v_next in array array[least(v_id, v_merge_id), greatest(v_id, v_merge_id)] loop
    if v_next = v_id then
      v_winner := crm.company_lock(v_id);
    else
      select c.* into v_other from crm.companies c
      where c.workspace_id = v_workspace_id and c.id = v_merge_id
      for update;
    end if;
  end loop;
  if v_other.id is null then
    perform api.fail('invalid_reference', array['merge_id']);
  elsif v_other.merged_into_id = v_id then
    return crm.merge_json(crm.company_json(v_winner), 'company_merge', v_merge_id);
  elsif v_other.merged_into_id is not null then
    perform api.fail(
      'invalid_reference', array['merge_id'], 'Esta empresa já foi unida a outra', array[v_other.merged_into_id]
    );
  end if;

  v_filled := crm.company_filled(v_winner, v_other);
  update crm.companies c
  set
    merged_into_id = v_id,
    archived_at = coalesce(c.archived_at, now()),
    external_id = case when v_winner.external_id is not null then c.external_id end
  where c.workspace_id = v_workspace_id and c.id = v_merge_id;
  if v_filled is distinct from v_winner then v_winner := crm.company_save(v_filled); end if;
  return crm.merge_json(crm.company_json(v_winner), 'company_merge', v_merge_id);
end
$$;
comment on function api.company_merge(jsonb) is
  'Merges the company merge_id into the company id, fills the empty fields of the remaining company and returns it; a '
  'repeated call only returns it. Raises not_found, record_merged, validation_error, invalid_reference.';

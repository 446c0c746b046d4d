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
  'companies locks the company, then its contacts. A merge of contacts locks the contacts, then the company that one '
  'of them gets. Without this lock, the two merges could deadlock.';

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
  'The reply to a merge: the remaining record, and the operation that moves the rows of the merged record, until the '
  'operation is done.';

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
      -- This lock also waits for transactions that are creating a deal or an activity for this contact. Later
      -- transactions of this kind wait for this lock.
      select c.* into v_other from crm.contacts c
      where c.workspace_id = v_workspace_id and c.id = v_merge_id
      for update;
    end if;
  end loop;
  if v_other.id is null then
    perform api.fail('invalid_reference', array['merge_id']);
  elsif v_other.merged_into_id = v_id then
    -- This call is repeated, for example because the first reply was lost. Fill in nothing, because the record may have
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
    -- The application may be merging that company in a transaction that does not see the update below. Wait for that
    -- transaction, and take the company that remains.
    select coalesce(c.merged_into_id, c.id) into v_filled.company_id from crm.companies c
    where c.workspace_id = v_workspace_id and c.id = v_filled.company_id
    for key share;
  end if;
  update crm.contacts c
  set
    merged_into_id = v_id,
    archived_at = coalesce(c.archived_at, now()),
    -- The external_id moves to the remaining contact only if that contact has none. Otherwise the merged contact keeps
    -- it, so that no third contact can take it.
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
  -- Leads and upserts that look for one of these companies wait.
  perform crm.lock_matches(variadic array(
    select jsonb_build_object(
      'company name', c.name_key, 'company tax_id', c.tax_id, 'company domain', c.domain,
      'company external_id', c.external_id
    )
    from crm.companies c
    where c.workspace_id = v_workspace_id and c.id in (v_id, v_merge_id)
  ));
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

-- Contacts (spec 2.1): the table and its verbs. `deno task records` writes the plain SQL into 32_contacts_written.sql.

create domain crm.contact_email as text check (value = lower(value));
comment on domain crm.contact_email is 'The e-mail address of a contact, in lower case so that searches find it.';

create table crm.contacts (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  email crm.contact_email,
  phone text,
  phone_e164 text generated always as (crm.e164(phone)) stored,
  phone2 text,
  whatsapp text,
  job_title text,
  company_id uuid,
  owner_id uuid not null,
  instagram text,
  linkedin text,
  notes text,
  custom_fields jsonb,
  external_id crm.external_id,
  archived_at timestamptz,
  merged_into_id uuid,
  erased_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  tags text[],
  primary key (workspace_id, id),
  foreign key (workspace_id, company_id) references crm.companies (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id),
  foreign key (workspace_id, merged_into_id) references crm.contacts (workspace_id, id),
  -- A merged or erased contact is always archived. So a search for contacts in use needs only the condition on
  -- archived_at.
  check (archived_at is not null or (merged_into_id is null and erased_at is null))
);
comment on table crm.contacts is 'The people that a workspace sells to.';
comment on column crm.contacts.phone_e164 is 'The phone in the form of crm.e164, by which contacts are found.';
comment on column crm.contacts.erased_at is
  'When the personal fields were erased for good. The row stays, because other rows refer to it.';
create unique index contacts_external_id_once on crm.contacts (workspace_id, external_id) where external_id is not null;
call crm.protect('crm.contacts');
create trigger touch before update on crm.contacts for each row execute function crm.touch();

create function crm.contact_new(p_args jsonb) returns crm.contacts
language plpgsql set search_path = '' as $$
declare
  v_contact crm.contacts := jsonb_populate_record(
    null::crm.contacts, crm.require_references(crm.checked_values('contact', p_args))
  );
begin
  v_contact.owner_id := crm.owner_or_default(v_contact.owner_id);
  return v_contact;
end
$$;
comment on function crm.contact_new(jsonb) is
  'The contact to insert for a creation. Raises validation_error, invalid_reference, no_owner_available (spec 4.2).';

create function api.contact_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_contact record := crm.contact_insert(crm.contact_new(p_args));
  v_reply json := json_build_object('id', v_contact.made);
begin
  if p_args ->> 'prefer' = 'representation' then
    select crm.contact_json(t) into v_reply from crm.contacts t
    where t.workspace_id = crm.current_workspace_id() and t.id = v_contact.made;
  end if;
  return crm.creation_json(p_args, v_reply, v_contact.alike);
end
$$;
comment on function api.contact_create(jsonb) is
  'Creates a contact and returns its id (the whole record if `prefer` is representation) with the ids of similar '
  'contacts. Raises the codes of crm.contact_new.';

create function crm.lock_referred(p_company_ids uuid[], p_contact_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform from crm.companies t where t.workspace_id = crm.current_workspace_id() and t.id = any (p_company_ids)
  order by t.id for key share;
  perform from crm.contacts t where t.workspace_id = crm.current_workspace_id() and t.id = any (p_contact_ids)
  order by t.id for key share;
end
$$;
comment on function crm.lock_referred(uuid[], uuid[]) is
  'Locks companies and contacts until the transaction ends, so that nobody can merge or erase them. A call that makes '
  'records refer to a company or contact takes this lock before it locks the records. A merge or an erasure locks in '
  'the same order, so no deadlock is possible.';

create function api.contact_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_contact crm.contacts := crm.contact_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes jsonb := crm.changes('contact', to_jsonb(v_contact), p_args);
begin
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes <> '{}' then
    v_contact := jsonb_populate_record(v_contact, crm.require_references(v_changes));
    v_contact.owner_id := crm.owner_or_default(v_contact.owner_id);
    v_contact := crm.contact_save(v_contact);
  end if;
  return crm.contact_json(v_contact);
end
$$;
comment on function api.contact_update(jsonb) is
  'Changes the fields that were sent; null clears a field, and an owner_id of null sets the default owner (spec 4.2).';

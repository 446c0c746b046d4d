-- Contacts (spec 2.1): the table and its public JSON.

create table crm.contacts (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  name text not null check (char_length(name) between 1 and 255),
  email text check (email = lower(email)),
  phone text,
  phone_digits text generated always as (crm.digits(phone)) stored,
  phone2 text,
  whatsapp text,
  job_title text,
  company_id uuid,
  owner_id uuid not null,
  instagram text,
  linkedin text,
  notes text,
  custom_fields jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, company_id) references crm.companies (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id)
);
comment on table crm.contacts is 'People that a workspace sells to.';

create index contacts_email on crm.contacts (workspace_id, email, id);
create index contacts_phone on crm.contacts (workspace_id, phone_digits, id);
create index contacts_updated on crm.contacts (workspace_id, updated_at, id);
create index contacts_company on crm.contacts (workspace_id, company_id, id);
call crm.protect('crm.contacts');
grant select, insert, update on crm.contacts to crm_api;
create trigger touch before update on crm.contacts for each row execute function crm.touch();

create type api.contact as (
  id uuid,
  workspace_id uuid,
  name text,
  email text,
  phone text,
  phone2 text,
  whatsapp text,
  job_title text,
  company_id uuid,
  owner_id uuid,
  instagram text,
  linkedin text,
  notes text,
  custom_fields jsonb,
  created_at text,
  updated_at text
);
comment on type api.contact is 'Public JSON of a contact (spec 2.1).';

create function crm.contact_json(c crm.contacts) returns json
language sql stable
as $$
  select to_json(row(
    c.id, c.workspace_id, c.name, c.email, c.phone, c.phone2, c.whatsapp, c.job_title, c.company_id,
    c.owner_id, c.instagram, c.linkedin, c.notes, c.custom_fields, crm.iso(c.created_at), crm.iso(c.updated_at)
  )::api.contact)
$$;
comment on function crm.contact_json(crm.contacts) is 'As api.contact, in JSON: everywhere that a contact is shown.';

call crm.define_list('contact_list', 'crm.contacts', 'crm.contact_json', jsonb_build_object(
  'email', 't.email = $1 ->> ''email''',
  'company_id', 't.company_id = ($1 ->> ''company_id'')::uuid'
));

create function api.contact_get(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return crm.found((
    select crm.contact_json(c) from crm.contacts c
    where c.workspace_id = crm.current_workspace_id() and c.id = (p_args ->> 'id')::uuid
  ));
end
$$;
comment on function api.contact_get(jsonb) is 'One contact, or not_found (spec 4.2).';

create function api.contact_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_new crm.contacts := jsonb_populate_record(null::crm.contacts, p_args);
  v_id uuid;
begin
  perform crm.check_references(p_args);
  insert into crm.contacts as c (
    workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin,
    notes, custom_fields
  )
  values (
    crm.current_workspace_id(), v_new.name, v_new.email, v_new.phone, v_new.phone2, v_new.whatsapp,
    v_new.job_title, v_new.company_id, crm.owner_or_default(v_new.owner_id), v_new.instagram, v_new.linkedin,
    v_new.notes, v_new.custom_fields
  )
  returning c.id into v_id;
  return json_build_object('id', v_id);
end
$$;
comment on function api.contact_create(jsonb) is
  'Creates a contact and returns its id; raises invalid_reference, no_owner_available (spec 4.2).';

create function api.contact_update(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_contact crm.contacts;
  v_changes jsonb;
begin
  -- Locked: two PATCHes of different fields must both be kept.
  select * into v_contact from crm.contacts c
  where c.workspace_id = crm.current_workspace_id() and c.id = (p_args ->> 'id')::uuid
  for update;
  if not found then
    perform api.fail('not_found');
  end if;
  v_changes := crm.changes(to_jsonb(v_contact), p_args);
  -- A PATCH that changes nothing is no change, to a feed by updated_since least of all.
  if v_changes = '{}' then
    return crm.contact_json(v_contact);
  end if;
  perform crm.check_references(v_changes);
  v_contact := jsonb_populate_record(v_contact, v_changes);
  update crm.contacts c
  set (
    name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin, notes, custom_fields
  ) = (
    v_contact.name, v_contact.email, v_contact.phone, v_contact.phone2, v_contact.whatsapp, v_contact.job_title,
    v_contact.company_id, crm.owner_or_default(v_contact.owner_id), v_contact.instagram, v_contact.linkedin,
    v_contact.notes, v_contact.custom_fields
  )
  where c.workspace_id = v_contact.workspace_id and c.id = v_contact.id
  returning * into v_contact;
  return crm.contact_json(v_contact);
end
$$;
comment on function api.contact_update(jsonb) is
  'Changes what was sent and clears what was sent as null; an owner of null is chosen anew (spec 4.2).';

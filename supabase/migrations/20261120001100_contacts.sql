-- Contacts (spec 2.1): the table, its plain SQL, its verbs.

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

create index contacts_phone on crm.contacts (workspace_id, phone_digits, id);
call crm.protect('crm.contacts');
create trigger touch before update on crm.contacts for each row execute function crm.touch();

-- written by deno task records: contact
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
comment on type api.contact is 'A contact: its public fields, in order.';

create function crm.contact_json(t crm.contacts) returns json
language sql stable
as $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id,
    t.owner_id, t.instagram, t.linkedin, t.notes, t.custom_fields, crm.iso(t.created_at),
    crm.iso(t.updated_at)
  )::api.contact)
$$;
comment on function crm.contact_json(crm.contacts) is 'A row as public JSON, with the fields of api.contact.';

create function crm.contact_insert(t crm.contacts) returns crm.contacts
language plpgsql
set search_path = ''
as $$
begin
  insert into crm.contacts as new (
    workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin,
    notes, custom_fields
  )
  values (
    crm.current_workspace_id(), t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id,
    t.owner_id, t.instagram, t.linkedin, t.notes, t.custom_fields
  )
  returning new.* into t;
  return t;
end
$$;
comment on function crm.contact_insert(crm.contacts) is
  'Creates the record in the caller''s workspace and returns it.';

create function crm.contact_lock(p_id uuid) returns crm.contacts
language plpgsql
set search_path = ''
as $$
declare
  t crm.contacts;
begin
  select * into t from crm.contacts r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  return t;
end
$$;
comment on function crm.contact_lock(uuid) is
  'Locks the record until the transaction ends, so that concurrent changes of different fields are all '
  'kept, and returns it. Raises not_found.';

create function crm.contact_save(t crm.contacts) returns crm.contacts
language plpgsql
set search_path = ''
as $$
begin
  update crm.contacts as saved
  set (
    name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin, notes,
    custom_fields
  ) = (
    t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id, t.instagram,
    t.linkedin, t.notes, t.custom_fields
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.contact_save(crm.contacts) is
  'Writes the fields of the record that can change, and returns the row as it is then.';

create function api.contact_get(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return crm.require_record((
    select crm.contact_json(t) from crm.contacts t
    where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid
  ));
end
$$;
comment on function api.contact_get(jsonb) is 'Returns one record; raises not_found.';

create index contacts_email on crm.contacts (workspace_id, email, id);
create index contacts_company_id on crm.contacts (workspace_id, company_id, id);
create index contacts_updated_at on crm.contacts (workspace_id, updated_at, id);

create function crm.contact_list_by(p_args jsonb, p_before uuid, out ids uuid[], out records json[])
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
    select t.id, crm.contact_json(t) as record from crm.contacts t
    where t.workspace_id = crm.current_workspace_id() and t.id < p_before
      and (not p_args ? 'email' or t.email = p_args ->> 'email')
      and (not p_args ? 'company_id' or t.company_id = (p_args ->> 'company_id')::uuid)
      and (not p_args ? 'since' or t.id >= crm.uuid_v7_floor((p_args ->> 'since')::timestamptz))
      and (not p_args ? 'updated_since' or t.updated_at >= (p_args ->> 'updated_since')::timestamptz)
    order by t.id desc
    limit (p_args ->> 'limit')::integer + 1
  ) page;
end
$$;
comment on function crm.contact_list_by(jsonb, uuid) is
  'The ids and records of a page of api.contact_list, for any combination of its filters.';

create function api.contact_list(p_args jsonb) returns json
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
        select t.id, crm.contact_json(t) as record from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{email}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.contact_json(t) as record from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.email = p_args ->> 'email'
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{company_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.contact_json(t) as record from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.company_id = (p_args ->> 'company_id')::uuid
        order by t.id desc
        limit v_limit + 1
      ) page;
    else
      select page.ids, page.records into v_ids, v_records from crm.contact_list_by(p_args, v_before) page;
  end case;
  return crm.page(v_limit, v_ids, v_records);
end
$$;
comment on function api.contact_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
-- end of what is written

create function api.contact_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_contact crm.contacts := jsonb_populate_record(null::crm.contacts, p_args);
begin
  perform crm.check_references(p_args);
  v_contact.owner_id := crm.owner_or_default(v_contact.owner_id);
  v_contact := crm.contact_insert(v_contact);
  return json_build_object('id', v_contact.id);
end
$$;
comment on function api.contact_create(jsonb) is
  'Creates a contact and returns its id; raises invalid_reference, no_owner_available (spec 4.2).';

create function api.contact_update(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_contact crm.contacts := crm.contact_lock((p_args ->> 'id')::uuid);
  v_changes jsonb := crm.changes(to_jsonb(v_contact), p_args);
begin
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes <> '{}' then
    perform crm.check_references(v_changes);
    v_contact := jsonb_populate_record(v_contact, v_changes);
    v_contact.owner_id := crm.owner_or_default(v_contact.owner_id);
    v_contact := crm.contact_save(v_contact);
  end if;
  return crm.contact_json(v_contact);
end
$$;
comment on function api.contact_update(jsonb) is
  'Changes the fields that were sent; null clears a field, and an owner_id of null sets the default owner (spec '
  '4.2).';

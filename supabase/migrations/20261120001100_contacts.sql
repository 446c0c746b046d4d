-- Contacts (spec 2.1): the table, the SQL that deno task records writes, its verbs.

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
  primary key (workspace_id, id),
  foreign key (workspace_id, company_id) references crm.companies (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id),
  foreign key (workspace_id, merged_into_id) references crm.contacts (workspace_id, id),
  -- A merged or erased contact is always archived, so that a search for contacts in use needs only the condition on
  -- archived_at.
  check (archived_at is not null or (merged_into_id is null and erased_at is null))
);
comment on table crm.contacts is 'The people that a workspace sells to.';
comment on column crm.contacts.phone_e164 is 'The phone in the form of crm.e164, by which contacts are found.';
comment on column crm.contacts.external_id is 'The caller''s own id for the contact, unique in the workspace.';
comment on column crm.contacts.archived_at is
  'Since when lists leave the contact out. Merged and erased contacts are archived too.';
comment on column crm.contacts.merged_into_id is 'The contact that replaced this one in a merge.';
comment on column crm.contacts.erased_at is
  'When the personal fields were erased for good. The row stays, because other rows refer to it.';
create unique index contacts_external_id_once on crm.contacts (workspace_id, external_id) where external_id is not null;
call crm.protect('crm.contacts');
create trigger touch before update on crm.contacts for each row execute function crm.touch();

-- written by deno task records: contact
create type api.contact as (
  id uuid, workspace_id uuid, name text, email text, phone text, phone2 text, whatsapp text, job_title text,
  company_id uuid, owner_id uuid, instagram text, linkedin text, notes text, custom_fields jsonb, external_id text,
  archived_at text, merged_into_id uuid, erased_at text, created_at text, updated_at text
);
comment on type api.contact is 'A contact: its public fields, in order.';

create function crm.contact_json(t crm.contacts) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id,
    t.instagram, t.linkedin, t.notes, t.custom_fields, t.external_id, crm.iso(t.archived_at), t.merged_into_id,
    crm.iso(t.erased_at), crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.contact)
$$;
comment on function crm.contact_json(crm.contacts) is 'A row as public JSON, with the fields of api.contact.';

create function crm.contact_insert(t crm.contacts, out made uuid, out alike uuid[])
language plpgsql set search_path = '' as $$
declare
  v_made record;
begin
  insert into crm.contacts as new (
    workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin, notes,
    custom_fields, external_id
  )
  values (
    crm.current_workspace_id(), t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id,
    t.instagram, t.linkedin, t.notes, t.custom_fields, t.external_id
  )
  returning new.id as made, array(
    select o.id from crm.contacts o
    where o.workspace_id = new.workspace_id and o.email = any (array[new.email]) and o.email is not null
      and o.archived_at is null
    order by o.email, o.id limit 5
  ) || array(
    select o.id from crm.contacts o
    where o.workspace_id = new.workspace_id and o.phone_e164 = any (crm.phone_spellings(new.phone)) and o.phone_e164 is not null
      and o.archived_at is null
    order by o.phone_e164, o.id limit 5
  ) as alike into v_made;
  made := v_made.made;
  alike := v_made.alike;
end
$$;
comment on function crm.contact_insert(crm.contacts) is
  'Creates the record in the caller''s workspace and returns its id, and up to five records in use that it resembles '
  'for each reason.';

create function crm.contact_insert(p_rows crm.contacts[]) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_ids uuid[];
begin
  with made as (
    insert into crm.contacts as new (
      workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin, notes,
      custom_fields, external_id
    )
    select
      crm.current_workspace_id(), t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id,
      t.instagram, t.linkedin, t.notes, t.custom_fields, t.external_id
    from unnest(p_rows) t
    returning new.id
  )
  select array_agg(m.id) into v_ids from made m;
  return v_ids;
end
$$;
comment on function crm.contact_insert(crm.contacts[]) is
  'Creates records in the caller''s workspace; returns their ids in the order of the rows.';

create function crm.contact_lock(p_id uuid, p_if_match jsonb default null) returns crm.contacts
language plpgsql set search_path = '' as $$
declare
  t crm.contacts;
begin
  select * into t from crm.contacts r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  if t.merged_into_id is not null then
    perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]);
  end if;
  if t.erased_at is not null then perform api.fail('record_erased'); end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.contact_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.contact_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found, record_merged, record_erased; precondition_failed if p_if_match, a list of versions, lacks '
  'the record''s.';

create function crm.contact_save(t crm.contacts) returns crm.contacts
language plpgsql set search_path = '' as $$
begin
  update crm.contacts as saved
  set (
    name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin, notes, custom_fields,
    external_id
  ) = (
    t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id, t.instagram, t.linkedin,
    t.notes, t.custom_fields, t.external_id
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.contact_save(crm.contacts) is
  'Writes the changeable fields of the record, and returns the updated row.';

create function crm.changed_fields(a crm.contacts, b crm.contacts) returns text[]
language sql immutable as $$
  select array_remove(array[
    case when a.archived_at is distinct from b.archived_at then 'archived_at' end,
    case when a.company_id is distinct from b.company_id then 'company_id' end,
    case when a.created_at is distinct from b.created_at then 'created_at' end,
    case when a.custom_fields is distinct from b.custom_fields then 'custom_fields' end,
    case when a.email is distinct from b.email then 'email' end,
    case when a.erased_at is distinct from b.erased_at then 'erased_at' end,
    case when a.external_id is distinct from b.external_id then 'external_id' end,
    case when a.instagram is distinct from b.instagram then 'instagram' end,
    case when a.job_title is distinct from b.job_title then 'job_title' end,
    case when a.linkedin is distinct from b.linkedin then 'linkedin' end,
    case when a.merged_into_id is distinct from b.merged_into_id then 'merged_into_id' end,
    case when a.name is distinct from b.name then 'name' end,
    case when a.notes is distinct from b.notes then 'notes' end,
    case when a.owner_id is distinct from b.owner_id then 'owner_id' end,
    case when a.phone is distinct from b.phone then 'phone' end,
    case when a.phone2 is distinct from b.phone2 then 'phone2' end,
    case when a.whatsapp is distinct from b.whatsapp then 'whatsapp' end
  ], null)
$$;
comment on function crm.changed_fields(crm.contacts, crm.contacts) is
  'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and computed '
  'fields.';

create function api.contact_archive(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.contacts;
begin
  update crm.contacts r
  set archived_at = now()
  where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid and r.archived_at is null
  returning r.* into t;
  if not found then
    select r.* into t from crm.contacts r
    where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid;
    if not found then
      perform api.fail('not_found');
    end if;
    if t.merged_into_id is not null then
      perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]);
    end if;
  end if;
  return crm.contact_json(t);
end
$$;
comment on function api.contact_archive(jsonb) is
  'Archives the record, so that lists leave it out, and returns it; an archived record stays as it is. Raises '
  'not_found, record_merged.';

create function api.contact_restore(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.contacts := crm.contact_lock((p_args ->> 'id')::uuid);
begin
  if t.archived_at is not null then
    update crm.contacts r set archived_at = null where r.workspace_id = t.workspace_id and r.id = t.id
    returning r.* into t;
  end if;
  return crm.contact_json(t);
end
$$;
comment on function api.contact_restore(jsonb) is
  'Takes the record out of the archive and returns it; a record in use stays as it is. Raises not_found, '
  'record_merged, record_erased.';

create function crm.contact_filled(t crm.contacts, other crm.contacts) returns crm.contacts
language plpgsql immutable set search_path = '' as $$
begin
  t.email := coalesce(t.email, other.email);
  t.phone := coalesce(t.phone, other.phone);
  t.phone2 := coalesce(t.phone2, other.phone2);
  t.whatsapp := coalesce(t.whatsapp, other.whatsapp);
  t.job_title := coalesce(t.job_title, other.job_title);
  t.company_id := coalesce(t.company_id, other.company_id);
  t.instagram := coalesce(t.instagram, other.instagram);
  t.linkedin := coalesce(t.linkedin, other.linkedin);
  t.notes := coalesce(t.notes, other.notes);
  t.custom_fields := crm.filled_custom_fields(t.custom_fields, other.custom_fields);
  t.external_id := coalesce(t.external_id, other.external_id);
  return t;
end
$$;
comment on function crm.contact_filled(crm.contacts, crm.contacts) is
  'The first record, with its empty fields filled from the second.';

create function crm.contact_survivor(p_id uuid) returns crm.contacts
language plpgsql set search_path = '' as $$
declare
  t crm.contacts;
begin
  loop
    -- Waits for a merge of this record that is in progress, then sees its result.
    select r.* into t from crm.contacts r
    where r.workspace_id = crm.current_workspace_id() and r.id = p_id
    for key share;
    exit when t.merged_into_id is null;
    p_id := t.merged_into_id;
  end loop;
  return t;
end
$$;
comment on function crm.contact_survivor(uuid) is
  'The record that remains after the merges of this one, locked until the transaction ends against merging and '
  'erasing. It may be archived or erased.';

create function crm.contact_erase(p_workspace_id uuid, p_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  update crm.contacts r
  set (
    name, email, phone, phone2, whatsapp, job_title, company_id, instagram, linkedin, notes, custom_fields, external_id,
    archived_at, erased_at
  ) = (
    'Contato apagado', null, null, null, null, null, null, null, null, null, null, null, coalesce(r.archived_at, now()),
    now()
  )
  where r.workspace_id = p_workspace_id and r.id = any (p_ids) and r.erased_at is null;
end
$$;
comment on function crm.contact_erase(uuid, uuid[]) is
  'Clears every field of the records that clients can write, except the owner. The rows stay, because others refer to '
  'them.';

create function api.contact_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_record json;
  v_merged_into_id uuid;
begin
  select crm.contact_json(t), t.merged_into_id into v_record, v_merged_into_id from crm.contacts t
  where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid;
  if v_merged_into_id is not null then perform api.fail('merged', array['id'], null, array[v_merged_into_id]); end if;
  return crm.require_record(v_record);
end
$$;
comment on function api.contact_get(jsonb) is 'Returns one record; raises not_found, merged.';

create index contacts_email on crm.contacts (workspace_id, email, id);
create index contacts_phone_e164 on crm.contacts (workspace_id, phone_e164, id);
create index contacts_company_id on crm.contacts (workspace_id, company_id, id) where company_id is not null;
create index contacts_updated_at on crm.contacts (workspace_id, updated_at, id);
create index contacts_archived on crm.contacts (workspace_id, id) where archived_at is not null;

create function crm.contact_text(t crm.contacts) returns text
language sql immutable
-- Must stay one expression, so that Postgres inlines it: otherwise each search would plan it.
as $$ select crm.search_text(array[t.name, t.email, t.job_title, t.external_id], array[t.phone, t.phone2, t.whatsapp]::text[]) $$;
comment on function crm.contact_text(crm.contacts) is 'The searched text of the record.';

create trigger forget_text after delete on crm.contacts for each row execute function crm.forget_text('contact');

create function crm.contact_json_if_short(t crm.contacts) returns json
language sql stable as $$
  select case when coalesce(octet_length(t.notes), 0) + coalesce(pg_column_size(t.custom_fields), 0) <= 4000
    and pg_column_compression(t.custom_fields) is null
    then crm.contact_json(t)
  end
$$;
comment on function crm.contact_json_if_short(crm.contacts) is
  'crm.contact_json, or null if the row may be long: crm.bounded_records builds those, so that a page can end before '
  'them.';

create function api.contact_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- The migration list_filters explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until}'::text[];
  v_value text;
  v_ids uuid[];
  v_next_id uuid;
  v_records json[];
  v_complete boolean;
begin
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- One statement with its own cached plan for each filter: a common statement could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and t.id < v_before and t.id >= v_from
      order by t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'email' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and (t.email, t.id) < (p_args ->> 'email', v_before)
        and t.email >= p_args ->> 'email' and t.email = any (array[p_args ->> 'email']) and t.id < v_before
        and t.id >= v_from
      order by t.email desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'phone' = '{}' then
    v_value := crm.e164(p_args ->> 'phone');
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and (t.phone_e164, t.id) < (v_value, v_before)
        and t.phone_e164 >= v_value and t.phone_e164 = any (array[v_value]) and t.id < v_before and t.id >= v_from
      order by t.phone_e164 desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'company_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id()
        and (t.company_id, t.id) < ((p_args ->> 'company_id')::uuid, v_before)
        and t.company_id >= (p_args ->> 'company_id')::uuid
        and t.company_id = any (array[(p_args ->> 'company_id')::uuid]) and t.id < v_before and t.id >= v_from
        and t.company_id is not null
      order by t.company_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and t.external_id = p_args ->> 'external_id'
        and (t.external_id, t.id) < (p_args ->> 'external_id', v_before)
        and (t.external_id, t.id) >= (p_args ->> 'external_id', v_from)
      order by t.external_id desc limit v_limit + 1
    ) page;
  end if;
  if v_complete is not true then
    select page.ids, page.records, page.is_complete, page.next_id into v_ids, v_records, v_complete, v_next_id
    from crm.rest_of_page('contact', p_args, v_filters, v_before, v_from, v_ids, v_records, v_complete) page;
  end if;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_ids := v_ids[:v_limit];
  end if;
  if not v_complete or pg_column_size(v_records) > crm.max_page_bytes() then
    v_records := crm.bounded_records('contact', v_ids, v_records);
    if cardinality(v_records) < cardinality(v_ids) then v_next_id := v_ids[cardinality(v_records)]; end if;
  end if;
  if p_args ? 'updated_since' and not p_args ? 'cursor' then return crm.synced_page(v_records, v_next_id); end if;
  return crm.page(v_records, v_next_id);
end
$$;
comment on function api.contact_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
-- end of what is written

create function crm.contact_new(p_args jsonb) returns crm.contacts
language plpgsql set search_path = '' as $$
declare
  v_contact crm.contacts := jsonb_populate_record(null::crm.contacts, crm.require_references(p_args));
begin
  v_contact.owner_id := crm.owner_or_default(v_contact.owner_id);
  return v_contact;
end
$$;
comment on function crm.contact_new(jsonb) is
  'The contact to insert for the arguments of a creation. Raises invalid_reference, no_owner_available (spec 4.2).';

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
  'Creates a contact and returns its id (the whole record if the caller prefers the representation) with the contacts '
  'it resembles. Raises the codes of crm.contact_new.';

create function api.contact_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_contact crm.contacts := crm.contact_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes jsonb := crm.changes(to_jsonb(v_contact), p_args);
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

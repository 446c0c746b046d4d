-- Companies: the table, the SQL that deno task records writes, its verbs.

create table crm.companies (
  -- No foreign key to crm.workspaces: that of owner_id implies it, and a second one would lock the workspace's row at
  -- every insert.
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  name_key text not null generated always as (crm.name_key(name)) stored,
  legal_name text,
  tax_id text,
  domain text,
  website text,
  email text,
  phone text,
  industry text,
  employee_count crm.quantity,
  linkedin text,
  instagram text,
  address jsonb,
  owner_id uuid not null,
  notes text,
  custom_fields jsonb,
  external_id crm.external_id,
  archived_at timestamptz,
  merged_into_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id),
  foreign key (workspace_id, merged_into_id) references crm.companies (workspace_id, id),
  -- A merged company is always archived, so that a search for companies in use needs only the condition on archived_at.
  check (archived_at is not null or merged_into_id is null)
);
comment on table crm.companies is 'The organisations that a workspace sells to.';
comment on column crm.companies.external_id is 'The caller''s own id for the company, unique in the workspace.';
comment on column crm.companies.archived_at is
  'Since when lists leave the company out. A merged company is archived too.';
comment on column crm.companies.merged_into_id is 'The company that replaced this one in a merge.';
create unique index companies_external_id_once on crm.companies (workspace_id, external_id) where external_id is not null;
-- A generated column and not an index on the expression: under row-level security an index serves only leakproof
-- conditions, and only a superuser can create a leakproof function.
comment on column crm.companies.name_key is 'The name in the form of crm.name_key, by which leads find a company.';
comment on column crm.companies.tax_id is
  'CNPJ (alphanumeric since 2026) or another tax id, in upper case and without punctuation.';

call crm.protect('crm.companies');
create trigger touch before update on crm.companies for each row execute function crm.touch();

-- written by deno task records: company
create type api.company as (
  id uuid, workspace_id uuid, name text, legal_name text, tax_id text, domain text, website text, email text,
  phone text, industry text, employee_count integer, linkedin text, instagram text, address jsonb, owner_id uuid,
  notes text, custom_fields jsonb, external_id text, archived_at text, merged_into_id uuid, created_at text,
  updated_at text
);
comment on type api.company is 'A company: its public fields, in order.';

create function crm.company_json(t crm.companies) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
    t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.external_id,
    crm.iso(t.archived_at), t.merged_into_id, crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.company)
$$;
comment on function crm.company_json(crm.companies) is 'A row as public JSON, with the fields of api.company.';

create function crm.company_insert(t crm.companies, out made crm.companies, out alike uuid[])
language plpgsql set search_path = '' as $$
declare
  v_made record;
begin
  insert into crm.companies as new (
    workspace_id, name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin,
    instagram, address, owner_id, notes, custom_fields, external_id
  )
  values (
    crm.current_workspace_id(), t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
    t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.external_id
  )
  returning new as made, array(
    select o.id from crm.companies o
    where o.workspace_id = new.workspace_id and o.tax_id = any (array[new.tax_id]) and o.tax_id is not null
      and o.archived_at is null
    order by o.tax_id, o.id limit 5
  ) || array(
    select o.id from crm.companies o
    where o.workspace_id = new.workspace_id and o.domain = any (array[new.domain]) and o.domain is not null
      and o.archived_at is null
    order by o.domain, o.id limit 5
  ) as alike into v_made;
  made := v_made.made;
  alike := v_made.alike;
end
$$;
comment on function crm.company_insert(crm.companies) is
  'Creates the record in the caller''s workspace and returns it, and up to five records in use that it resembles for '
  'each reason.';

create function crm.company_insert(p_rows crm.companies[]) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_ids uuid[];
begin
  with made as (
    insert into crm.companies as new (
      workspace_id, name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin,
      instagram, address, owner_id, notes, custom_fields, external_id
    )
    select
      crm.current_workspace_id(), t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
      t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.external_id
    from unnest(p_rows) t
    returning new.id
  )
  select array_agg(m.id) into v_ids from made m;
  return v_ids;
end
$$;
comment on function crm.company_insert(crm.companies[]) is
  'Creates records in the caller''s workspace; returns their ids in the order of the rows.';

create function crm.company_lock(p_id uuid, p_if_match jsonb default null) returns crm.companies
language plpgsql set search_path = '' as $$
declare
  t crm.companies;
begin
  select * into t from crm.companies r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  if t.merged_into_id is not null then
    perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]);
  end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.company_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.company_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found, record_merged; precondition_failed if p_if_match, a list of versions, lacks the record''s.';

create function crm.company_save(t crm.companies) returns crm.companies
language plpgsql set search_path = '' as $$
begin
  update crm.companies as saved
  set (
    name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin, instagram, address,
    owner_id, notes, custom_fields, external_id
  ) = (
    t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry, t.employee_count, t.linkedin,
    t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.external_id
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.company_save(crm.companies) is
  'Writes the changeable fields of the record, and returns the updated row.';

create function crm.changed_fields(a crm.companies, b crm.companies) returns text[]
language sql immutable as $$
  select array_remove(array[
    case when a.address is distinct from b.address then 'address' end,
    case when a.archived_at is distinct from b.archived_at then 'archived_at' end,
    case when a.created_at is distinct from b.created_at then 'created_at' end,
    case when a.custom_fields is distinct from b.custom_fields then 'custom_fields' end,
    case when a.domain is distinct from b.domain then 'domain' end,
    case when a.email is distinct from b.email then 'email' end,
    case when a.employee_count is distinct from b.employee_count then 'employee_count' end,
    case when a.external_id is distinct from b.external_id then 'external_id' end,
    case when a.industry is distinct from b.industry then 'industry' end,
    case when a.instagram is distinct from b.instagram then 'instagram' end,
    case when a.legal_name is distinct from b.legal_name then 'legal_name' end,
    case when a.linkedin is distinct from b.linkedin then 'linkedin' end,
    case when a.merged_into_id is distinct from b.merged_into_id then 'merged_into_id' end,
    case when a.name is distinct from b.name then 'name' end,
    case when a.notes is distinct from b.notes then 'notes' end,
    case when a.owner_id is distinct from b.owner_id then 'owner_id' end,
    case when a.phone is distinct from b.phone then 'phone' end,
    case when a.tax_id is distinct from b.tax_id then 'tax_id' end,
    case when a.website is distinct from b.website then 'website' end
  ], null)
$$;
comment on function crm.changed_fields(crm.companies, crm.companies) is
  'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and computed '
  'fields.';

create function api.company_archive(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.companies;
begin
  update crm.companies r
  set archived_at = now()
  where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid and r.archived_at is null
  returning r.* into t;
  if not found then
    select r.* into t from crm.companies r
    where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid;
    if not found then
      perform api.fail('not_found');
    end if;
    if t.merged_into_id is not null then
      perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]);
    end if;
  end if;
  return crm.company_json(t);
end
$$;
comment on function api.company_archive(jsonb) is
  'Archives the record, so that lists leave it out, and returns it; an archived record stays as it is. Raises '
  'not_found, record_merged.';

create function api.company_restore(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.companies := crm.company_lock((p_args ->> 'id')::uuid);
begin
  if t.archived_at is not null then
    update crm.companies r set archived_at = null where r.workspace_id = t.workspace_id and r.id = t.id
    returning r.* into t;
  end if;
  return crm.company_json(t);
end
$$;
comment on function api.company_restore(jsonb) is
  'Takes the record out of the archive and returns it; a record in use stays as it is. Raises not_found, '
  'record_merged.';

create function crm.company_filled(t crm.companies, other crm.companies) returns crm.companies
language plpgsql immutable set search_path = '' as $$
begin
  t.legal_name := coalesce(t.legal_name, other.legal_name);
  t.tax_id := coalesce(t.tax_id, other.tax_id);
  t.domain := coalesce(t.domain, other.domain);
  t.website := coalesce(t.website, other.website);
  t.email := coalesce(t.email, other.email);
  t.phone := coalesce(t.phone, other.phone);
  t.industry := coalesce(t.industry, other.industry);
  t.employee_count := coalesce(t.employee_count, other.employee_count);
  t.linkedin := coalesce(t.linkedin, other.linkedin);
  t.instagram := coalesce(t.instagram, other.instagram);
  t.address := coalesce(t.address, other.address);
  t.notes := coalesce(t.notes, other.notes);
  t.custom_fields := crm.filled_custom_fields(t.custom_fields, other.custom_fields);
  t.external_id := coalesce(t.external_id, other.external_id);
  return t;
end
$$;
comment on function crm.company_filled(crm.companies, crm.companies) is
  'The first record, with its empty fields filled from the second.';

create function crm.company_survivor(p_id uuid) returns crm.companies
language plpgsql set search_path = '' as $$
declare
  t crm.companies;
begin
  loop
    -- Waits for a merge of this record that is in progress, then sees its result.
    select r.* into t from crm.companies r
    where r.workspace_id = crm.current_workspace_id() and r.id = p_id
    for key share;
    exit when t.merged_into_id is null;
    p_id := t.merged_into_id;
  end loop;
  return t;
end
$$;
comment on function crm.company_survivor(uuid) is
  'The record that remains after the merges of this one, locked until the transaction ends against merging. It may be '
  'archived.';

create function api.company_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_record json;
  v_merged_into_id uuid;
begin
  select crm.company_json(t), t.merged_into_id into v_record, v_merged_into_id from crm.companies t
  where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid;
  if v_merged_into_id is not null then perform api.fail('merged', array['id'], null, array[v_merged_into_id]); end if;
  return crm.require_record(v_record);
end
$$;
comment on function api.company_get(jsonb) is 'Returns one record; raises not_found, merged.';

create index companies_name_key on crm.companies (workspace_id, name_key, id);
create index companies_tax_id on crm.companies (workspace_id, tax_id, id) where tax_id is not null;
create index companies_domain on crm.companies (workspace_id, domain, id) where domain is not null;
create index companies_owner_id on crm.companies (workspace_id, owner_id, id);
create index companies_updated_at on crm.companies (workspace_id, updated_at, id);
create index companies_archived on crm.companies (workspace_id, id) where archived_at is not null;

create function crm.company_text(t crm.companies) returns text
language sql immutable
-- Must stay one expression, so that Postgres inlines it: otherwise each search would plan it.
as $$ select crm.search_text(array[t.name, t.legal_name, t.tax_id, t.domain, t.email, t.external_id, crm.spelled_tax_id(t.tax_id)], array[t.phone]::text[]) $$;
comment on function crm.company_text(crm.companies) is 'The searched text of the record.';

create trigger forget_text after delete on crm.companies for each row execute function crm.forget_text('company');

create function crm.company_json_if_short(t crm.companies) returns json
language sql stable as $$
  select case when coalesce(pg_column_size(t.address), 0) + coalesce(octet_length(t.notes), 0) + coalesce(pg_column_size(t.custom_fields), 0) <= 4000
    and pg_column_compression(t.address) is null
    and pg_column_compression(t.custom_fields) is null
    then crm.company_json(t)
  end
$$;
comment on function crm.company_json_if_short(crm.companies) is
  'crm.company_json, or null if the row may be long: crm.bounded_records builds those, so that a page can end before '
  'them.';

create function api.company_list(p_args jsonb) returns json
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
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and t.id < v_before and t.id >= v_from
      order by t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'name' = '{}' then
    v_value := crm.name_key(p_args ->> 'name');
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.name_key, t.id) < (v_value, v_before)
        and t.name_key >= v_value and t.name_key = any (array[v_value]) and t.id < v_before and t.id >= v_from
      order by t.name_key desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'tax_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.tax_id, t.id) < (p_args ->> 'tax_id', v_before)
        and t.tax_id >= p_args ->> 'tax_id' and t.tax_id = any (array[p_args ->> 'tax_id']) and t.id < v_before
        and t.id >= v_from and t.tax_id is not null
      order by t.tax_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'domain' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.domain, t.id) < (p_args ->> 'domain', v_before)
        and t.domain >= p_args ->> 'domain' and t.domain = any (array[p_args ->> 'domain']) and t.id < v_before
        and t.id >= v_from and t.domain is not null
      order by t.domain desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.owner_id, t.id) < ((p_args ->> 'owner_id')::uuid, v_before)
        and t.owner_id >= (p_args ->> 'owner_id')::uuid and t.owner_id = any (array[(p_args ->> 'owner_id')::uuid])
        and t.id < v_before and t.id >= v_from
      order by t.owner_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and t.external_id = p_args ->> 'external_id'
        and (t.external_id, t.id) < (p_args ->> 'external_id', v_before)
        and (t.external_id, t.id) >= (p_args ->> 'external_id', v_from)
      order by t.external_id desc limit v_limit + 1
    ) page;
  end if;
  if v_complete is not true then
    select page.ids, page.records, page.is_complete, page.next_id into v_ids, v_records, v_complete, v_next_id
    from crm.rest_of_page('company', p_args, v_filters, v_before, v_from, v_ids, v_records, v_complete) page;
  end if;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_ids := v_ids[:v_limit];
  end if;
  if not v_complete or pg_column_size(v_records) > crm.max_page_bytes() then
    v_records := crm.bounded_records('company', v_ids, v_records);
    if cardinality(v_records) < cardinality(v_ids) then v_next_id := v_ids[cardinality(v_records)]; end if;
  end if;
  if v_records is null and p_args ?| '{owner_id}' then perform crm.require_known_filters(p_args); end if;
  if p_args ? 'updated_since' and not p_args ? 'cursor' then return crm.synced_page(v_records, v_next_id); end if;
  return crm.page(v_records, v_next_id);
end
$$;
comment on function api.company_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
-- end of what is written

create function crm.company_new(p_args jsonb) returns crm.companies
language plpgsql set search_path = '' as $$
declare
  v_company crm.companies := jsonb_populate_record(null::crm.companies, crm.require_references(p_args));
begin
  v_company.owner_id := crm.owner_or_default(v_company.owner_id);
  return v_company;
end
$$;
comment on function crm.company_new(jsonb) is
  'The company to insert for the arguments of a creation. Raises invalid_reference, no_owner_available (spec 4.6).';

create function api.company_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_company record := crm.company_insert(crm.company_new(p_args));
begin
  return crm.creation_json(p_args, crm.company_json(v_company.made), v_company.alike);
end
$$;
comment on function api.company_create(jsonb) is
  'Creates a company and returns it with the companies it resembles. Raises the codes of crm.company_new.';

create function api.company_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_company crm.companies := crm.company_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes jsonb := crm.changes(to_jsonb(v_company), p_args);
begin
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes <> '{}' then
    v_company := jsonb_populate_record(v_company, crm.require_references(v_changes));
    v_company.owner_id := crm.owner_or_default(v_company.owner_id);
    v_company := crm.company_save(v_company);
  end if;
  return crm.company_json(v_company);
end
$$;
comment on function api.company_update(jsonb) is
  'Changes the fields that were sent; null clears a field, and an owner_id of null sets the default owner (spec 4.6).';

-- Companies: the table, its plain SQL, its verbs.

create table crm.companies (
  -- No foreign key to crm.workspaces: the one of owner_id implies it, and a second one would lock the workspace's row
  -- at every insert.
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  name text not null check (char_length(name) between 1 and 255),
  name_key text not null generated always as (crm.name_key(name)) stored,
  legal_name text,
  tax_id text,
  domain text,
  website text,
  email text,
  phone text,
  industry text,
  employee_count integer check (employee_count >= 0),
  linkedin text,
  instagram text,
  address jsonb,
  owner_id uuid not null,
  notes text,
  custom_fields jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id)
);
comment on table crm.companies is 'Organisations that a workspace sells to.';
-- A generated column and not an index on the expression: under row-level security an index serves only leakproof
-- conditions, and only a superuser can create a leakproof function.
comment on column crm.companies.name_key is
  'The name in the form of crm.name_key. Searches by name compare this column.';
comment on column crm.companies.tax_id is
  'CNPJ (alphanumeric since 2026) or another tax id, in upper case and without punctuation.';

call crm.protect('crm.companies');
create trigger touch before update on crm.companies for each row execute function crm.touch();

-- written by deno task records: company
create type api.company as (
  id uuid,
  workspace_id uuid,
  name text,
  legal_name text,
  tax_id text,
  domain text,
  website text,
  email text,
  phone text,
  industry text,
  employee_count integer,
  linkedin text,
  instagram text,
  address jsonb,
  owner_id uuid,
  notes text,
  custom_fields jsonb,
  created_at text,
  updated_at text
);
comment on type api.company is 'A company: its public fields, in order.';

create function crm.company_json(t crm.companies) returns json
language sql stable
as $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
    t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields,
    crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.company)
$$;
comment on function crm.company_json(crm.companies) is
  'A row as public JSON, with the fields of api.company.';

create function crm.company_insert(t crm.companies) returns crm.companies
language plpgsql
set search_path = ''
as $$
begin
  insert into crm.companies as new (
    workspace_id, name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin,
    instagram, address, owner_id, notes, custom_fields
  )
  values (
    crm.current_workspace_id(), t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone,
    t.industry, t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields
  )
  returning new.* into t;
  return t;
end
$$;
comment on function crm.company_insert(crm.companies) is
  'Creates the record in the caller''s workspace and returns it.';

create function crm.company_lock(p_id uuid) returns crm.companies
language plpgsql
set search_path = ''
as $$
declare
  t crm.companies;
begin
  select * into t from crm.companies r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  return t;
end
$$;
comment on function crm.company_lock(uuid) is
  'Locks the record until the transaction ends, so that concurrent changes of different fields are all '
  'kept, and returns it. Raises not_found.';

create function crm.company_save(t crm.companies) returns crm.companies
language plpgsql
set search_path = ''
as $$
begin
  update crm.companies as saved
  set (
    name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin, instagram,
    address, owner_id, notes, custom_fields
  ) = (
    t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry, t.employee_count,
    t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.company_save(crm.companies) is
  'Writes the fields of the record that can change, and returns the row as it is then.';

create function api.company_get(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return crm.require_record((
    select crm.company_json(t) from crm.companies t
    where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid
  ));
end
$$;
comment on function api.company_get(jsonb) is 'Returns one record; raises not_found.';

create index companies_name_key on crm.companies (workspace_id, name_key, id);
create index companies_tax_id on crm.companies (workspace_id, tax_id, id);
create index companies_domain on crm.companies (workspace_id, domain, id);
create index companies_owner_id on crm.companies (workspace_id, owner_id, id);
create index companies_updated_at on crm.companies (workspace_id, updated_at, id);

create function crm.company_list_by(p_args jsonb, p_before uuid, out ids uuid[], out records json[])
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
    select t.id, crm.company_json(t) as record from crm.companies t
    where t.workspace_id = crm.current_workspace_id() and t.id < p_before
      and (not p_args ? 'name' or t.name_key = crm.name_key(p_args ->> 'name'))
      and (not p_args ? 'tax_id' or t.tax_id = p_args ->> 'tax_id')
      and (not p_args ? 'domain' or t.domain = p_args ->> 'domain')
      and (not p_args ? 'owner_id' or t.owner_id = (p_args ->> 'owner_id')::uuid)
      and (not p_args ? 'since' or t.id >= crm.uuid_v7_floor((p_args ->> 'since')::timestamptz))
      and (not p_args ? 'updated_since' or t.updated_at >= (p_args ->> 'updated_since')::timestamptz)
    order by t.id desc
    limit (p_args ->> 'limit')::integer + 1
  ) page;
end
$$;
comment on function crm.company_list_by(jsonb, uuid) is
  'The ids and records of a page of api.company_list, for any combination of its filters.';

create function api.company_list(p_args jsonb) returns json
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
        select t.id, crm.company_json(t) as record from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{name}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.company_json(t) as record from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.name_key = crm.name_key(p_args ->> 'name')
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{tax_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.company_json(t) as record from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.tax_id = p_args ->> 'tax_id'
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{domain}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.company_json(t) as record from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.domain = p_args ->> 'domain'
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{owner_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.company_json(t) as record from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.owner_id = (p_args ->> 'owner_id')::uuid
        order by t.id desc
        limit v_limit + 1
      ) page;
    else
      select page.ids, page.records into v_ids, v_records from crm.company_list_by(p_args, v_before) page;
  end case;
  return crm.page(v_limit, v_ids, v_records);
end
$$;
comment on function api.company_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
-- end of what is written

create function api.company_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_company crm.companies := jsonb_populate_record(null::crm.companies, p_args);
begin
  perform crm.check_references(p_args);
  v_company.owner_id := crm.owner_or_default(v_company.owner_id);
  v_company := crm.company_insert(v_company);
  return crm.company_json(v_company);
end
$$;
comment on function api.company_create(jsonb) is
  'Creates a company and returns it; raises invalid_reference, no_owner_available (spec 4.6).';

create function api.company_update(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_company crm.companies := crm.company_lock((p_args ->> 'id')::uuid);
  v_changes jsonb := crm.changes(to_jsonb(v_company), p_args);
begin
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes <> '{}' then
    perform crm.check_references(v_changes);
    v_company := jsonb_populate_record(v_company, v_changes);
    v_company.owner_id := crm.owner_or_default(v_company.owner_id);
    v_company := crm.company_save(v_company);
  end if;
  return crm.company_json(v_company);
end
$$;
comment on function api.company_update(jsonb) is
  'Changes the fields that were sent; null clears a field, and an owner_id of null sets the default owner (spec '
  '4.6).';

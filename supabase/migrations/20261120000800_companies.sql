-- Companies: the table, its public JSON, its verbs.

create table crm.companies (
  -- Its owner is of a workspace that is there: a check of its own would lock the workspace's row for each record.
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
-- A column rather than an index on the expression: under row-level security an index serves only leakproof conditions,
-- and no function of ours can be that.
comment on column crm.companies.name_key is 'What the name is found by (crm.name_key).';
comment on column crm.companies.tax_id is 'CNPJ (alphanumeric since 2026) or any other: upper case, without punctuation.';

create index companies_name on crm.companies (workspace_id, name_key, id);
create index companies_domain on crm.companies (workspace_id, domain, id);
create index companies_tax_id on crm.companies (workspace_id, tax_id, id);
create index companies_owner on crm.companies (workspace_id, owner_id, id);
create index companies_updated on crm.companies (workspace_id, updated_at, id);
call crm.protect('crm.companies');
grant select, insert, update on crm.companies to crm_api;
create trigger touch before update on crm.companies for each row execute function crm.touch();

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
comment on type api.company is 'Public JSON of a company.';

create function crm.company_json(c crm.companies) returns json
language sql stable
as $$
  select to_json(row(
    c.id, c.workspace_id, c.name, c.legal_name, c.tax_id, c.domain, c.website, c.email, c.phone, c.industry,
    c.employee_count, c.linkedin, c.instagram, c.address, c.owner_id, c.notes, c.custom_fields,
    crm.iso(c.created_at), crm.iso(c.updated_at)
  )::api.company)
$$;
comment on function crm.company_json(crm.companies) is 'As api.company, in JSON: everywhere that a company is shown.';

call crm.define_list('company_list', 'crm.companies', 'crm.company_json', jsonb_build_object(
  'name', 't.name_key = crm.name_key($1 ->> ''name'')',
  'domain', 't.domain = $1 ->> ''domain''',
  'tax_id', 't.tax_id = $1 ->> ''tax_id''',
  'owner_id', 't.owner_id = ($1 ->> ''owner_id'')::uuid'
));

create function api.company_get(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return crm.found((
    select crm.company_json(c) from crm.companies c
    where c.workspace_id = crm.current_workspace_id() and c.id = (p_args ->> 'id')::uuid
  ));
end
$$;
comment on function api.company_get(jsonb) is 'One company, or not_found (spec 4.6).';

create function api.company_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_company crm.companies := jsonb_populate_record(null::crm.companies, p_args);
begin
  perform crm.check_references(p_args);
  insert into crm.companies as c (
    workspace_id, name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin,
    instagram, address, owner_id, notes, custom_fields
  )
  values (
    crm.current_workspace_id(), v_company.name, v_company.legal_name, v_company.tax_id, v_company.domain,
    v_company.website, v_company.email, v_company.phone, v_company.industry, v_company.employee_count,
    v_company.linkedin, v_company.instagram, v_company.address, crm.owner_or_default(v_company.owner_id),
    v_company.notes, v_company.custom_fields
  )
  returning c.* into v_company;
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
  v_company crm.companies;
  v_changes jsonb;
begin
  -- Locked: two PATCHes of different fields must both be kept.
  select * into v_company from crm.companies c
  where c.workspace_id = crm.current_workspace_id() and c.id = (p_args ->> 'id')::uuid
  for update;
  if not found then
    perform api.fail('not_found');
  end if;
  v_changes := crm.changes(to_jsonb(v_company), p_args);
  -- A PATCH that changes nothing is no change, to a feed by updated_since least of all.
  if v_changes = '{}' then
    return crm.company_json(v_company);
  end if;
  perform crm.check_references(v_changes);
  v_company := jsonb_populate_record(v_company, v_changes);
  update crm.companies c
  set (
    name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin, instagram, address,
    owner_id, notes, custom_fields
  ) = (
    v_company.name, v_company.legal_name, v_company.tax_id, v_company.domain, v_company.website, v_company.email,
    v_company.phone, v_company.industry, v_company.employee_count, v_company.linkedin, v_company.instagram,
    v_company.address, crm.owner_or_default(v_company.owner_id), v_company.notes, v_company.custom_fields
  )
  where c.workspace_id = v_company.workspace_id and c.id = v_company.id
  returning * into v_company;
  return crm.company_json(v_company);
end
$$;
comment on function api.company_update(jsonb) is
  'Changes what was sent and clears what was sent as null; an owner of null is chosen anew (spec 4.6).';

-- Companies: the table and its verbs. `deno task records` writes the plain SQL into 31_companies_written.sql.

create table crm.companies (
  -- No foreign key to crm.workspaces: it would lock the workspace's row at every insert. The foreign key of owner_id
  -- already ensures that the workspace exists.
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
  tags text[],
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id),
  foreign key (workspace_id, merged_into_id) references crm.companies (workspace_id, id),
  -- A merged company is always archived. So a search for companies in use needs only the condition on archived_at.
  check (archived_at is not null or merged_into_id is null)
);
comment on table crm.companies is 'The organisations that a workspace sells to.';
create unique index companies_external_id_once on crm.companies (workspace_id, external_id) where external_id is not null;
-- A generated column, because an index on the expression crm.name_key(name) would not be used: under row-level security
-- an index serves only leakproof conditions, and only a superuser could make crm.name_key leakproof.
comment on column crm.companies.name_key is 'The name in the form of crm.name_key, by which leads find a company.';
comment on column crm.companies.tax_id is
  'CNPJ (alphanumeric since 2026) or another tax id, in upper case and without punctuation.';

call crm.protect('crm.companies');
create trigger touch before update on crm.companies for each row execute function crm.touch();

create function crm.company_new(p_args jsonb) returns crm.companies
language plpgsql set search_path = '' as $$
declare
  v_company crm.companies := jsonb_populate_record(
    null::crm.companies, crm.require_references(crm.checked_values('company', p_args))
  );
begin
  v_company.owner_id := crm.owner_or_default(v_company.owner_id);
  return v_company;
end
$$;
comment on function crm.company_new(jsonb) is
  'The company to insert for a creation. Raises validation_error, invalid_reference, no_owner_available (spec 4.6).';

create function api.company_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_company record := crm.company_insert(crm.company_new(p_args));
begin
  return crm.creation_json(p_args, v_company.made, v_company.alike);
end
$$;
comment on function api.company_create(jsonb) is
  'Creates a company and returns it with the ids of similar companies. Raises the codes of crm.company_new.';

create function api.company_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_company crm.companies := crm.company_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changes jsonb := crm.changes('company', to_jsonb(v_company), p_args);
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

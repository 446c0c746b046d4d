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

create function crm.changed_fields(a crm.companies, b crm.companies) returns text[]
language sql immutable
as $$
  select array_remove(array[
    case when a.address is distinct from b.address then 'address' end,
    case when a.created_at is distinct from b.created_at then 'created_at' end,
    case when a.custom_fields is distinct from b.custom_fields then 'custom_fields' end,
    case when a.domain is distinct from b.domain then 'domain' end,
    case when a.email is distinct from b.email then 'email' end,
    case when a.employee_count is distinct from b.employee_count then 'employee_count' end,
    case when a.industry is distinct from b.industry then 'industry' end,
    case when a.instagram is distinct from b.instagram then 'instagram' end,
    case when a.legal_name is distinct from b.legal_name then 'legal_name' end,
    case when a.linkedin is distinct from b.linkedin then 'linkedin' end,
    case when a.name is distinct from b.name then 'name' end,
    case when a.notes is distinct from b.notes then 'notes' end,
    case when a.owner_id is distinct from b.owner_id then 'owner_id' end,
    case when a.phone is distinct from b.phone then 'phone' end,
    case when a.tax_id is distinct from b.tax_id then 'tax_id' end,
    case when a.website is distinct from b.website then 'website' end
  ], null)
$$;
comment on function crm.changed_fields(crm.companies, crm.companies) is
  'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and '
  'without those that are computed.';

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

create function crm.company_list_by(
  p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250, out ids uuid[], out next_id uuid
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- As in api.company_list. The few sorts that are left would count as expensive enough to compile.
set enable_sort = off
set jit = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_name text := crm.name_key(p_args ->> 'name');
  v_tax_id text := p_args ->> 'tax_id';
  v_domain text := p_args ->> 'domain';
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_ranges text[] := array_remove(array[
    case when p_args ?| array['updated_since'] then 'updated_at' end
  ], null);
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_range text;
  v_in_range uuid[];
  -- Whether no other filter was sent, so that all rows in the range match.
  v_alone boolean;
  v_newer integer;
begin
  -- By the equality with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'name' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.name_key, t.id) < (v_name, p_before)
        and (t.name_key, t.id) >= (v_name, p_from)
      order by t.name_key desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_name is not null
    union all
    select 'tax_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.tax_id, t.id) < (v_tax_id, p_before)
        and (t.tax_id, t.id) >= (v_tax_id, p_from)
      order by t.tax_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_tax_id is not null
    union all
    select 'domain' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.domain, t.id) < (v_domain, p_before)
        and (t.domain, t.id) >= (v_domain, p_from)
      order by t.domain desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_domain is not null
    union all
    select 'owner_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < (v_owner_id, p_before)
        and (t.owner_id, t.id) >= (v_owner_id, p_from)
      order by t.owner_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_owner_id is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  ids := '{}';
  for v_round in 1 .. 2 loop
    select array_agg(t.id), array_agg(t.id) filter (
      where (v_name is null or t.name_key = v_name)
        and (v_tax_id is null or t.tax_id = v_tax_id)
        and (v_domain is null or t.domain = v_domain)
        and (v_owner_id is null or t.owner_id = v_owner_id)
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
    )
    into v_walked, v_matches
    from (
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.updated_at from crm.companies t
        where v_by = 'all' and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.updated_at from crm.companies t
        where v_by = 'name' and t.workspace_id = crm.current_workspace_id()
          and (t.name_key, t.id) < (v_name, v_before)
          and (t.name_key, t.id) >= (v_name, p_from)
        order by t.name_key desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.updated_at from crm.companies t
        where v_by = 'tax_id' and t.workspace_id = crm.current_workspace_id()
          and (t.tax_id, t.id) < (v_tax_id, v_before)
          and (t.tax_id, t.id) >= (v_tax_id, p_from)
        order by t.tax_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.updated_at from crm.companies t
        where v_by = 'domain' and t.workspace_id = crm.current_workspace_id()
          and (t.domain, t.id) < (v_domain, v_before)
          and (t.domain, t.id) >= (v_domain, p_from)
        order by t.domain desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.updated_at from crm.companies t
        where v_by = 'owner_id' and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and (t.owner_id, t.id) >= (v_owner_id, p_from)
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.updated_at
        from unnest(v_in_range[:v_rows]) with ordinality chosen (id, position)
        join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        where v_by = 'range'
        order by chosen.position
      )
    ) t;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    v_rows := 4 * p_step;
    -- Few rows of the first round match. A range of few rows is walked instead, if it has no more rows where the first
    -- round was.
    foreach v_range in array v_ranges loop
      case v_range
        when 'updated_at' then
          v_alone := p_args - '{limit,cursor,since,updated_since}'::text[] = '{}';
          v_in_range := array(
            select t.id from crm.companies t
            where t.workspace_id = crm.current_workspace_id()
              and t.updated_at >= v_updated_since
            order by t.updated_at desc
            limit 10 * p_step + 1
          );
      end case;
      continue when cardinality(v_in_range) > 10 * p_step;
      select array_agg(r.id order by r.id desc) filter (where r.id < v_before),
        count(*) filter (where r.id >= v_before and r.id < p_before)
      into v_in_range, v_newer
      from unnest(v_in_range) r (id)
      where r.id >= p_from;
      if v_newer <= p_step then
        if v_alone then
          ids := ids || v_in_range[:v_limit + 1];
          next_id := null;
          return;
        end if;
        v_by := 'range';
        exit;
      end if;
    end loop;
  end loop;
end
$$;
comment on function crm.company_list_by(jsonb, uuid, uuid, integer) is
  'The ids of a page of api.company_list, more than its limit if there are as many, for any combination of '
  'its filters. It looks through at most 5 * p_step rows; next_id is the last of them if there may be '
  'others.';

create function crm.company_json_if_short(t crm.companies) returns json
language sql stable
as $$
  select case when coalesce(pg_column_size(t.address), 0) + coalesce(octet_length(t.notes), 0) + coalesce(pg_column_size(t.custom_fields), 0) <= 4000
    and pg_column_compression(t.address) is null
    and pg_column_compression(t.custom_fields) is null
    then crm.company_json(t)
  end
$$;
comment on function crm.company_json_if_short(crm.companies) is
  'crm.company_json, or null if the row may be long: crm.company_page makes those, so that a page can end '
  'before them.';

create function crm.company_page(p_ids uuid[], p_records json[]) returns json[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_record json;
  v_records json[];
  v_bytes integer := 0;
begin
  for v_position in 1 .. cardinality(p_ids) loop
    v_record := p_records[v_position];
    if v_record is null then
      select crm.company_json(t) into v_record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
    end if;
    v_bytes := v_bytes + pg_column_size(v_record);
    -- One record is shown however long it is, because the next page would begin with it again.
    exit when v_bytes > crm.max_page_bytes() and v_position > 1;
    v_records := v_records || v_record;
  end loop;
  return v_records;
end
$$;
comment on function crm.company_page(uuid[], json[]) is
  'The records of a page that may be too long: those that are null are made one by one, until the page has '
  'its maximum of bytes.';

create function api.company_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
-- The planner estimates more rows for an unknown limit than any page has, and would therefore plan at every call.
set plan_cache_mode = 'force_generic_plan'
-- Every list is read in the order of an index. The planner has statistics only of all workspaces together, and would
-- often read and sort all rows of a workspace instead.
set enable_sort = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since}'::text[];
  v_ids uuid[];
  v_next_id uuid;
  v_records json[];
  v_complete boolean;
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  -- Each filter has its own statement with its own cached plan: one statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.company_json_if_short(t) as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < v_before
        and t.id >= v_from
      order by t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'name' = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.company_json_if_short(t) as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.name_key, t.id) < (crm.name_key(p_args ->> 'name'), v_before)
        and (t.name_key, t.id) >= (crm.name_key(p_args ->> 'name'), v_from)
      order by t.name_key desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'tax_id' = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.company_json_if_short(t) as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.tax_id, t.id) < (p_args ->> 'tax_id', v_before)
        and (t.tax_id, t.id) >= (p_args ->> 'tax_id', v_from)
      order by t.tax_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'domain' = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.company_json_if_short(t) as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.domain, t.id) < (p_args ->> 'domain', v_before)
        and (t.domain, t.id) >= (p_args ->> 'domain', v_from)
      order by t.domain desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) = count(*) into v_ids, v_records, v_complete
    from (
      select t.id, crm.company_json_if_short(t) as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < ((p_args ->> 'owner_id')::uuid, v_before)
        and (t.owner_id, t.id) >= ((p_args ->> 'owner_id')::uuid, v_from)
      order by t.owner_id desc, t.id desc
      limit v_limit + 1
    ) page;
  else
    select page.ids, page.next_id into v_ids, v_next_id
    from crm.company_list_by(p_args, v_before, v_from) page;
    select array_agg(page.record), count(page.record) = count(*) into v_records, v_complete
    from (
      select crm.company_json_if_short(t) as record
      from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
      join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
      order by chosen.position
    ) page;
  end if;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_ids := v_ids[:v_limit];
    v_records := v_records[:v_limit];
  end if;
  if not v_complete or pg_column_size(v_records) > crm.max_page_bytes() then
    v_records := crm.company_page(v_ids, v_records);
    if cardinality(v_records) < cardinality(v_ids) then
      v_next_id := v_ids[cardinality(v_records)];
    end if;
  end if;
  return crm.page(v_records, v_next_id);
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

-- Companies: the table, its plain SQL, its verbs.

create table crm.companies (
  -- No foreign key to crm.workspaces: the one of owner_id implies it, and a second one would lock the workspace's row
  -- at every insert.
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
  -- So that who looks for companies in use needs one condition.
  check (archived_at is not null or merged_into_id is null)
);
comment on table crm.companies is 'Organisations that a workspace sells to.';
comment on column crm.companies.external_id is 'The caller''s own id of the company, unique in the workspace.';
comment on column crm.companies.archived_at is 'Since when lists leave the company out; also of a merged one.';
comment on column crm.companies.merged_into_id is 'The company that this one was merged into, which answers in its place.';
create unique index companies_external_id_once on crm.companies (workspace_id, external_id) where external_id is not null;
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
  external_id text,
  archived_at text,
  merged_into_id uuid,
  created_at text,
  updated_at text
);
comment on type api.company is 'A company: its public fields, in order.';

create function crm.company_json(t crm.companies) returns json
language sql stable
as $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
    t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.external_id,
    crm.iso(t.archived_at), t.merged_into_id, crm.iso(t.created_at), crm.iso(t.updated_at)
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
    instagram, address, owner_id, notes, custom_fields, external_id
  )
  values (
    crm.current_workspace_id(), t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone,
    t.industry, t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields,
    t.external_id
  )
  returning new.* into t;
  return t;
end
$$;
comment on function crm.company_insert(crm.companies) is
  'Creates the record in the caller''s workspace and returns it.';

create function crm.company_insert(p_rows crm.companies[]) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  with made as (
    insert into crm.companies as new (
      workspace_id, name, legal_name, tax_id, domain, website, email, phone, industry, employee_count,
      linkedin, instagram, address, owner_id, notes, custom_fields, external_id
    )
    select
      crm.current_workspace_id(), t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone,
      t.industry, t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields,
      t.external_id
    from unnest(p_rows) t
    returning new.id
  )
  select array_agg(m.id) into v_ids from made m;
  return v_ids;
end
$$;
comment on function crm.company_insert(crm.companies[]) is
  'Creates records in the caller''s workspace; returns their ids, in the order of the rows.';

create function crm.company_lock(p_id uuid, p_if_match jsonb default null) returns crm.companies
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
  'Locks the record until the transaction ends, so that concurrent changes of different fields are all '
  'kept, and returns it. Raises not_found, record_merged; precondition_failed if p_if_match, a list of '
  'versions, has not the record''s.';

create function crm.company_save(t crm.companies) returns crm.companies
language plpgsql
set search_path = ''
as $$
begin
  update crm.companies as saved
  set (
    name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin, instagram,
    address, owner_id, notes, custom_fields, external_id
  ) = (
    t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry, t.employee_count,
    t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.external_id
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
  'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and '
  'without those that are computed.';

create function api.company_archive(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
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
  'Archives the record, so that lists leave it out, and returns it; one that is archived already stays as '
  'it is. Raises not_found, record_merged.';

create function api.company_restore(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
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
  'Takes the record out of the archive and returns it; one that is in use stays as it is. Raises not_found, '
  'record_merged.';

create function crm.company_filled(t crm.companies, other crm.companies) returns crm.companies
language plpgsql immutable
set search_path = ''
as $$
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
  'The first record, with the values of the second one in the fields that are empty.';

create function crm.company_survivor(p_id uuid) returns crm.companies
language plpgsql
set search_path = ''
as $$
declare
  t crm.companies;
begin
  loop
    -- Waits for a merge of this record, and then sees into which one.
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
  'The record that stays of those that were merged with this one, locked until the transaction ends, so '
  'that it is neither merged meanwhile. It may be archived.';

create function api.company_get(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_record json;
  v_merged_into_id uuid;
begin
  select crm.company_json(t), t.merged_into_id into v_record, v_merged_into_id from crm.companies t
  where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid;
  if v_merged_into_id is not null then
    perform api.fail('merged', array['id'], null, array[v_merged_into_id]);
  end if;
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
  v_name text := case when p_args ? 'name' then coalesce(crm.name_key(p_args ->> 'name'), '') end;
  v_tax_id text := p_args ->> 'tax_id';
  v_domain text := p_args ->> 'domain';
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
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
  -- Whether no other filter was sent, so that nearly all rows in the range match.
  v_alone boolean;
  v_newer integer;
begin
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'archived' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < p_before
        and t.id >= p_from
        and t.archived_at is not null
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_archived = 'true'
    union all
    select 'name' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.name_key, t.id) < (v_name, p_before)
        and t.name_key >= v_name
        and t.name_key = any (array[v_name])
        and t.id < p_before
        and t.id >= p_from
      order by t.name_key desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_name is not null
    union all
    select 'tax_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.tax_id, t.id) < (v_tax_id, p_before)
        and t.tax_id >= v_tax_id
        and t.tax_id = any (array[v_tax_id])
        and t.id < p_before
        and t.id >= p_from
        and t.tax_id is not null
      order by t.tax_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_tax_id is not null
    union all
    select 'domain' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.domain, t.id) < (v_domain, p_before)
        and t.domain >= v_domain
        and t.domain = any (array[v_domain])
        and t.id < p_before
        and t.id >= p_from
        and t.domain is not null
      order by t.domain desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_domain is not null
    union all
    select 'owner_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < (v_owner_id, p_before)
        and t.owner_id >= v_owner_id
        and t.owner_id = any (array[v_owner_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.owner_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_owner_id is not null
    union all
    select 'external_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.external_id = v_external_id
        and (t.external_id, t.id) < (v_external_id, p_before)
        and (t.external_id, t.id) >= (v_external_id, p_from)
      order by t.external_id desc
      offset p_step limit 1
    ) as reach
    where v_external_id is not null
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
        and (v_external_id is null or t.external_id = v_external_id)
        and (v_archived is distinct from 'false' or t.archived_at is null)
        and (v_archived is distinct from 'true' or t.archived_at is not null)
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
    )
    into v_walked, v_matches
    from (
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'all'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'name'
          and t.workspace_id = crm.current_workspace_id()
          and (t.name_key, t.id) < (v_name, v_before)
          and t.name_key >= v_name
          and t.name_key = any (array[v_name])
          and t.id < v_before
          and t.id >= p_from
        order by t.name_key desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'tax_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.tax_id, t.id) < (v_tax_id, v_before)
          and t.tax_id >= v_tax_id
          and t.tax_id = any (array[v_tax_id])
          and t.id < v_before
          and t.id >= p_from
          and t.tax_id is not null
        order by t.tax_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'domain'
          and t.workspace_id = crm.current_workspace_id()
          and (t.domain, t.id) < (v_domain, v_before)
          and t.domain >= v_domain
          and t.domain = any (array[v_domain])
          and t.id < v_before
          and t.id >= p_from
          and t.domain is not null
        order by t.domain desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'owner_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, v_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at
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
          v_alone := p_args - '{limit,cursor,since,until,updated_since,archived}'::text[] = '{}' and v_archived <> 'true';
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
        if v_alone and v_archived = 'any' then
          ids := ids || v_in_range[:v_limit + 1];
          next_id := null;
          return;
        elsif v_alone then
          v_rows := least(v_rows, v_limit + 51);
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

create function crm.company_text(t crm.companies) returns text
language sql immutable
-- Nothing but an expression, so that it is inlined: otherwise each search would plan it.
as $$ select crm.search_text(array[t.name, t.legal_name, t.tax_id, t.domain, t.email, t.external_id, crm.spelled_tax_id(t.tax_id)], array[t.phone]::text[]) $$;
comment on function crm.company_text(crm.companies) is 'What is searched of the record.';

create trigger forget_text after delete on crm.companies for each row execute function crm.forget_text('company');

create function crm.company_kept_search(
  p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250, out ids uuid[], out next_id uuid
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- As in crm.company_list_by. A page needs no other join than by the primary key.
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_words text[] := crm.search_words(p_args ->> 'q');
  v_name text := case when p_args ? 'name' then coalesce(crm.name_key(p_args ->> 'name'), '') end;
  v_tax_id text := p_args ->> 'tax_id';
  v_domain text := p_args ->> 'domain';
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_by text;
  v_before uuid := p_before;
  v_rows integer := p_step;
  v_walked uuid[];
  v_matches uuid[];
  v_found record;
begin
  -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
  select w.name into v_by
  from (
    select 'archived' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < p_before
        and t.id >= p_from
        and t.archived_at is not null
      order by t.id desc
      offset p_step limit 1
    ) as reach
    where v_archived = 'true'
    union all
    select 'name' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.name_key, t.id) < (v_name, p_before)
        and t.name_key >= v_name
        and t.name_key = any (array[v_name])
        and t.id < p_before
        and t.id >= p_from
      order by t.name_key desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_name is not null
    union all
    select 'tax_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.tax_id, t.id) < (v_tax_id, p_before)
        and t.tax_id >= v_tax_id
        and t.tax_id = any (array[v_tax_id])
        and t.id < p_before
        and t.id >= p_from
        and t.tax_id is not null
      order by t.tax_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_tax_id is not null
    union all
    select 'domain' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.domain, t.id) < (v_domain, p_before)
        and t.domain >= v_domain
        and t.domain = any (array[v_domain])
        and t.id < p_before
        and t.id >= p_from
        and t.domain is not null
      order by t.domain desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_domain is not null
    union all
    select 'owner_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < (v_owner_id, p_before)
        and t.owner_id >= v_owner_id
        and t.owner_id = any (array[v_owner_id])
        and t.id < p_before
        and t.id >= p_from
      order by t.owner_id desc, t.id desc
      offset p_step limit 1
    ) as reach
    where v_owner_id is not null
    union all
    select 'external_id' as name, (
      select t.id from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.external_id = v_external_id
        and (t.external_id, t.id) < (v_external_id, p_before)
        and (t.external_id, t.id) >= (v_external_id, p_from)
      order by t.external_id desc
      offset p_step limit 1
    ) as reach
    where v_external_id is not null
  ) w
  order by w.reach nulls first
  limit 1;
  v_by := coalesce(v_by, 'all');
  ids := '{}';
  for v_round in 1 .. 2 loop
    if v_by = 'all' then
      -- The texts are read first, because few records have the words.
      select array_agg(w.id order by w.id desc), array_agg(w.id order by w.id desc) filter (
        where t.id is not null
          and (v_name is null or t.name_key = v_name)
          and (v_tax_id is null or t.tax_id = v_tax_id)
          and (v_domain is null or t.domain = v_domain)
          and (v_owner_id is null or t.owner_id = v_owner_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
      )
      into v_walked, v_matches
      from (
        select x.id, case when not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0) then x.id end as found
        from crm.search_texts x
        where x.workspace_id = crm.current_workspace_id() and x.record = 'company'
          and x.id < v_before
          and x.id >= p_from
        order by x.id desc
        limit v_rows
      ) w
      left join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = w.found;
    else
      select array_agg(t.id), array_agg(t.id) filter (
        where (v_name is null or t.name_key = v_name)
          and (v_tax_id is null or t.tax_id = v_tax_id)
          and (v_domain is null or t.domain = v_domain)
          and (v_owner_id is null or t.owner_id = v_owner_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
          and exists (
            select from crm.search_texts x
            where x.workspace_id = crm.current_workspace_id() and x.record = 'company' and x.id = t.id
              and not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0)
          )
      )
      into v_walked, v_matches
      from (
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'name'
          and t.workspace_id = crm.current_workspace_id()
          and (t.name_key, t.id) < (v_name, v_before)
          and t.name_key >= v_name
          and t.name_key = any (array[v_name])
          and t.id < v_before
          and t.id >= p_from
        order by t.name_key desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'tax_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.tax_id, t.id) < (v_tax_id, v_before)
          and t.tax_id >= v_tax_id
          and t.tax_id = any (array[v_tax_id])
          and t.id < v_before
          and t.id >= p_from
          and t.tax_id is not null
        order by t.tax_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'domain'
          and t.workspace_id = crm.current_workspace_id()
          and (t.domain, t.id) < (v_domain, v_before)
          and t.domain >= v_domain
          and t.domain = any (array[v_domain])
          and t.id < v_before
          and t.id >= p_from
          and t.domain is not null
        order by t.domain desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'owner_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id, t.name_key, t.tax_id, t.domain, t.owner_id, t.external_id, t.updated_at, t.archived_at from crm.companies t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, v_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        limit v_rows
      )
      ) t;
    end if;
    ids := ids || v_matches;
    next_id := v_walked[v_rows];
    exit when next_id is null or cardinality(ids) > v_limit or v_round = 2;
    v_before := next_id;
    -- Twice as many as fill the page, if the words are as frequent there. Fewer for a long search: comparing takes as long as
    -- the words are long.
    v_rows := least(
      4 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')),
      2 * p_step * (v_limit + 1 - cardinality(ids)) / greatest(cardinality(ids), 1)
    );
    -- Few of the newest records have the words. The index has the others, as far as they are few.
    select * into v_found from crm.search(
      'company', v_words, v_before, p_from, p_step,
      -- Without another filter nearly all of them match.
      case when p_args - '{q,limit,cursor,since,until}'::text[] = '{}'
        then greatest(v_limit + 51 - cardinality(ids), 1) else 2 * p_step
      end
    );
    -- In the order of the ids that were found: by the records' own, the planner would read them all in that order.
    v_matches := array(
      select t.id
      from unnest(v_found.ids) with ordinality f (id, position)
      join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = f.id
      where (v_name is null or t.name_key = v_name)
          and (v_tax_id is null or t.tax_id = v_tax_id)
          and (v_domain is null or t.domain = v_domain)
          and (v_owner_id is null or t.owner_id = v_owner_id)
          and (v_external_id is null or t.external_id = v_external_id)
          and (v_archived is distinct from 'false' or t.archived_at is null)
          and (v_archived is distinct from 'true' or t.archived_at is not null)
          and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
      order by f.position
    );
    ids := ids || v_matches;
    next_id := v_found.next_id;
    exit when next_id is null or cardinality(ids) > v_limit or not v_found.is_common;
    v_before := next_id;
  end loop;
end
$$;
comment on function crm.company_kept_search(jsonb, uuid, uuid, integer) is
  'The ids of a page of api.company_list with `q` by the texts that are kept, more than its limit if there '
  'are as many. It looks through at most 5 * p_step rows, and finds others by crm.search; next_id is where '
  'the next page continues if there may be others.';

create function crm.company_search(
  p_args jsonb, p_before uuid, p_from uuid, p_step integer default 250, out ids uuid[], out next_id uuid
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- As in crm.company_kept_search.
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  v_name text := case when p_args ? 'name' then coalesce(crm.name_key(p_args ->> 'name'), '') end;
  v_tax_id text := p_args ->> 'tax_id';
  v_domain text := p_args ->> 'domain';
  v_owner_id uuid := (p_args ->> 'owner_id')::uuid;
  v_external_id text := p_args ->> 'external_id';
  v_archived text := coalesce(p_args ->> 'archived', 'false');
  v_updated_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
  v_by text;
  v_before uuid := p_before;
  -- The texts that are made and compared one by one. Fewer for a long search, as in crm.company_kept_search.
  v_rows integer := greatest(2 * p_step * 25 / greatest(25, char_length(p_args ->> 'q')), 1);
  -- The records whose text is not kept yet, or not as it is now.
  v_pending uuid[] := crm.pending_texts('company', 16 * p_step);
  v_words text[];
begin
  if v_pending is null then
    -- Too many to tell which they are: all that is walked counts as one of them.
    -- By the filter with the fewest rows as far as a step goes, or by all rows if there is none.
    select w.name into v_by
    from (
      select 'archived' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and t.id < p_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        offset p_step limit 1
      ) as reach
      where v_archived = 'true'
      union all
      select 'name' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and (t.name_key, t.id) < (v_name, p_before)
          and t.name_key >= v_name
          and t.name_key = any (array[v_name])
          and t.id < p_before
          and t.id >= p_from
        order by t.name_key desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_name is not null
      union all
      select 'tax_id' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and (t.tax_id, t.id) < (v_tax_id, p_before)
          and t.tax_id >= v_tax_id
          and t.tax_id = any (array[v_tax_id])
          and t.id < p_before
          and t.id >= p_from
          and t.tax_id is not null
        order by t.tax_id desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_tax_id is not null
      union all
      select 'domain' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and (t.domain, t.id) < (v_domain, p_before)
          and t.domain >= v_domain
          and t.domain = any (array[v_domain])
          and t.id < p_before
          and t.id >= p_from
          and t.domain is not null
        order by t.domain desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_domain is not null
      union all
      select 'owner_id' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, p_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < p_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        offset p_step limit 1
      ) as reach
      where v_owner_id is not null
      union all
      select 'external_id' as name, (
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, p_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        offset p_step limit 1
      ) as reach
      where v_external_id is not null
    ) w
    order by w.reach nulls first
    limit 1;
    v_by := coalesce(v_by, 'all');
    select array_agg(t.id) into v_pending
    from (
      (
        select t.id from crm.companies t
        where v_by = 'all'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'archived'
          and t.workspace_id = crm.current_workspace_id()
          and t.id < v_before
          and t.id >= p_from
          and t.archived_at is not null
        order by t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'name'
          and t.workspace_id = crm.current_workspace_id()
          and (t.name_key, t.id) < (v_name, v_before)
          and t.name_key >= v_name
          and t.name_key = any (array[v_name])
          and t.id < v_before
          and t.id >= p_from
        order by t.name_key desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'tax_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.tax_id, t.id) < (v_tax_id, v_before)
          and t.tax_id >= v_tax_id
          and t.tax_id = any (array[v_tax_id])
          and t.id < v_before
          and t.id >= p_from
          and t.tax_id is not null
        order by t.tax_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'domain'
          and t.workspace_id = crm.current_workspace_id()
          and (t.domain, t.id) < (v_domain, v_before)
          and t.domain >= v_domain
          and t.domain = any (array[v_domain])
          and t.id < v_before
          and t.id >= p_from
          and t.domain is not null
        order by t.domain desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'owner_id'
          and t.workspace_id = crm.current_workspace_id()
          and (t.owner_id, t.id) < (v_owner_id, v_before)
          and t.owner_id >= v_owner_id
          and t.owner_id = any (array[v_owner_id])
          and t.id < v_before
          and t.id >= p_from
        order by t.owner_id desc, t.id desc
        limit v_rows
      )
      union all
      (
        select t.id from crm.companies t
        where v_by = 'external_id'
          and t.workspace_id = crm.current_workspace_id()
          and t.external_id = v_external_id
          and (t.external_id, t.id) < (v_external_id, v_before)
          and (t.external_id, t.id) >= (v_external_id, p_from)
        order by t.external_id desc
        limit v_rows
      )
    ) t;
  else
    select s.ids, s.next_id into ids, next_id
    from crm.company_kept_search(p_args, p_before, p_from, p_step) s;
    if v_pending = '{}' then
      return;
    end if;
  end if;
  v_words := crm.search_words(p_args ->> 'q');
  v_pending := array(
    select p.id from unnest(v_pending) p (id)
    where p.id < p_before and p.id >= coalesce(next_id, p_from)
    order by p.id desc
    limit v_rows
  );
  next_id := coalesce(v_pending[v_rows], next_id);
  ids := array(
    select m.id
    from (
      (
        select k.id from unnest(ids) k (id) where k.id >= coalesce(next_id, p_from)
        except
        select p.id from unnest(v_pending) p (id)
      )
      union all
      select t.id
      from unnest(v_pending) p (id)
      join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = p.id
      cross join lateral (select crm.company_text(t) as text offset 0) x
      where (v_name is null or t.name_key = v_name)
        and (v_tax_id is null or t.tax_id = v_tax_id)
        and (v_domain is null or t.domain = v_domain)
        and (v_owner_id is null or t.owner_id = v_owner_id)
        and (v_external_id is null or t.external_id = v_external_id)
        and (v_archived is distinct from 'false' or t.archived_at is null)
        and (v_archived is distinct from 'true' or t.archived_at is not null)
        and (v_updated_since = '-infinity' or t.updated_at >= v_updated_since)
        and not exists (select from unnest(v_words) s (word) where strpos(x.text, s.word) = 0)
    ) m
    order by m.id desc
  );
end
$$;
comment on function crm.company_search(jsonb, uuid, uuid, integer) is
  'The ids of a page of api.company_list with `q`, more than its limit if there are as many: those of '
  'crm.company_kept_search, and of what changed since its text was kept those that have the words now. Of '
  'these it compares at most 2 * p_step; where there are too many to be known, it walks as many rows '
  'instead. next_id is where the next page continues if there may be others.';

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
  v_filters jsonb := p_args - '{limit,cursor,since,until}'::text[];
  v_value text;
  v_ids uuid[];
  v_next_id uuid;
  v_records json[];
  v_complete boolean;
  -- The records that crm.company_list_by is asked for.
  v_rest integer;
  v_rest_ids uuid[];
  v_rest_records json[];
begin
  if p_args ? 'since' then
    v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz);
  end if;
  if p_args ? 'until' then
    v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz));
  end if;
  -- Each filter has its own statement with its own cached plan: one statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.id < v_before
        and t.id >= v_from
      order by t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'name' = '{}' then
    v_value := crm.name_key(p_args ->> 'name');
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.name_key, t.id) < (v_value, v_before)
        and t.name_key >= v_value
        and t.name_key = any (array[v_value])
        and t.id < v_before
        and t.id >= v_from
      order by t.name_key desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'tax_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.tax_id, t.id) < (p_args ->> 'tax_id', v_before)
        and t.tax_id >= p_args ->> 'tax_id'
        and t.tax_id = any (array[p_args ->> 'tax_id'])
        and t.id < v_before
        and t.id >= v_from
        and t.tax_id is not null
      order by t.tax_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'domain' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.domain, t.id) < (p_args ->> 'domain', v_before)
        and t.domain >= p_args ->> 'domain'
        and t.domain = any (array[p_args ->> 'domain'])
        and t.id < v_before
        and t.id >= v_from
        and t.domain is not null
      order by t.domain desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and (t.owner_id, t.id) < ((p_args ->> 'owner_id')::uuid, v_before)
        and t.owner_id >= (p_args ->> 'owner_id')::uuid
        and t.owner_id = any (array[(p_args ->> 'owner_id')::uuid])
        and t.id < v_before
        and t.id >= v_from
      order by t.owner_id desc, t.id desc
      limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    select array_agg(page.id), count(page.record) = count(*),
      case when count(page.record) = count(*) then (array_agg(page.record))[:v_limit] else array_agg(page.record) end
    into v_ids, v_complete, v_records
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id()
        and t.external_id = p_args ->> 'external_id'
        and (t.external_id, t.id) < (p_args ->> 'external_id', v_before)
        and (t.external_id, t.id) >= (p_args ->> 'external_id', v_from)
      order by t.external_id desc
      limit v_limit + 1
    ) page;
  else
    v_rest := v_limit;
  end if;
  if not v_complete then
    -- A record without its JSON is long, or is not to be listed.
    v_before := v_ids[v_limit + 1];
    select array_agg(r.id order by r.position), array_agg(r.record order by r.position), count(r.record) = count(*)
    into v_ids, v_records, v_complete
    from unnest(v_ids, v_records) with ordinality r (id, record, position)
    where r.record is not null or exists (
      select from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and t.id = r.id and t.archived_at is null
    );
    if v_before is not null and coalesce(cardinality(v_ids), 0) <= v_limit then
      v_rest := v_limit - coalesce(cardinality(v_ids), 0);
    end if;
  end if;
  if v_rest is not null then
    if p_args ? 'q' then
      select page.ids, page.next_id into v_rest_ids, v_next_id
      from crm.company_search(p_args || jsonb_build_object('limit', v_rest), v_before, v_from) page;
    else
      select page.ids, page.next_id into v_rest_ids, v_next_id
      from crm.company_list_by(p_args || jsonb_build_object('limit', v_rest), v_before, v_from) page;
    end if;
    select array_agg(page.record), count(page.record) = count(*) and coalesce(v_complete, true)
    into v_rest_records, v_complete
    from (
      select crm.company_json_if_short(t) as record
      from unnest(v_rest_ids[:v_rest]) with ordinality chosen (id, position)
      join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
      order by chosen.position
    ) page;
    v_ids := v_ids || v_rest_ids;
    v_records := v_records || v_rest_records;
  end if;
  if cardinality(v_ids) > v_limit then
    v_next_id := v_ids[v_limit];
    v_ids := v_ids[:v_limit];
  end if;
  if not v_complete or pg_column_size(v_records) > crm.max_page_bytes() then
    v_records := crm.company_page(v_ids, v_records);
    if cardinality(v_records) < cardinality(v_ids) then
      v_next_id := v_ids[cardinality(v_records)];
    end if;
  end if;
  if v_records is null and p_args ?| '{owner_id}' then
    perform crm.require_known_filters(p_args);
  end if;
  if p_args ? 'updated_since' and not p_args ? 'cursor' then
    return crm.synced_page(v_records, v_next_id);
  end if;
  return crm.page(v_records, v_next_id);
end
$$;
comment on function api.company_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
-- end of what is written

create function crm.company_new(p_args jsonb) returns crm.companies
language plpgsql
set search_path = ''
as $$
declare
  v_company crm.companies := jsonb_populate_record(null::crm.companies, crm.require_references(p_args));
begin
  v_company.owner_id := crm.owner_or_default(v_company.owner_id);
  return v_company;
end
$$;
comment on function crm.company_new(jsonb) is
  'The company to insert for the arguments of a creation; raises invalid_reference, no_owner_available (spec 4.6).';

create function api.company_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
begin
  return crm.company_json(crm.company_insert(crm.company_new(p_args)));
end
$$;
comment on function api.company_create(jsonb) is 'Creates a company and returns it; raises what crm.company_new raises.';

create function api.company_update(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
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
  'Changes the fields that were sent; null clears a field, and an owner_id of null sets the default owner (spec '
  '4.6).';

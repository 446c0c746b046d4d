-- Written by deno task records.

create type api.company as (
  id uuid, workspace_id uuid, name text, legal_name text, tax_id text, domain text, website text, email text,
  phone text, industry text, employee_count integer, linkedin text, instagram text, address jsonb, owner_id uuid,
  notes text, custom_fields jsonb, tags text[], external_id text, archived_at text, merged_into_id uuid,
  created_at text, updated_at text
);
comment on type api.company is 'A company: its public fields, in order.';

create function crm.company_json(t crm.companies) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
    t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, coalesce(t.tags, '{}'),
    t.external_id, crm.iso(t.archived_at), t.merged_into_id, crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.company)
$$;
comment on function crm.company_json(crm.companies) is 'A row as public JSON, with the fields of api.company.';

create function crm.company_insert(t crm.companies, out made json, out alike uuid[])
language plpgsql set search_path = '' as $$
begin
  insert into crm.companies as new (
    workspace_id, name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin,
    instagram, address, owner_id, notes, custom_fields, tags, external_id
  )
  values (
    crm.current_workspace_id(), t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry,
    t.employee_count, t.linkedin, t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.tags, t.external_id
  )
  returning crm.company_json(new), array(
    select o.id from crm.companies o
    where o.workspace_id = new.workspace_id and o.tax_id = any (array[new.tax_id]) and o.tax_id is not null
      and o.archived_at is null
    order by o.tax_id, o.id limit 5
  ) || array(
    select o.id from crm.companies o
    where o.workspace_id = new.workspace_id and o.domain = any (array[nullif(new.domain, '')]) and o.domain is not null
      and o.archived_at is null
    order by o.domain, o.id limit 5
  ) into made, alike;
end
$$;
comment on function crm.company_insert(crm.companies) is
  'Creates the record and returns its JSON, and for each compared field up to five similar records in use.';

create function crm.company_lock(p_id uuid, p_if_match jsonb default null) returns crm.companies
language plpgsql set search_path = '' as $$
declare
  t crm.companies;
begin
  select * into t from crm.companies r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;
  if t.merged_into_id is not null then perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]); end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.company_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.company_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found, record_merged, and precondition_failed if p_if_match, a list of versions, lacks the '
  'record''s version.';

create function crm.company_save(t crm.companies) returns crm.companies
language plpgsql set search_path = '' as $$
begin
  update crm.companies as saved
  set (
    name, legal_name, tax_id, domain, website, email, phone, industry, employee_count, linkedin, instagram, address,
    owner_id, notes, custom_fields, tags, external_id
  ) = (
    t.name, t.legal_name, t.tax_id, t.domain, t.website, t.email, t.phone, t.industry, t.employee_count, t.linkedin,
    t.instagram, t.address, t.owner_id, t.notes, t.custom_fields, t.tags, t.external_id
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.company_save(crm.companies) is 'Writes the changeable fields, and returns the updated row.';

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
    if not found then perform api.fail('not_found'); end if;
    if t.merged_into_id is not null then perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]); end if;
  end if;
  return crm.company_json(t);
end
$$;
comment on function api.company_archive(jsonb) is
  'Archives the record and returns it; an archived record stays as it is. Raises not_found, record_merged.';

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
  'Restores the record and returns it; a record in use stays as it is. Raises not_found, record_merged.';

create function crm.company_filled(t crm.companies, other crm.companies) returns crm.companies
language plpgsql immutable set search_path = '' as $$
begin
  t.legal_name := coalesce(nullif(t.legal_name, ''), other.legal_name, t.legal_name);
  t.tax_id := coalesce(nullif(t.tax_id, ''), other.tax_id, t.tax_id);
  t.domain := coalesce(nullif(t.domain, ''), other.domain, t.domain);
  t.website := coalesce(nullif(t.website, ''), other.website, t.website);
  t.email := coalesce(nullif(t.email, ''), other.email, t.email);
  t.phone := coalesce(nullif(t.phone, ''), other.phone, t.phone);
  t.industry := coalesce(nullif(t.industry, ''), other.industry, t.industry);
  t.employee_count := coalesce(t.employee_count, other.employee_count);
  t.linkedin := coalesce(nullif(t.linkedin, ''), other.linkedin, t.linkedin);
  t.instagram := coalesce(nullif(t.instagram, ''), other.instagram, t.instagram);
  t.address := coalesce(t.address, other.address);
  t.notes := coalesce(nullif(t.notes, ''), other.notes, t.notes);
  t.custom_fields := crm.filled_custom_fields(t.custom_fields, other.custom_fields);
  t.tags := crm.joined_tags(t.tags, other.tags);
  t.external_id := coalesce(nullif(t.external_id, ''), other.external_id, t.external_id);
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
  'The record into which this record was finally merged, or this record itself. The result may be archived. It is '
  'locked against merging until the transaction ends.';

create function api.company_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_record json;
  v_merged_into_id uuid;
begin
  select crm.company_json(t), t.merged_into_id into v_record, v_merged_into_id from crm.companies t
  where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid;
  if v_merged_into_id is not null then perform api.fail('merged', array['id'], null, array[v_merged_into_id]); end if;
  return crm.expanded(crm.require_record(v_record), p_args -> 'expand');
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
  select case when coalesce(pg_column_size(t.address), 0) + coalesce(octet_length(t.notes), 0) + coalesce(pg_column_size(t.custom_fields), 0) + coalesce(pg_column_size(t.tags), 0) <= 4000
    and pg_column_compression(t.address) is null
    and pg_column_compression(t.custom_fields) is null
    and pg_column_compression(t.tags) is null
    then crm.company_json(t)
  end
$$;
comment on function crm.company_json_if_short(crm.companies) is
  'crm.company_json, or null if the row may be long: crm.bounded_records builds long rows.';

create function api.company_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- 21_lists.sql explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until,expand}'::text[];
  v_text text;
  v_uuid uuid;
  v_ids uuid[];
  v_records json[];
  v_shown integer;
begin
  if p_args ? 'sort' then return crm.sorted_list('company', p_args); end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and t.id < v_before and t.id >= v_from
      order by t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'name' = '{}' then
    v_text := crm.name_key(p_args ->> 'name');
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.name_key, t.id) < (v_text, v_before) and t.name_key >= v_text
        and t.name_key = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.name_key desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'tax_id' = '{}' then
    v_text := p_args ->> 'tax_id';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.tax_id, t.id) < (v_text, v_before) and t.tax_id >= v_text
        and t.tax_id = any (array[v_text]) and t.id < v_before and t.id >= v_from and t.tax_id is not null
      order by t.tax_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'domain' = '{}' then
    v_text := p_args ->> 'domain';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.domain, t.id) < (v_text, v_before) and t.domain >= v_text
        and t.domain = any (array[v_text]) and t.id < v_before and t.id >= v_from and t.domain is not null
      order by t.domain desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    v_uuid := (p_args ->> 'owner_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and (t.owner_id, t.id) < (v_uuid, v_before) and t.owner_id >= v_uuid
        and t.owner_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.owner_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    v_text := p_args ->> 'external_id';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.company_json_if_short(t) end as record from crm.companies t
      where t.workspace_id = crm.current_workspace_id() and t.external_id = v_text
        and (t.external_id, t.id) < (v_text, v_before) and (t.external_id, t.id) >= (v_text, v_from)
      order by t.external_id desc limit v_limit + 1
    ) page;
  end if;
  return crm.list_reply('company', p_args, v_filters, v_before, v_from, v_ids, v_records, v_shown);
end
$$;
comment on function api.company_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';

create function crm.company_match(p_args jsonb, p_merged boolean default false) returns uuid[]
language plpgsql set search_path = ''
-- 21_lists.sql explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_value text := p_args ->> (p_args ->> 'match_by');
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.external_id = v_value
          and (t.external_id, t.id) < (v_value, v_beyond) and (t.external_id, t.id) >= (v_value, v_first)
          and case when p_merged then t.merged_into_id is not null else t.merged_into_id is null end
        order by t.external_id limit 100
      );
    when 'tax_id' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and (t.tax_id, t.id) < (v_value, v_beyond) and t.tax_id >= v_value
          and t.tax_id = any (array[v_value]) and t.id < v_beyond and t.id >= v_first and t.tax_id is not null
          and case when p_merged then t.merged_into_id is not null else t.archived_at is null end
        order by t.tax_id, t.id limit 100
      );
    when 'domain' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and (t.domain, t.id) < (v_value, v_beyond) and t.domain >= v_value
          and t.domain = any (array[v_value]) and t.id < v_beyond and t.id >= v_first and t.domain is not null
          and case when p_merged then t.merged_into_id is not null else t.archived_at is null end
        order by t.domain, t.id limit 100
      );
  end case;
end
$$;
comment on function crm.company_match(jsonb, boolean) is
  'The ids of the records in use whose field named in match_by has the value sent, oldest first, 100 at most. A '
  'search by external_id also finds archived records. p_merged: looks at merged records instead, and returns the ids '
  'of the records they were merged into.';

create function api.company_upsert(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_match_by text := p_args ->> 'match_by';
  v_sent jsonb := p_args - '{match_by,dry_run}'::text[];
  v_ids uuid[];
  v_kept text[] := '{}';
  v_reply json;
  v_record json;
begin
  if coalesce(p_args ->> v_match_by, '') = '' then
    perform api.fail('validation_error', array[v_match_by], 'Campo obrigatório: match_by procura por ele');
  end if;
  -- Leads and other upserts that look for the same record, or would create it, wait here.
  perform crm.lock_matches(jsonb_build_object(
    'company external_id', p_args ->> 'external_id', 'company tax_id', p_args ->> 'tax_id',
    'company domain', p_args ->> 'domain', 'company name', crm.name_key(p_args ->> 'name')
  ));
  v_ids := crm.company_match(p_args);
  if v_ids = '{}' then
    v_ids := array(
      select distinct s.id
      from (select distinct m.id from unnest(crm.company_match(p_args, true)) m (id)) m
      cross join lateral crm.company_survivor(m.id) s
      where s.archived_at is null or v_match_by = 'external_id'
    );
    if cardinality(v_ids) = 1 then
      -- The record that was found keeps its own value: otherwise an upsert by that value would create a new record.
      v_kept := array[v_match_by];
    end if;
  end if;
  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
    if v_sent ?| array['phone'] then
      -- Locked, so that nobody changes the number between the comparison and the update.
      v_kept := v_kept || crm.fuller_phones(to_jsonb(crm.company_lock(v_ids[1])), v_sent - v_kept, array['phone']);
    end if;
    v_reply := api.company_update((v_sent - v_kept) || jsonb_build_object('id', v_ids[1]));
    return crm.unless_dry_run(p_args, crm.with_fields(v_reply, json_build_object(
      'created', false, 'matched_by', v_match_by, 'differences', v_kept
    )));
  end if;
  if v_sent ->> 'name' is null then
    perform api.fail('validation_error', array['name'], 'Campo obrigatório: não há registro com este ' || v_match_by);
  end if;
  v_reply := api.company_create(v_sent);
  select crm.company_json(t) into v_record from crm.companies t
  where t.workspace_id = crm.current_workspace_id() and t.id = (v_reply ->> 'id')::uuid;
  return crm.unless_dry_run(p_args, crm.with_possible_duplicates(
    crm.with_fields(v_record, json_build_object('created', true, 'matched_by', null, 'differences', v_kept)),
    v_reply ->> 'X-Possible-Duplicate'
  ));
end
$$;
comment on function api.company_upsert(jsonb) is
  'Changes the record whose field named in match_by has the value sent, or creates it. Returns the whole record with '
  'created, matched_by and differences (the fields that were not written). If only merged records have the value, '
  'changes the record they were merged into, except that field. Raises ambiguous_match, validation_error for fields '
  'that only a creation requires, and the codes of api.company_update and api.company_create.';

-- Written by deno task records.

create type api.contact as (
  id uuid, workspace_id uuid, name text, email text, phone text, phone2 text, whatsapp text, job_title text,
  company_id uuid, owner_id uuid, instagram text, linkedin text, notes text, custom_fields jsonb, tags text[],
  external_id text, archived_at text, merged_into_id uuid, erased_at text, created_at text, updated_at text
);
comment on type api.contact is 'A contact: its public fields, in order.';

create function crm.contact_json(t crm.contacts) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id,
    t.instagram, t.linkedin, t.notes, t.custom_fields, coalesce(t.tags, '{}'), t.external_id, crm.iso(t.archived_at),
    t.merged_into_id, crm.iso(t.erased_at), crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.contact)
$$;
comment on function crm.contact_json(crm.contacts) is 'A row as public JSON, with the fields of api.contact.';

create function crm.contact_insert(t crm.contacts, out made uuid, out alike uuid[])
language plpgsql set search_path = '' as $$
begin
  insert into crm.contacts as new (
    workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin, notes,
    custom_fields, tags, external_id
  )
  values (
    crm.current_workspace_id(), t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id,
    t.instagram, t.linkedin, t.notes, t.custom_fields, t.tags, t.external_id
  )
  returning new.id, array(
    select o.id from crm.contacts o
    where o.workspace_id = new.workspace_id and o.email = any (array[new.email]) and o.email is not null
      and o.archived_at is null
    order by o.email, o.id limit 5
  ) || array(
    select o.id from crm.contacts o
    where o.workspace_id = new.workspace_id and o.phone_e164 = any (crm.phone_spellings(new.phone)) and o.phone_e164 is not null
      and o.archived_at is null
    order by o.phone_e164, o.id limit 5
  ) into made, alike;
end
$$;
comment on function crm.contact_insert(crm.contacts) is
  'Creates the record and returns its id, and for each compared field up to five similar records in use.';

create function crm.contact_lock(p_id uuid, p_if_match jsonb default null) returns crm.contacts
language plpgsql set search_path = '' as $$
declare
  t crm.contacts;
begin
  select * into t from crm.contacts r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;
  if t.merged_into_id is not null then perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]); end if;
  if t.erased_at is not null then perform api.fail('record_erased'); end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.contact_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.contact_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found, record_merged, record_erased, and precondition_failed if p_if_match, a list of versions, '
  'lacks the record''s version.';

create function crm.contact_save(t crm.contacts) returns crm.contacts
language plpgsql set search_path = '' as $$
begin
  update crm.contacts as saved
  set (
    name, email, phone, phone2, whatsapp, job_title, company_id, owner_id, instagram, linkedin, notes, custom_fields,
    tags, external_id
  ) = (
    t.name, t.email, t.phone, t.phone2, t.whatsapp, t.job_title, t.company_id, t.owner_id, t.instagram, t.linkedin,
    t.notes, t.custom_fields, t.tags, t.external_id
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.contact_save(crm.contacts) is 'Writes the changeable fields, and returns the updated row.';

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
    if not found then perform api.fail('not_found'); end if;
    if t.merged_into_id is not null then perform api.fail('record_merged', array['id'], null, array[t.merged_into_id]); end if;
  end if;
  return crm.contact_json(t);
end
$$;
comment on function api.contact_archive(jsonb) is
  'Archives the record and returns it; an archived record stays as it is. Raises not_found, record_merged.';

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
  'Restores the record and returns it; a record in use stays as it is. Raises not_found, record_merged, '
  'record_erased.';

create function crm.contact_filled(t crm.contacts, other crm.contacts) returns crm.contacts
language plpgsql immutable set search_path = '' as $$
begin
  t.email := coalesce(nullif(t.email, ''), other.email, t.email);
  t.phone := coalesce(nullif(t.phone, ''), other.phone, t.phone);
  t.phone2 := coalesce(nullif(t.phone2, ''), other.phone2, t.phone2);
  t.whatsapp := coalesce(nullif(t.whatsapp, ''), other.whatsapp, t.whatsapp);
  t.job_title := coalesce(nullif(t.job_title, ''), other.job_title, t.job_title);
  t.company_id := coalesce(t.company_id, other.company_id);
  t.instagram := coalesce(nullif(t.instagram, ''), other.instagram, t.instagram);
  t.linkedin := coalesce(nullif(t.linkedin, ''), other.linkedin, t.linkedin);
  t.notes := coalesce(nullif(t.notes, ''), other.notes, t.notes);
  t.custom_fields := crm.filled_custom_fields(t.custom_fields, other.custom_fields);
  t.tags := crm.joined_tags(t.tags, other.tags);
  t.external_id := coalesce(nullif(t.external_id, ''), other.external_id, t.external_id);
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
  'The record into which this record was finally merged, or this record itself. The result may be archived or erased. '
  'It is locked against merging and erasing until the transaction ends.';

create function crm.contact_erase(p_workspace_id uuid, p_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  update crm.contacts r
  set (
    name, email, phone, phone2, whatsapp, job_title, company_id, instagram, linkedin, notes, custom_fields, tags,
    external_id, archived_at, erased_at
  ) = (
    'Contato apagado', null, null, null, null, null, null, null, null, null, null, null, null,
    coalesce(r.archived_at, now()), now()
  )
  where r.workspace_id = p_workspace_id and r.id = any (p_ids) and r.erased_at is null;
end
$$;
comment on function crm.contact_erase(uuid, uuid[]) is
  'Clears every field that clients can write, except the owner. The rows stay, because other rows refer to them.';

create function api.contact_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_record json;
  v_merged_into_id uuid;
begin
  select crm.contact_json(t), t.merged_into_id into v_record, v_merged_into_id from crm.contacts t
  where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid;
  if v_merged_into_id is not null then perform api.fail('merged', array['id'], null, array[v_merged_into_id]); end if;
  return crm.expanded(crm.require_record(v_record), p_args -> 'expand');
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
  select case when coalesce(octet_length(t.notes), 0) + coalesce(pg_column_size(t.custom_fields), 0) + coalesce(pg_column_size(t.tags), 0) <= 4000
    and pg_column_compression(t.custom_fields) is null
    and pg_column_compression(t.tags) is null
    then crm.contact_json(t)
  end
$$;
comment on function crm.contact_json_if_short(crm.contacts) is
  'crm.contact_json, or null if the row may be long: crm.bounded_records builds long rows.';

create function api.contact_list(p_args jsonb) returns json
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
  if p_args ? 'sort' then return crm.sorted_list('contact', p_args); end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and t.id < v_before and t.id >= v_from
      order by t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'email' = '{}' then
    v_text := p_args ->> 'email';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and (t.email, t.id) < (v_text, v_before) and t.email >= v_text
        and t.email = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.email desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'phone' = '{}' then
    v_text := crm.e164(p_args ->> 'phone');
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and (t.phone_e164, t.id) < (v_text, v_before)
        and t.phone_e164 >= v_text and t.phone_e164 = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.phone_e164 desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'company_id' = '{}' then
    v_uuid := (p_args ->> 'company_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and (t.company_id, t.id) < (v_uuid, v_before)
        and t.company_id >= v_uuid and t.company_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
        and t.company_id is not null
      order by t.company_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    v_text := p_args ->> 'external_id';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.contact_json_if_short(t) end as record from crm.contacts t
      where t.workspace_id = crm.current_workspace_id() and t.external_id = v_text
        and (t.external_id, t.id) < (v_text, v_before) and (t.external_id, t.id) >= (v_text, v_from)
      order by t.external_id desc limit v_limit + 1
    ) page;
  end if;
  return crm.list_reply('contact', p_args, v_filters, v_before, v_from, v_ids, v_records, v_shown);
end
$$;
comment on function api.contact_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';

create function crm.contact_match(p_args jsonb, p_merged boolean default false) returns uuid[]
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
        select case when p_merged then t.merged_into_id else t.id end from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and t.external_id = v_value
          and (t.external_id, t.id) < (v_value, v_beyond) and (t.external_id, t.id) >= (v_value, v_first)
          and case when p_merged then t.merged_into_id is not null else t.merged_into_id is null and t.erased_at is null end
        order by t.external_id limit 100
      );
    when 'email' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and (t.email, t.id) < (v_value, v_beyond) and t.email >= v_value
          and t.email = any (array[v_value]) and t.id < v_beyond and t.id >= v_first
          and case when p_merged then t.merged_into_id is not null else t.archived_at is null end
        order by t.email, t.id limit 100
      );
    when 'phone' then
      v_value := crm.e164(p_args ->> 'phone');
      if v_value is null then perform api.fail('validation_error', array['phone']); end if;
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and (t.phone_e164, t.id) < (v_value, v_beyond)
          and t.phone_e164 >= v_value and t.phone_e164 = any (array[v_value]) and t.id < v_beyond and t.id >= v_first
          and case when p_merged then t.merged_into_id is not null else t.archived_at is null end
        order by t.phone_e164, t.id limit 100
      );
  end case;
end
$$;
comment on function crm.contact_match(jsonb, boolean) is
  'The ids of the records in use whose field named in match_by has the value sent, oldest first, 100 at most. A '
  'search by external_id also finds archived records. p_merged: looks at merged records instead, and returns the ids '
  'of the records they were merged into.';

create function api.contact_upsert(p_args jsonb) returns json
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
    'contact external_id', p_args ->> 'external_id', 'contact email', p_args ->> 'email',
    'contact phone', crm.e164(p_args ->> 'phone')
  ));
  v_ids := crm.contact_match(p_args);
  if v_ids = '{}' then
    v_ids := array(
      select distinct s.id
      from (select distinct m.id from unnest(crm.contact_match(p_args, true)) m (id)) m
      cross join lateral crm.contact_survivor(m.id) s
      where s.archived_at is null or (v_match_by = 'external_id' and s.erased_at is null)
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
    if v_sent ?| array['phone', 'phone2', 'whatsapp'] then
      -- Locked, so that nobody changes the number between the comparison and the update.
      v_kept := v_kept || crm.fuller_phones(to_jsonb(crm.contact_lock(v_ids[1])), v_sent - v_kept, array['phone', 'phone2', 'whatsapp']);
    end if;
    v_reply := api.contact_update((v_sent - v_kept) || jsonb_build_object('id', v_ids[1]));
    return crm.unless_dry_run(p_args, crm.with_fields(v_reply, json_build_object(
      'created', false, 'matched_by', v_match_by, 'differences', v_kept
    )));
  end if;
  if v_sent ->> 'name' is null then
    perform api.fail('validation_error', array['name'], 'Campo obrigatório: não há registro com este ' || v_match_by);
  end if;
  v_reply := api.contact_create(v_sent);
  select crm.contact_json(t) into v_record from crm.contacts t
  where t.workspace_id = crm.current_workspace_id() and t.id = (v_reply ->> 'id')::uuid;
  return crm.unless_dry_run(p_args, crm.with_possible_duplicates(
    crm.with_fields(v_record, json_build_object('created', true, 'matched_by', null, 'differences', v_kept)),
    v_reply ->> 'X-Possible-Duplicate'
  ));
end
$$;
comment on function api.contact_upsert(jsonb) is
  'Changes the record whose field named in match_by has the value sent, or creates it. Returns the whole record with '
  'created, matched_by and differences (the fields that were not written). If only merged records have the value, '
  'changes the record they were merged into, except that field. Raises ambiguous_match, validation_error for fields '
  'that only a creation requires, and the codes of api.contact_update and api.contact_create.';

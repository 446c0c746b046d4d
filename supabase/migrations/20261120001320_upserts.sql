-- Upserts of contacts, companies and deals: the caller finds the record by a value of its own, or creates it.

-- written by deno task records: upserts
create function crm.company_match(p_args jsonb, p_merged boolean default false) returns uuid[]
language plpgsql set search_path = ''
-- The migration list_filters explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.external_id = p_args ->> 'external_id'
          and (t.external_id, t.id) < (p_args ->> 'external_id', v_beyond)
          and (t.external_id, t.id) >= (p_args ->> 'external_id', v_first)
          and case when p_merged then t.merged_into_id is not null else t.merged_into_id is null end
        order by t.external_id limit 100
      );
    when 'tax_id' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and (t.tax_id, t.id) < (p_args ->> 'tax_id', v_beyond)
          and t.tax_id >= p_args ->> 'tax_id' and t.tax_id = any (array[p_args ->> 'tax_id']) and t.id < v_beyond
          and t.id >= v_first and t.tax_id is not null
          and case when p_merged then t.merged_into_id is not null else t.archived_at is null end
        order by t.tax_id, t.id limit 100
      );
    when 'domain' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and (t.domain, t.id) < (p_args ->> 'domain', v_beyond)
          and t.domain >= p_args ->> 'domain' and t.domain = any (array[p_args ->> 'domain']) and t.id < v_beyond
          and t.id >= v_first and t.domain is not null
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
  v_sent jsonb := p_args - 'match_by';
  v_ids uuid[];
  v_kept text[] := '{}';
  v_reply json;
begin
  if coalesce(p_args ->> v_match_by, '') = '' then
    perform api.fail('validation_error', array[v_match_by], 'Campo obrigatório: match_by procura por ele');
  end if;
  -- Leads and other upserts that look for the same record, or would create it, wait here.
  perform crm.lock_matches(jsonb_build_object(
    'company external_id', p_args ->> 'external_id',
    'company tax_id', p_args ->> 'tax_id',
    'company domain', p_args ->> 'domain',
    'company name', crm.name_key(p_args ->> 'name')
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
      -- It keeps its own value: otherwise an upsert by that value would create a new record.
      v_kept := array[v_match_by];
    end if;
  end if;
  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
    if v_sent ?| array['phone'] then
      -- Locked, so that the number compared is the one that would be replaced.
      v_kept := v_kept || crm.fuller_phones(to_jsonb(crm.company_lock(v_ids[1])), v_sent - v_kept, array['phone']);
    end if;
    v_reply := api.company_update((v_sent - v_kept) || jsonb_build_object('id', v_ids[1]));
    return crm.with_fields(v_reply, json_build_object(
      'created', false, 'matched_by', v_match_by, 'differences', v_kept
    ));
  end if;
  if v_sent ->> 'name' is null then
    perform api.fail('validation_error', array['name'], 'Campo obrigatório: não há registro com este ' || v_match_by);
  end if;
  v_reply := api.company_create(v_sent);
  return crm.with_possible_duplicates(
    crm.with_fields(
      (
        select crm.company_json(t) from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.id = (v_reply ->> 'id')::uuid
      ),
      json_build_object('created', true, 'matched_by', null, 'differences', v_kept)
    ),
    v_reply ->> 'X-Possible-Duplicate'
  );
end
$$;
comment on function api.company_upsert(jsonb) is
  'Changes the record whose field named in match_by has the value sent, like api.company_update, or creates it, like '
  'api.company_create, with their codes. Returns the whole record with created, matched_by, and differences, the '
  'fields that were sent and not written. If only merged records have the value, it changes the record they were '
  'merged into, except that field. Raises ambiguous_match with every record found, and validation_error for fields '
  'that only a creation requires.';

create function crm.contact_match(p_args jsonb, p_merged boolean default false) returns uuid[]
language plpgsql set search_path = ''
-- The migration list_filters explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and t.external_id = p_args ->> 'external_id'
          and (t.external_id, t.id) < (p_args ->> 'external_id', v_beyond)
          and (t.external_id, t.id) >= (p_args ->> 'external_id', v_first)
          and case when p_merged then t.merged_into_id is not null else t.merged_into_id is null and t.erased_at is null end
        order by t.external_id limit 100
      );
    when 'email' then
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and (t.email, t.id) < (p_args ->> 'email', v_beyond)
          and t.email >= p_args ->> 'email' and t.email = any (array[p_args ->> 'email']) and t.id < v_beyond
          and t.id >= v_first and case when p_merged then t.merged_into_id is not null else t.archived_at is null end
        order by t.email, t.id limit 100
      );
    when 'phone' then
      if crm.e164(p_args ->> 'phone') is null then
        perform api.fail('validation_error', array['phone']);
      end if;
      return array(
        select case when p_merged then t.merged_into_id else t.id end from crm.contacts t
        where t.workspace_id = crm.current_workspace_id()
          and (t.phone_e164, t.id) < (crm.e164(p_args ->> 'phone'), v_beyond)
          and t.phone_e164 >= crm.e164(p_args ->> 'phone') and t.phone_e164 = any (array[crm.e164(p_args ->> 'phone')])
          and t.id < v_beyond and t.id >= v_first
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
  v_sent jsonb := p_args - 'match_by';
  v_ids uuid[];
  v_kept text[] := '{}';
  v_reply json;
begin
  if coalesce(p_args ->> v_match_by, '') = '' then
    perform api.fail('validation_error', array[v_match_by], 'Campo obrigatório: match_by procura por ele');
  end if;
  -- Leads and other upserts that look for the same record, or would create it, wait here.
  perform crm.lock_matches(jsonb_build_object(
    'contact external_id', p_args ->> 'external_id',
    'contact email', p_args ->> 'email',
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
      -- It keeps its own value: otherwise an upsert by that value would create a new record.
      v_kept := array[v_match_by];
    end if;
  end if;
  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
    if v_sent ?| array['phone', 'phone2', 'whatsapp'] then
      -- Locked, so that the number compared is the one that would be replaced.
      v_kept := v_kept || crm.fuller_phones(to_jsonb(crm.contact_lock(v_ids[1])), v_sent - v_kept, array['phone', 'phone2', 'whatsapp']);
    end if;
    v_reply := api.contact_update((v_sent - v_kept) || jsonb_build_object('id', v_ids[1]));
    return crm.with_fields(v_reply, json_build_object(
      'created', false, 'matched_by', v_match_by, 'differences', v_kept
    ));
  end if;
  if v_sent ->> 'name' is null then
    perform api.fail('validation_error', array['name'], 'Campo obrigatório: não há registro com este ' || v_match_by);
  end if;
  v_reply := api.contact_create(v_sent);
  return crm.with_possible_duplicates(
    crm.with_fields(
      (
        select crm.contact_json(t) from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and t.id = (v_reply ->> 'id')::uuid
      ),
      json_build_object('created', true, 'matched_by', null, 'differences', v_kept)
    ),
    v_reply ->> 'X-Possible-Duplicate'
  );
end
$$;
comment on function api.contact_upsert(jsonb) is
  'Changes the record whose field named in match_by has the value sent, like api.contact_update, or creates it, like '
  'api.contact_create, with their codes. Returns the whole record with created, matched_by, and differences, the '
  'fields that were sent and not written. If only merged records have the value, it changes the record they were '
  'merged into, except that field. Raises ambiguous_match with every record found, and validation_error for fields '
  'that only a creation requires.';

create function crm.deal_match(p_args jsonb) returns uuid[]
language plpgsql set search_path = ''
-- The migration list_filters explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_first uuid := '00000000-0000-0000-0000-000000000000';
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  case p_args ->> 'match_by'
    when 'external_id' then
      return array(
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and (t.external_id, t.id) < (p_args ->> 'external_id', v_beyond)
          and t.external_id >= p_args ->> 'external_id' and t.external_id = any (array[p_args ->> 'external_id'])
          and t.id < v_beyond and t.id >= v_first and t.external_id is not null
        order by t.external_id, t.id limit 100
      );
  end case;
end
$$;
comment on function crm.deal_match(jsonb) is
  'The ids of the records in use whose field named in match_by has the value sent, oldest first, 100 at most. A '
  'search by external_id also finds archived records.';

create function api.deal_upsert(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_match_by text := p_args ->> 'match_by';
  v_sent jsonb := p_args - 'match_by';
  v_ids uuid[];
  v_kept text[] := '{}';
  v_reply json;
begin
  if coalesce(p_args ->> v_match_by, '') = '' then
    perform api.fail('validation_error', array[v_match_by], 'Campo obrigatório: match_by procura por ele');
  end if;
  -- Leads and other upserts that look for the same record, or would create it, wait here.
  perform crm.lock_matches(jsonb_build_object(
    'deal external_id', p_args ->> 'external_id'
  ));
  v_ids := crm.deal_match(p_args);
  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
    v_reply := api.deal_update((v_sent - v_kept) || jsonb_build_object('id', v_ids[1]));
    return crm.with_fields(v_reply, json_build_object(
      'created', false, 'matched_by', v_match_by, 'differences', v_kept
    ));
  end if;
  if coalesce(v_sent ->> 'title', v_sent ->> 'contact_id', v_sent ->> 'company_id') is null then
    perform api.fail('validation_error', array['title'], 'Informe ao menos um de title, contact_id e company_id');
  end if;
  v_reply := api.deal_create(v_sent);
  return crm.with_possible_duplicates(
    crm.with_fields(
      (
        select crm.deal_json(t) from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.id = (v_reply ->> 'id')::uuid
      ),
      json_build_object('created', true, 'matched_by', null, 'differences', v_kept)
    ),
    v_reply ->> 'X-Possible-Duplicate'
  );
end
$$;
comment on function api.deal_upsert(jsonb) is
  'Changes the record whose field named in match_by has the value sent, like api.deal_update, or creates it, like '
  'api.deal_create, with their codes. Returns the whole record with created, matched_by, and differences, the fields '
  'that were sent and not written. Raises ambiguous_match with every record found, and validation_error for fields '
  'that only a creation requires.';
-- end of what is written

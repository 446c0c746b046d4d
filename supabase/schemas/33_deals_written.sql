-- Written by deno task records.

create type api.deal as (
  id uuid, workspace_id uuid, title text, status text, value numeric, recurring_value numeric, pipeline_id uuid,
  stage_id uuid, contact_id uuid, company_id uuid, owner_id uuid, expected_close_date date, loss_reason_id uuid,
  loss_note text, source text, utm jsonb, custom_fields jsonb, tags text[], external_id text, stage_changed_at text,
  last_activity_at text, won_at text, lost_at text, closed_at text, archived_at text, created_at text, updated_at text
);
comment on type api.deal is 'A deal: its public fields, in order.';

create function crm.deal_json(t crm.deals) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.title, t.status, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id,
    t.company_id, t.owner_id, t.expected_close_date, t.loss_reason_id, t.loss_note, t.source, t.utm, t.custom_fields,
    coalesce(t.tags, '{}'), t.external_id, crm.iso(t.stage_changed_at), crm.iso(t.last_activity_at), crm.iso(t.won_at),
    crm.iso(t.lost_at), crm.iso(t.closed_at), crm.iso(t.archived_at), crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.deal)
$$;
comment on function crm.deal_json(crm.deals) is 'A row as public JSON, with the fields of api.deal.';

create function crm.deal_insert(t crm.deals) returns crm.deals
language plpgsql set search_path = '' as $$
begin
  insert into crm.deals as new (
    workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
    expected_close_date, source, utm, custom_fields, tags, external_id
  )
  values (
    crm.current_workspace_id(), t.title, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id,
    t.company_id, t.owner_id, t.expected_close_date, t.source, t.utm, t.custom_fields, t.tags, t.external_id
  )
  returning new.* into t;
  return t;
end
$$;
comment on function crm.deal_insert(crm.deals) is 'Creates the record and returns it.';

create function crm.deal_lock(p_id uuid, p_if_match jsonb default null) returns crm.deals
language plpgsql set search_path = '' as $$
declare
  t crm.deals;
begin
  select * into t from crm.deals r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.deal_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.deal_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found, and precondition_failed if p_if_match, a list of versions, lacks the record''s version.';

create function crm.deal_save(t crm.deals) returns crm.deals
language plpgsql set search_path = '' as $$
begin
  update crm.deals as saved
  set (
    title, status, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id, expected_close_date,
    loss_reason_id, loss_note, source, utm, custom_fields, tags, external_id
  ) = (
    t.title, t.status, t.value, t.recurring_value, t.pipeline_id, t.stage_id, t.contact_id, t.company_id, t.owner_id,
    t.expected_close_date, t.loss_reason_id, t.loss_note, t.source, t.utm, t.custom_fields, t.tags, t.external_id
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.deal_save(crm.deals) is 'Writes the changeable fields, and returns the updated row.';

create function api.deal_archive(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.deals;
begin
  update crm.deals r
  set archived_at = now()
  where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid and r.archived_at is null
  returning r.* into t;
  if not found then
    select r.* into t from crm.deals r
    where r.workspace_id = crm.current_workspace_id() and r.id = (p_args ->> 'id')::uuid;
    if not found then perform api.fail('not_found'); end if;
  end if;
  return crm.deal_json(t);
end
$$;
comment on function api.deal_archive(jsonb) is
  'Archives the record and returns it; an archived record stays as it is. Raises not_found.';

create function api.deal_restore(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  t crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
begin
  if t.archived_at is not null then
    update crm.deals r set archived_at = null where r.workspace_id = t.workspace_id and r.id = t.id
    returning r.* into t;
  end if;
  return crm.deal_json(t);
end
$$;
comment on function api.deal_restore(jsonb) is
  'Restores the record and returns it; a record in use stays as it is. Raises not_found.';

create index deals_status on crm.deals (workspace_id, status, id);
create index deals_pipeline_id on crm.deals (workspace_id, pipeline_id, id);
create index deals_stage_id on crm.deals (workspace_id, stage_id, id);
create index deals_contact_id on crm.deals (workspace_id, contact_id, id);
create index deals_company_id on crm.deals (workspace_id, company_id, id);
create index deals_owner_id on crm.deals (workspace_id, owner_id, id);
create index deals_external_id on crm.deals (workspace_id, external_id, id) where external_id is not null;
create index deals_updated_at on crm.deals (workspace_id, updated_at, id);
create index deals_value on crm.deals (workspace_id, value, id);
create index deals_moved_at on crm.deals (workspace_id, moved_at, id);
create index deals_expected_close_date on crm.deals (workspace_id, expected_close_date, id);
create index deals_archived on crm.deals (workspace_id, id) where archived_at is not null;

create function crm.deal_text(t crm.deals) returns text
language sql immutable
-- Must stay one expression, so that Postgres inlines it: otherwise each search would plan it.
as $$ select crm.search_text(array[t.title, t.external_id], array[]::text[]) $$;
comment on function crm.deal_text(crm.deals) is 'The searched text of the record.';

create trigger forget_text after delete on crm.deals for each row execute function crm.forget_text('deal');

create function crm.deal_json_if_short(t crm.deals) returns json
language sql stable as $$
  select case when coalesce(pg_column_size(t.utm), 0) + coalesce(pg_column_size(t.custom_fields), 0) + coalesce(pg_column_size(t.tags), 0) <= 4000
    and pg_column_compression(t.utm) is null
    and pg_column_compression(t.custom_fields) is null
    and pg_column_compression(t.tags) is null
    then crm.deal_json(t)
  end
$$;
comment on function crm.deal_json_if_short(crm.deals) is
  'crm.deal_json, or null if the row may be long: crm.bounded_records builds long rows.';

create function api.deal_list(p_args jsonb) returns json
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
  if p_args ? 'sort' then return crm.sorted_list('deal', p_args); end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and t.id < v_before and t.id >= v_from
      order by t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'status' = '{}' and jsonb_array_length(p_args -> 'status') = 1 then
    v_text := p_args -> 'status' ->> 0;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.status, t.id) < (v_text, v_before) and t.status >= v_text
        and t.status = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.status desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'pipeline_id' = '{}' then
    v_uuid := (p_args ->> 'pipeline_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.pipeline_id, t.id) < (v_uuid, v_before)
        and t.pipeline_id >= v_uuid and t.pipeline_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.pipeline_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'stage_id' = '{}' then
    v_uuid := (p_args ->> 'stage_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.stage_id, t.id) < (v_uuid, v_before) and t.stage_id >= v_uuid
        and t.stage_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.stage_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'contact_id' = '{}' then
    v_uuid := (p_args ->> 'contact_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.contact_id, t.id) < (v_uuid, v_before)
        and t.contact_id >= v_uuid and t.contact_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.contact_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'company_id' = '{}' then
    v_uuid := (p_args ->> 'company_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.company_id, t.id) < (v_uuid, v_before)
        and t.company_id >= v_uuid and t.company_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.company_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    v_uuid := (p_args ->> 'owner_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.owner_id, t.id) < (v_uuid, v_before) and t.owner_id >= v_uuid
        and t.owner_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.owner_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'external_id' = '{}' then
    v_text := p_args ->> 'external_id';
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, case when t.archived_at is null then crm.deal_json_if_short(t) end as record from crm.deals t
      where t.workspace_id = crm.current_workspace_id() and (t.external_id, t.id) < (v_text, v_before)
        and t.external_id >= v_text and t.external_id = any (array[v_text]) and t.id < v_before and t.id >= v_from
        and t.external_id is not null
      order by t.external_id desc, t.id desc limit v_limit + 1
    ) page;
  end if;
  return crm.list_reply('deal', p_args, v_filters, v_before, v_from, v_ids, v_records, v_shown);
end
$$;
comment on function api.deal_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';

create function crm.deal_match(p_args jsonb) returns uuid[]
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
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and (t.external_id, t.id) < (v_value, v_beyond)
          and t.external_id >= v_value and t.external_id = any (array[v_value]) and t.id < v_beyond and t.id >= v_first
          and t.external_id is not null
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
    'deal external_id', p_args ->> 'external_id'
  ));
  v_ids := crm.deal_match(p_args);
  if cardinality(v_ids) > 1 then
    perform api.fail('ambiguous_match', array_fill(v_match_by, array[cardinality(v_ids)]), null, v_ids);
  elsif cardinality(v_ids) = 1 then
    perform api.mark_found();
    v_reply := api.deal_update((v_sent - v_kept) || jsonb_build_object('id', v_ids[1]));
    return crm.unless_dry_run(p_args, crm.with_fields(v_reply, json_build_object(
      'created', false, 'matched_by', v_match_by, 'differences', v_kept
    )));
  end if;
  if coalesce(v_sent ->> 'title', v_sent ->> 'contact_id', v_sent ->> 'company_id') is null then
    perform api.fail('validation_error', array['title'], 'Informe ao menos um de title, contact_id e company_id');
  end if;
  v_reply := api.deal_create(v_sent);
  select crm.deal_json(t) into v_record from crm.deals t
  where t.workspace_id = crm.current_workspace_id() and t.id = (v_reply ->> 'id')::uuid;
  return crm.unless_dry_run(p_args, crm.with_possible_duplicates(
    crm.with_fields(v_record, json_build_object('created', true, 'matched_by', null, 'differences', v_kept)),
    v_reply ->> 'X-Possible-Duplicate'
  ));
end
$$;
comment on function api.deal_upsert(jsonb) is
  'Changes the record whose field named in match_by has the value sent, or creates it. Returns the whole record with '
  'created, matched_by and differences (the fields that were not written). Raises ambiguous_match, validation_error '
  'for fields that only a creation requires, and the codes of api.deal_update and api.deal_create.';

-- Written by deno task records.

create type api.activity as (
  id uuid, workspace_id uuid, deal_id uuid, contact_id uuid, owner_id uuid, created_by_id uuid, type text, title text,
  description text, due_at text, duration_minutes integer, is_online_meeting boolean, meeting_url text, location text,
  status text, completed_at text, is_overdue boolean, created_at text, updated_at text
);
comment on type api.activity is 'An activity of a deal: its public fields, in order.';

create function crm.activity_json(t crm.activities) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.workspace_id, t.deal_id, t.contact_id, t.owner_id, t.created_by_id, t.type, t.title, t.description,
    crm.iso(t.due_at), t.duration_minutes, t.is_online_meeting, t.meeting_url, t.location, t.status,
    crm.iso(t.completed_at), t.status = 'pendente' and coalesce(t.due_at < now(), false), crm.iso(t.created_at),
    crm.iso(t.updated_at)
  )::api.activity)
$$;
comment on function crm.activity_json(crm.activities) is 'A row as public JSON, with the fields of api.activity.';

create function crm.activity_insert(t crm.activities) returns crm.activities
language plpgsql set search_path = '' as $$
begin
  insert into crm.activities as new (
    workspace_id, deal_id, contact_id, owner_id, created_by_id, type, title, description, due_at, duration_minutes,
    is_online_meeting, meeting_url, location, status
  )
  values (
    crm.current_workspace_id(), t.deal_id, t.contact_id, t.owner_id, t.created_by_id, t.type, t.title, t.description,
    t.due_at, t.duration_minutes, t.is_online_meeting, t.meeting_url, t.location, t.status
  )
  returning new.* into t;
  return t;
end
$$;
comment on function crm.activity_insert(crm.activities) is 'Creates the record and returns it.';

create function crm.activity_lock(p_id uuid, p_if_match jsonb default null) returns crm.activities
language plpgsql set search_path = '' as $$
declare
  t crm.activities;
begin
  select * into t from crm.activities r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then perform api.fail('not_found'); end if;
  if p_if_match is not null and not p_if_match ? crm.version(crm.activity_json(t)) then
    perform api.fail('precondition_failed');
  end if;
  return t;
end
$$;
comment on function crm.activity_lock(uuid, jsonb) is
  'Returns the record, locked until the transaction ends, so that concurrent changes of different fields are all '
  'kept. Raises not_found, and precondition_failed if p_if_match, a list of versions, lacks the record''s version.';

create function crm.activity_save(t crm.activities) returns crm.activities
language plpgsql set search_path = '' as $$
begin
  update crm.activities as saved
  set (
    contact_id, owner_id, type, title, description, due_at, duration_minutes, is_online_meeting, meeting_url, location,
    status
  ) = (
    t.contact_id, t.owner_id, t.type, t.title, t.description, t.due_at, t.duration_minutes, t.is_online_meeting,
    t.meeting_url, t.location, t.status
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.activity_save(crm.activities) is 'Writes the changeable fields, and returns the updated row.';

create function api.activity_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return crm.expanded(crm.require_record((
    select crm.activity_json(t) from crm.activities t
    where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid
  )), p_args -> 'expand');
end
$$;
comment on function api.activity_get(jsonb) is 'Returns one record; raises not_found.';

create index activities_deal_id on crm.activities (workspace_id, deal_id, id);
create index activities_contact_id on crm.activities (workspace_id, contact_id, id);
create index activities_owner_id on crm.activities (workspace_id, owner_id, id);
create index activities_type on crm.activities (workspace_id, type, id);
create index activities_status on crm.activities (workspace_id, status, id);
create index activities_updated_at on crm.activities (workspace_id, updated_at, id);
create index activities_due_at on crm.activities (workspace_id, due_at, id);

create function crm.activity_json_if_short(t crm.activities) returns json
language sql stable as $$
  select case when coalesce(octet_length(t.description), 0) <= 4000
    then crm.activity_json(t)
  end
$$;
comment on function crm.activity_json_if_short(crm.activities) is
  'crm.activity_json, or null if the row may be long: crm.bounded_records builds long rows.';

create function api.activity_list(p_args jsonb) returns json
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
  if p_args ? 'sort' then return crm.sorted_list('activity', p_args); end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
  if v_filters = '{}' then
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and t.id < v_before and t.id >= v_from
      order by t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'deal_id' = '{}' then
    v_uuid := (p_args ->> 'deal_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and (t.deal_id, t.id) < (v_uuid, v_before) and t.deal_id >= v_uuid
        and t.deal_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.deal_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'contact_id' = '{}' then
    v_uuid := (p_args ->> 'contact_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and (t.contact_id, t.id) < (v_uuid, v_before)
        and t.contact_id >= v_uuid and t.contact_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.contact_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'owner_id' = '{}' then
    v_uuid := (p_args ->> 'owner_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and (t.owner_id, t.id) < (v_uuid, v_before) and t.owner_id >= v_uuid
        and t.owner_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.owner_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'type' = '{}' and jsonb_array_length(p_args -> 'type') = 1 then
    v_text := p_args -> 'type' ->> 0;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and (t.type, t.id) < (v_text, v_before) and t.type >= v_text
        and t.type = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.type desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'status' = '{}' and jsonb_array_length(p_args -> 'status') = 1 then
    v_text := p_args -> 'status' ->> 0;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.activity_json_if_short(t) as record from crm.activities t
      where t.workspace_id = crm.current_workspace_id() and (t.status, t.id) < (v_text, v_before) and t.status >= v_text
        and t.status = any (array[v_text]) and t.id < v_before and t.id >= v_from
      order by t.status desc, t.id desc limit v_limit + 1
    ) page;
  end if;
  return crm.list_reply('activity', p_args, v_filters, v_before, v_from, v_ids, v_records, v_shown);
end
$$;
comment on function api.activity_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';

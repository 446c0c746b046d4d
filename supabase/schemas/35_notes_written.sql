-- Written by deno task records.

create type api.note as (
  id uuid, deal_id uuid, author_id uuid, body text, kind text, source text, created_at text, updated_at text
);
comment on type api.note is 'A note of a deal: its public fields, in order.';

create function crm.note_json(t crm.notes) returns json
language sql stable as $$
  select to_json(row(
    t.id, t.deal_id, t.author_id, t.body, t.kind, t.source, crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.note)
$$;
comment on function crm.note_json(crm.notes) is 'A row as public JSON, with the fields of api.note.';

create function crm.note_insert(t crm.notes) returns crm.notes
language plpgsql set search_path = '' as $$
begin
  insert into crm.notes as new (
    workspace_id, deal_id, author_id, body, kind, source
  )
  values (
    crm.current_workspace_id(), t.deal_id, t.author_id, t.body, t.kind, t.source
  )
  returning new.* into t;
  return t;
end
$$;
comment on function crm.note_insert(crm.notes) is 'Creates the record and returns it.';

create function api.note_get(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return crm.expanded(crm.require_record((
    select crm.note_json(t) from crm.notes t
    where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid
  )), p_args -> 'expand');
end
$$;
comment on function api.note_get(jsonb) is 'Returns one record; raises not_found.';

create index notes_deal_id on crm.notes (workspace_id, deal_id, id);
create index notes_kind on crm.notes (workspace_id, deal_id, kind, id);
create index notes_updated_at on crm.notes (workspace_id, deal_id, updated_at, id);

create function crm.note_json_if_short(t crm.notes) returns json
language sql stable as $$
  select case when coalesce(octet_length(t.body), 0) <= 4000
    then crm.note_json(t)
  end
$$;
comment on function crm.note_json_if_short(crm.notes) is
  'crm.note_json, or null if the row may be long: crm.bounded_records builds long rows.';

create function api.note_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- 21_lists.sql explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_from uuid := '00000000-0000-0000-0000-000000000000';
  v_filters jsonb := p_args - '{limit,cursor,since,until,expand,deal_id}'::text[];
  v_text text;
  v_uuid uuid;
  v_ids uuid[];
  v_records json[];
  v_shown integer;
begin
  if p_args ? 'sort' then return crm.sorted_list('note', p_args); end if;
  if p_args ? 'since' then v_from := crm.uuid_v7_floor((p_args ->> 'since')::timestamptz); end if;
  if p_args ? 'until' then v_before := least(v_before, crm.uuid_v7_floor((p_args ->> 'until')::timestamptz)); end if;
  -- Each filter has its own statement with a cached plan, because a statement for all filters could use no index.
  if v_filters = '{}' then
    v_uuid := (p_args ->> 'deal_id')::uuid;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.note_json_if_short(t) as record from crm.notes t
      where t.workspace_id = crm.current_workspace_id() and (t.deal_id, t.id) < (v_uuid, v_before) and t.deal_id >= v_uuid
        and t.deal_id = any (array[v_uuid]) and t.id < v_before and t.id >= v_from
      order by t.deal_id desc, t.id desc limit v_limit + 1
    ) page;
  elsif v_filters - 'kind' = '{}' and jsonb_array_length(p_args -> 'kind') = 1 then
    v_text := p_args -> 'kind' ->> 0;
    select array_agg(page.id), array_agg(page.record), count(page.record) into v_ids, v_records, v_shown
    from (
      select t.id, crm.note_json_if_short(t) as record from crm.notes t
      where t.workspace_id = crm.current_workspace_id() and t.deal_id = (p_args ->> 'deal_id')::uuid
        and (t.kind, t.id) < (v_text, v_before) and t.kind >= v_text and t.kind = any (array[v_text])
        and t.id < v_before and t.id >= v_from
      order by t.kind desc, t.id desc limit v_limit + 1
    ) page;
  end if;
  return crm.list_reply('note', p_args, v_filters, v_before, v_from, v_ids, v_records, v_shown);
end
$$;
comment on function api.note_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';

-- Notes of a deal (spec 2.2): written once, never changed through the API.

create table crm.notes (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  deal_id uuid not null,
  author_id uuid not null,
  body text not null check (char_length(body) between 1 and 10000),
  kind text not null default 'note' check (kind in ('note', 'observation')),
  source text not null check (source in ('user', 'automation', 'agent', 'integration')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, deal_id) references crm.deals (workspace_id, id),
  foreign key (workspace_id, author_id) references crm.members (workspace_id, id)
);
comment on table crm.notes is 'Texts that people and integrations write about a deal.';
comment on column crm.notes.source is
  'What kind of author wrote the note. author_id cannot show it, because it is always a member (spec 2.2).';

call crm.protect('crm.notes');
-- No update, because the API never changes a note.
create trigger touch before update on crm.notes for each row execute function crm.touch();
create trigger set_moved_at after insert on crm.notes for each row execute function crm.set_moved_at();

-- written by deno task records: note
create type api.note as (
  id uuid,
  deal_id uuid,
  author_id uuid,
  body text,
  kind text,
  source text,
  created_at text,
  updated_at text
);
comment on type api.note is 'A note of a deal: its public fields, in order.';

create function crm.note_json(t crm.notes) returns json
language sql stable
as $$
  select to_json(row(
    t.id, t.deal_id, t.author_id, t.body, t.kind, t.source, crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.note)
$$;
comment on function crm.note_json(crm.notes) is 'A row as public JSON, with the fields of api.note.';

create function crm.note_insert(t crm.notes) returns crm.notes
language plpgsql
set search_path = ''
as $$
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
comment on function crm.note_insert(crm.notes) is
  'Creates the record in the caller''s workspace and returns it.';

create function api.note_get(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return crm.require_record((
    select crm.note_json(t) from crm.notes t
    where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid
  ));
end
$$;
comment on function api.note_get(jsonb) is 'Returns one record; raises not_found.';

create index notes_deal_id on crm.notes (workspace_id, deal_id, id);
create index notes_kind on crm.notes (workspace_id, deal_id, kind, id);
create index notes_updated_at on crm.notes (workspace_id, deal_id, updated_at, id);

create function crm.note_list_by(p_args jsonb, p_before uuid, out ids uuid[], out records json[])
language plpgsql stable
set search_path = ''
-- Planned for the values of each call: conditions of absent filters are removed, and the bound of a range decides the
-- index.
set plan_cache_mode = 'force_custom_plan'
set enable_bitmapscan = off
as $$
begin
  select array_agg(page.id), array_agg(page.record) into ids, records
  from (
    select t.id, crm.note_json(t) as record from crm.notes t
    where t.workspace_id = crm.current_workspace_id() and t.id < p_before
      and (not p_args ? 'deal_id' or t.deal_id = (p_args ->> 'deal_id')::uuid)
      and (not p_args ? 'kind' or t.kind = p_args ->> 'kind')
      and (not p_args ? 'since' or t.id >= crm.uuid_v7_floor((p_args ->> 'since')::timestamptz))
      and (not p_args ? 'updated_since' or t.updated_at >= (p_args ->> 'updated_since')::timestamptz)
    order by t.id desc
    limit (p_args ->> 'limit')::integer + 1
  ) page;
end
$$;
comment on function crm.note_list_by(jsonb, uuid) is
  'The ids and records of a page of api.note_list, for any combination of its filters.';

create function api.note_list(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
-- The planner estimates more rows for an unknown limit than any page has, and would therefore plan at every call.
set plan_cache_mode = 'force_generic_plan'
-- The index of an equality ends with the id, so that a page is read in its order. The planner has statistics only of
-- all workspaces together, and would often read and sort all rows of a workspace instead.
set enable_bitmapscan = off
as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_ids uuid[];
  v_records json[];
begin
  -- Each filter has its own statement with its own cached plan: one statement for all filters could use no index.
  case crm.filters_of(p_args)
    when '{deal_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.note_json(t) as record from crm.notes t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.deal_id = (p_args ->> 'deal_id')::uuid
        order by t.id desc
        limit v_limit + 1
      ) page;
    else
      select page.ids, page.records into v_ids, v_records from crm.note_list_by(p_args, v_before) page;
  end case;
  return crm.page(v_limit, v_ids, v_records);
end
$$;
comment on function api.note_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
-- end of what is written

create function api.note_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_note crm.notes := jsonb_populate_record(null::crm.notes, p_args);
begin
  perform crm.check_references(p_args);
  v_note.author_id := crm.active_member(crm.current_member_id());
  if v_note.author_id is null then
    perform api.fail('no_author_available');
  end if;
  v_note.kind := coalesce(v_note.kind, 'note');
  v_note.source := 'integration';
  v_note := crm.note_insert(v_note);
  return crm.note_json(v_note);
end
$$;
comment on function api.note_create(jsonb) is
  'Creates a note whose author is the creator of the key, and never anybody else; raises invalid_reference, '
  'no_author_available (spec 2.2, 4.3).';

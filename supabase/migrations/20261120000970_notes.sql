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
comment on table crm.notes is 'What people and integrations wrote down about a deal.';
comment on column crm.notes.source is
  'Where the note came from. It alone says so: the author is always a member, never an integration (spec 2.2).';

-- The list is always that of one deal, so the deal leads each of them.
create index notes_deal on crm.notes (workspace_id, deal_id, id);
create index notes_kind on crm.notes (workspace_id, deal_id, kind, id);
create index notes_updated on crm.notes (workspace_id, deal_id, updated_at, id);
call crm.protect('crm.notes');
-- No update: through the API a note stays as it was written.
grant select, insert on crm.notes to crm_api;
create trigger touch before update on crm.notes for each row execute function crm.touch();

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
comment on type api.note is 'Public JSON of a note (spec 2.2).';

create function crm.note_json(n crm.notes) returns json
language sql stable
as $$
  select to_json(row(
    n.id, n.deal_id, n.author_id, n.body, n.kind, n.source, crm.iso(n.created_at), crm.iso(n.updated_at)
  )::api.note)
$$;
comment on function crm.note_json(crm.notes) is 'As api.note, in JSON: everywhere that a note is shown.';

call crm.define_list('note_list', 'crm.notes', 'crm.note_json', jsonb_build_object(
  'deal_id', 't.deal_id = ($1 ->> ''deal_id'')::uuid',
  'kind', 't.kind = $1 ->> ''kind'''
));

create function api.note_get(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return crm.found((
    select crm.note_json(n) from crm.notes n
    where n.workspace_id = crm.current_workspace_id() and n.id = (p_args ->> 'id')::uuid
  ));
end
$$;
comment on function api.note_get(jsonb) is 'One note, or not_found (spec 4.3).';

create function api.note_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_author_id uuid := crm.active_member(crm.current_member_id());
  v_note crm.notes;
begin
  perform crm.check_references(p_args);
  if v_author_id is null then
    perform api.fail('no_author_available');
  end if;
  insert into crm.notes (workspace_id, deal_id, author_id, body, kind, source)
  values (
    crm.current_workspace_id(), (p_args ->> 'deal_id')::uuid, v_author_id, p_args ->> 'body',
    coalesce(p_args ->> 'kind', 'note'), 'integration'
  )
  returning * into v_note;
  return crm.note_json(v_note);
end
$$;
comment on function api.note_create(jsonb) is
  'Writes a note in the name of the key''s creator and of nobody else; raises invalid_reference, no_author_available '
  '(spec 2.2, 4.3).';

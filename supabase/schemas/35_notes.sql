-- Notes of a deal (spec 2.2): written once, never changed through the API.

create domain crm.note_body as text check (char_length(value) between 1 and 10000);
comment on domain crm.note_body is 'The text of a note: 1 to 10,000 characters.';

create domain crm.note_kind as text check (value in ('note', 'observation'));
comment on domain crm.note_kind is 'The kind of a note: a note or an observation.';

create domain crm.note_source as text check (value in ('user', 'automation', 'agent', 'integration'));
comment on domain crm.note_source is
  'How the note was created. author_id cannot show this, because it is always a member (spec 2.2).';

create table crm.notes (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  deal_id uuid not null,
  author_id uuid not null,
  body crm.note_body not null,
  kind crm.note_kind not null default 'note',
  source crm.note_source not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, deal_id) references crm.deals (workspace_id, id),
  foreign key (workspace_id, author_id) references crm.members (workspace_id, id)
);
comment on table crm.notes is 'Texts that people and integrations write about a deal.';

call crm.protect('crm.notes');
create trigger touch before update on crm.notes for each row execute function crm.touch();
-- Only after an insert, because the API never changes a note.
create trigger set_moved_at after insert on crm.notes for each row execute function crm.set_moved_at();

create function crm.note_new(p_args jsonb) returns crm.notes
language plpgsql set search_path = '' as $$
declare
  v_note crm.notes := jsonb_populate_record(null::crm.notes, crm.require_references(p_args));
begin
  v_note.author_id := crm.active_member(crm.current_member_id());
  if v_note.author_id is null then perform api.fail('no_author_available'); end if;
  v_note.kind := coalesce(v_note.kind, 'note');
  v_note.source := 'integration';
  return v_note;
end
$$;
comment on function crm.note_new(jsonb) is
  'The note to insert for the arguments of a creation. Its author is always the creator of the key. Raises '
  'invalid_reference, no_author_available (spec 2.2, 4.3).';

create function api.note_create(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ declare t crm.notes := crm.note_insert(crm.note_new(p_args)); begin return crm.note_json(t); end $$;
comment on function api.note_create(jsonb) is 'Creates a note and returns it. Raises the codes of crm.note_new.';

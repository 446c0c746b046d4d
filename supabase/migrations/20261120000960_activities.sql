-- Activities of a deal: tasks, calls, meetings. The table, its public JSON, its verbs.

create table crm.activities (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  deal_id uuid not null,
  contact_id uuid,
  owner_id uuid not null,
  created_by_id uuid not null,
  type text not null default 'tarefa' check (char_length(type) between 1 and 60),
  title text not null check (char_length(title) between 1 and 255),
  description text,
  due_at timestamptz,
  duration_minutes integer check (duration_minutes >= 0),
  is_online_meeting boolean not null default false,
  meeting_url text,
  location text,
  status text not null default 'pendente' check (status in ('pendente', 'concluida', 'cancelada')),
  completed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id),
  check ((status = 'concluida') = (completed_at is not null)),
  foreign key (workspace_id, deal_id) references crm.deals (workspace_id, id),
  foreign key (workspace_id, contact_id) references crm.contacts (workspace_id, id),
  foreign key (workspace_id, owner_id) references crm.members (workspace_id, id),
  foreign key (workspace_id, created_by_id) references crm.members (workspace_id, id)
);
comment on table crm.activities is 'What is to be done, or was done, to move a deal. Every activity belongs to one deal for good.';
comment on column crm.activities.type is 'Free text: a workspace may have kinds of its own. The known ones lend an untitled activity their label.';

create index activities_deal on crm.activities (workspace_id, deal_id, id);
create index activities_contact on crm.activities (workspace_id, contact_id, id);
create index activities_owner on crm.activities (workspace_id, owner_id, id);
create index activities_type on crm.activities (workspace_id, type, id);
create index activities_status on crm.activities (workspace_id, status, id);
create index activities_due on crm.activities (workspace_id, due_at, id);
-- Without it, what was done long ago would be waded through on the way to what is overdue.
create index activities_pending on crm.activities (workspace_id, due_at, id) where status = 'pendente';
create index activities_updated on crm.activities (workspace_id, updated_at, id);
call crm.protect('crm.activities');
grant select, insert, update on crm.activities to crm_api;
create trigger touch before update on crm.activities for each row execute function crm.touch();

create function crm.set_completed_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.completed_at := case when new.status = 'concluida' then coalesce(new.completed_at, now()) end;
  return new;
end
$$;
comment on function crm.set_completed_at() is
  'An activity has completed_at exactly while its status is concluida, whoever writes; editing it later keeps the time.';

create trigger set_completed_at before insert or update on crm.activities
  for each row execute function crm.set_completed_at();

create function crm.set_last_activity_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  update crm.deals d
  -- The later of the two: of two simultaneous activities the older may come second.
  set last_activity_at = greatest(d.last_activity_at, new.created_at)
  where d.workspace_id = new.workspace_id and d.id = new.deal_id;
  return null;
end
$$;
comment on function crm.set_last_activity_at() is 'Tells the deal that something happened on it.';

create trigger set_last_activity_at after insert on crm.activities
  for each row execute function crm.set_last_activity_at();

create function crm.activity_label(p_type text) returns text
language sql immutable
as $$
  select case p_type
    when 'tarefa' then 'Tarefa'
    when 'ligacao' then 'Ligação'
    when 'reuniao' then 'Reunião'
    when 'email' then 'E-mail'
    when 'whatsapp' then 'WhatsApp'
    when 'visita' then 'Visita'
    else p_type
  end
$$;
comment on function crm.activity_label(text) is 'What an activity without a title of its own is called.';

create type api.activity as (
  id uuid,
  workspace_id uuid,
  deal_id uuid,
  contact_id uuid,
  owner_id uuid,
  created_by_id uuid,
  type text,
  title text,
  description text,
  due_at text,
  duration_minutes integer,
  is_online_meeting boolean,
  meeting_url text,
  location text,
  status text,
  completed_at text,
  is_overdue boolean,
  created_at text,
  updated_at text
);
comment on type api.activity is 'Public JSON of an activity (spec 4.6).';

create function crm.activity_json(a crm.activities) returns json
language sql stable
as $$
  select to_json(row(
    a.id, a.workspace_id, a.deal_id, a.contact_id, a.owner_id, a.created_by_id, a.type, a.title, a.description,
    crm.iso(a.due_at), a.duration_minutes, a.is_online_meeting, a.meeting_url, a.location, a.status,
    crm.iso(a.completed_at), a.status = 'pendente' and coalesce(a.due_at < now(), false),
    crm.iso(a.created_at), crm.iso(a.updated_at)
  )::api.activity)
$$;
comment on function crm.activity_json(crm.activities) is 'As api.activity, in JSON: everywhere that an activity is shown.';

call crm.define_list(
  'activity_list', 'crm.activities', 'crm.activity_json',
  jsonb_build_object(
    'deal_id', 't.deal_id = ($1 ->> ''deal_id'')::uuid',
    'contact_id', 't.contact_id = ($1 ->> ''contact_id'')::uuid',
    'owner_id', 't.owner_id = ($1 ->> ''owner_id'')::uuid',
    'type', 't.type = $1 ->> ''type''',
    'status', 't.status = $1 ->> ''status'''
  ),
  jsonb_build_object(
    -- Windows side by side share nothing: the end is not part of one.
    'due_before', 't.due_at < ($1 ->> ''due_before'')::timestamptz',
    'due_after', 't.due_at >= ($1 ->> ''due_after'')::timestamptz',
    -- Two conditions rather than one compared with the parameter: an index can serve only the bare one.
    'is_overdue = true', 't.status = ''pendente'' and t.due_at < now()',
    'is_overdue = false', '(t.status <> ''pendente'' or t.due_at is null or t.due_at >= now())'
  )
);

create function api.activity_get(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return crm.found((
    select crm.activity_json(a) from crm.activities a
    where a.workspace_id = crm.current_workspace_id() and a.id = (p_args ->> 'id')::uuid
  ));
end
$$;
comment on function api.activity_get(jsonb) is 'One activity, or not_found (spec 4.6).';

create function api.activity_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_new crm.activities := jsonb_populate_record(null::crm.activities, p_args);
begin
  perform crm.check_references(p_args);
  v_new.type := coalesce(v_new.type, 'tarefa');
  insert into crm.activities (
    workspace_id, deal_id, contact_id, owner_id, created_by_id, type, title, description, due_at,
    duration_minutes, is_online_meeting, meeting_url, location, status
  )
  select
    d.workspace_id, d.id, coalesce(v_new.contact_id, d.contact_id), crm.owner_or_default(v_new.owner_id),
    crm.current_member_id(), v_new.type, coalesce(v_new.title, crm.activity_label(v_new.type)), v_new.description,
    v_new.due_at, v_new.duration_minutes, coalesce(v_new.is_online_meeting, false), v_new.meeting_url,
    v_new.location, coalesce(v_new.status, 'pendente')
  from crm.deals d
  where d.workspace_id = crm.current_workspace_id() and d.id = v_new.deal_id
  returning * into v_new;
  return crm.activity_json(v_new);
end
$$;
comment on function api.activity_create(jsonb) is
  'Creates an activity of a deal, with the deal''s contact where none is given; raises invalid_reference, '
  'no_owner_available (spec 4.6).';

create function api.activity_update(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_activity crm.activities;
  v_changes jsonb;
begin
  -- Locked: two PATCHes of different fields must both be kept.
  select * into v_activity from crm.activities a
  where a.workspace_id = crm.current_workspace_id() and a.id = (p_args ->> 'id')::uuid
  for update;
  if not found then
    perform api.fail('not_found');
  end if;
  v_changes := crm.changes(to_jsonb(v_activity), p_args);
  -- A PATCH that changes nothing is no change, to a feed by updated_since least of all.
  if v_changes = '{}' then
    return crm.activity_json(v_activity);
  end if;
  perform crm.check_references(v_changes);
  v_activity := jsonb_populate_record(v_activity, v_changes);
  v_activity.type := coalesce(v_activity.type, 'tarefa');
  update crm.activities a
  set (
    contact_id, owner_id, type, title, description, due_at, duration_minutes, is_online_meeting, meeting_url,
    location, status
  ) = (
    v_activity.contact_id, crm.owner_or_default(v_activity.owner_id), v_activity.type,
    coalesce(v_activity.title, crm.activity_label(v_activity.type)), v_activity.description, v_activity.due_at,
    v_activity.duration_minutes, coalesce(v_activity.is_online_meeting, false), v_activity.meeting_url,
    v_activity.location, coalesce(v_activity.status, 'pendente')
  )
  where a.workspace_id = v_activity.workspace_id and a.id = v_activity.id
  returning * into v_activity;
  return crm.activity_json(v_activity);
end
$$;
comment on function api.activity_update(jsonb) is
  'Changes what was sent and clears what was sent as null; a field that cannot be empty goes back to its default '
  '(spec 4.6).';

-- Activities of a deal (tasks, calls, meetings): the table and its verbs. `deno task records` writes the plain SQL into
-- 34_activities_written.sql.

create domain crm.activity_type as text check (char_length(value) between 1 and 60);
comment on domain crm.activity_type is 'The kind of an activity: 1 to 60 characters.';

create domain crm.activity_status as text check (value in ('pendente', 'concluida', 'cancelada'));
comment on domain crm.activity_status is 'Whether an activity is pending, done or cancelled.';

create table crm.activities (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  deal_id uuid not null,
  contact_id uuid,
  owner_id uuid not null,
  created_by_id uuid not null,
  type crm.activity_type not null default 'tarefa',
  title crm.record_name not null,
  description text,
  due_at timestamptz,
  overdue_reported_for timestamptz,
  overdue_unreported_at timestamptz generated always as (
    case when status = 'pendente' and overdue_reported_for is distinct from due_at then due_at end
  ) stored,
  duration_minutes crm.quantity,
  is_online_meeting boolean not null default false,
  meeting_url text,
  location text,
  status crm.activity_status not null default 'pendente',
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
comment on table crm.activities is 'Tasks, calls and meetings of a deal. An activity never moves to another deal.';
comment on column crm.activities.type is
  'Free text, because a workspace may have its own types. An activity without a title gets the label of its type.';
comment on column crm.activities.overdue_reported_for is
  'The due_at for which activity.overdue was last emitted. For a new due_at, the event can be emitted again.';
comment on column crm.activities.overdue_unreported_at is
  'due_at of a pending activity for which activity.overdue has not been emitted yet; otherwise null. A generated '
  'column, so that the planner has statistics on how few rows qualify.';

-- Partial, so that the filter `is_overdue` scans only pending activities.
create index activities_pending on crm.activities (workspace_id, due_at, id) where status = 'pendente';
create index activities_overdue on crm.activities (workspace_id, overdue_unreported_at)
  where overdue_unreported_at is not null;
call crm.protect('crm.activities');
create trigger touch before update on crm.activities
  -- An update that only records activity.overdue changes no field that a client sees.
  for each row when (old.overdue_reported_for is not distinct from new.overdue_reported_for)
  execute function crm.touch();
-- Not after an insert: for a new activity, set_last_activity_at updates the deal, which sets moved_at.
create trigger set_moved_at after update on crm.activities
  for each row when (
    old.overdue_reported_for is not distinct from new.overdue_reported_for
    -- Not when the trigger of a merge changes contact_id: the merge also updates the deals, which sets their moved_at.
    and (pg_trigger_depth() = 0 or old.contact_id is not distinct from new.contact_id)
  )
  execute function crm.set_moved_at();

create function crm.set_completed_at() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.completed_at := case when new.status = 'concluida' then coalesce(new.completed_at, now()) end;
  return new;
end
$$;
comment on function crm.set_completed_at() is
  'Trigger: sets completed_at when the status becomes concluida, and clears completed_at for any other status, whether '
  'the API or the application writes. A later edit keeps the time.';

create trigger set_completed_at before insert or update on crm.activities
  for each row execute function crm.set_completed_at();

create function crm.set_last_activity_at() returns trigger
language plpgsql set search_path = '' as $$
begin
  update crm.deals d
  -- greatest(), because the older of two simultaneous activities may be written last.
  set last_activity_at = greatest(d.last_activity_at, new.created_at)
  where d.workspace_id = new.workspace_id and d.id = new.deal_id;
  return null;
end
$$;
comment on function crm.set_last_activity_at() is 'Trigger: stores on the deal when its newest activity was created.';

create trigger set_last_activity_at after insert on crm.activities
  for each row execute function crm.set_last_activity_at();

create function crm.activity_label(p_type text) returns text
language sql immutable as $$
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
comment on function crm.activity_label(text) is 'The default title of an activity: the label of its type.';

create function crm.with_activity_defaults(p_activity crm.activities) returns crm.activities
language plpgsql stable set search_path = '' as $$
begin
  p_activity.owner_id := crm.owner_or_default(p_activity.owner_id);
  p_activity.type := coalesce(p_activity.type, 'tarefa');
  p_activity.title := coalesce(p_activity.title, crm.activity_label(p_activity.type));
  p_activity.is_online_meeting := coalesce(p_activity.is_online_meeting, false);
  p_activity.status := coalesce(p_activity.status, 'pendente');
  return p_activity;
end
$$;
comment on function crm.with_activity_defaults(crm.activities) is
  'Sets each required field that is null to its default; raises no_owner_available.';

create function crm.activity_new(p_args jsonb) returns crm.activities
language plpgsql set search_path = '' as $$
declare
  v_activity crm.activities := jsonb_populate_record(null::crm.activities, crm.require_references(p_args));
begin
  if v_activity.contact_id is null then
    -- Lock the contact before the insert, so that no merge can move the contact's rows in between. If the contact is
    -- already merged, the activity gets the contact that replaced it.
    select coalesce(c.merged_into_id, c.id) into v_activity.contact_id
    from crm.deals d join crm.contacts c on c.workspace_id = d.workspace_id and c.id = d.contact_id
    where d.workspace_id = crm.current_workspace_id() and d.id = v_activity.deal_id
    for key share of c;
  end if;
  v_activity.created_by_id := crm.current_member_id();
  return crm.with_activity_defaults(v_activity);
end
$$;
comment on function crm.activity_new(jsonb) is
  'The activity to insert for the arguments of a creation, with the deal''s contact if none is sent. Raises '
  'invalid_reference, no_owner_available (spec 4.6).';

create function api.activity_create(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ declare t crm.activities := crm.activity_insert(crm.activity_new(p_args)); begin return crm.activity_json(t); end $$;
comment on function api.activity_create(jsonb) is
  'Creates an activity of a deal and returns it. Raises the codes of crm.activity_new.';

create function api.activity_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_activity crm.activities;
  v_changed crm.activities;
begin
  -- Lock the contact before the activity, as a merge does, so that the call and the merge cannot deadlock.
  if p_args ? 'contact_id' then perform crm.lock_referred('{}', array[(p_args ->> 'contact_id')::uuid]); end if;
  v_activity := crm.activity_lock((p_args ->> 'id')::uuid, p_args -> 'if_match');
  v_changed := crm.with_activity_defaults(jsonb_populate_record(
    v_activity, crm.require_references(crm.changes('activity', to_jsonb(v_activity), p_args))
  ));
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  -- Compare the rows instead of the arguments, because one time has several spellings, and null may mean the default
  -- that the row already has.
  if crm.changed_fields(to_jsonb(v_activity), to_jsonb(v_changed)) <> '{}' then v_activity := crm.activity_save(v_changed); end if;
  return crm.activity_json(v_activity);
end
$$;
comment on function api.activity_update(jsonb) is
  'Changes the fields sent; null clears a field, and resets a required field to its default (spec 4.6).';

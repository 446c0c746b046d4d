-- Activities of a deal: tasks, calls, meetings. The table, its plain SQL, its verbs.

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
  overdue_reported_for timestamptz,
  overdue_unreported_at timestamptz generated always as (
    case when status = 'pendente' and overdue_reported_for is distinct from due_at then due_at end
  ) stored,
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
comment on table crm.activities is
  'What is to be done, or was done, to move a deal. An activity always stays with its deal.';
comment on column crm.activities.type is
  'Free text, because a workspace may have its own types. An activity without a title gets the label of its type.';
comment on column crm.activities.overdue_reported_for is
  'The due_at for which activity.overdue was last emitted. A new due_at differs from it, so the event can be emitted '
  'again.';
comment on column crm.activities.overdue_unreported_at is
  'due_at of a pending activity for which activity.overdue has not been emitted yet; otherwise null. A column for '
  'the same reason as crm.deals.stale_unreported_since.';

create index activities_due on crm.activities (workspace_id, due_at, id);
-- Partial, so that the filter `is_overdue` never scans completed activities.
create index activities_pending on crm.activities (workspace_id, due_at, id) where status = 'pendente';
create index activities_overdue on crm.activities (workspace_id, overdue_unreported_at)
  where overdue_unreported_at is not null;
call crm.protect('crm.activities');
create trigger touch before update on crm.activities
  -- An update that only records activity.overdue changes no field that a client sees.
  for each row when (old.overdue_reported_for is not distinct from new.overdue_reported_for)
  execute function crm.touch();
-- Only after an update: a new activity moves its deal through set_last_activity_at.
create trigger set_moved_at after update on crm.activities
  for each row when (old.overdue_reported_for is not distinct from new.overdue_reported_for)
  execute function crm.set_moved_at();

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
  'Trigger: sets completed_at exactly while the status is concluida, whether the API or the application writes. A '
  'later edit keeps the time.';

create trigger set_completed_at before insert or update on crm.activities
  for each row execute function crm.set_completed_at();

create function crm.set_last_activity_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  update crm.deals d
  -- greatest(), because the older of two simultaneous activities may be written second.
  set last_activity_at = greatest(d.last_activity_at, new.created_at)
  where d.workspace_id = new.workspace_id and d.id = new.deal_id;
  return null;
end
$$;
comment on function crm.set_last_activity_at() is 'Trigger: records on the deal when its last activity was created.';

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
comment on function crm.activity_label(text) is
  'The title of an activity that was sent without one: the label of its type.';

-- written by deno task records: activity
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
comment on type api.activity is 'An activity of a deal: its public fields, in order.';

create function crm.activity_json(t crm.activities) returns json
language sql stable
as $$
  select to_json(row(
    t.id, t.workspace_id, t.deal_id, t.contact_id, t.owner_id, t.created_by_id, t.type, t.title,
    t.description, crm.iso(t.due_at), t.duration_minutes, t.is_online_meeting, t.meeting_url, t.location,
    t.status, crm.iso(t.completed_at), t.status = 'pendente' and coalesce(t.due_at < now(), false),
    crm.iso(t.created_at), crm.iso(t.updated_at)
  )::api.activity)
$$;
comment on function crm.activity_json(crm.activities) is
  'A row as public JSON, with the fields of api.activity.';

create function crm.activity_insert(t crm.activities) returns crm.activities
language plpgsql
set search_path = ''
as $$
begin
  insert into crm.activities as new (
    workspace_id, deal_id, contact_id, owner_id, created_by_id, type, title, description, due_at,
    duration_minutes, is_online_meeting, meeting_url, location, status
  )
  values (
    crm.current_workspace_id(), t.deal_id, t.contact_id, t.owner_id, t.created_by_id, t.type, t.title,
    t.description, t.due_at, t.duration_minutes, t.is_online_meeting, t.meeting_url, t.location, t.status
  )
  returning new.* into t;
  return t;
end
$$;
comment on function crm.activity_insert(crm.activities) is
  'Creates the record in the caller''s workspace and returns it.';

create function crm.activity_lock(p_id uuid) returns crm.activities
language plpgsql
set search_path = ''
as $$
declare
  t crm.activities;
begin
  select * into t from crm.activities r
  where r.workspace_id = crm.current_workspace_id() and r.id = p_id
  for no key update;
  if not found then
    perform api.fail('not_found');
  end if;
  return t;
end
$$;
comment on function crm.activity_lock(uuid) is
  'Locks the record until the transaction ends, so that concurrent changes of different fields are all '
  'kept, and returns it. Raises not_found.';

create function crm.activity_save(t crm.activities) returns crm.activities
language plpgsql
set search_path = ''
as $$
begin
  update crm.activities as saved
  set (
    contact_id, owner_id, type, title, description, due_at, duration_minutes, is_online_meeting, meeting_url,
    location, status
  ) = (
    t.contact_id, t.owner_id, t.type, t.title, t.description, t.due_at, t.duration_minutes,
    t.is_online_meeting, t.meeting_url, t.location, t.status
  )
  where saved.workspace_id = t.workspace_id and saved.id = t.id
  returning saved.* into t;
  return t;
end
$$;
comment on function crm.activity_save(crm.activities) is
  'Writes the fields of the record that can change, and returns the row as it is then.';

create function api.activity_get(p_args jsonb) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return crm.require_record((
    select crm.activity_json(t) from crm.activities t
    where t.workspace_id = crm.current_workspace_id() and t.id = (p_args ->> 'id')::uuid
  ));
end
$$;
comment on function api.activity_get(jsonb) is 'Returns one record; raises not_found.';

create index activities_deal_id on crm.activities (workspace_id, deal_id, id);
create index activities_contact_id on crm.activities (workspace_id, contact_id, id);
create index activities_owner_id on crm.activities (workspace_id, owner_id, id);
create index activities_type on crm.activities (workspace_id, type, id);
create index activities_status on crm.activities (workspace_id, status, id);
create index activities_updated_at on crm.activities (workspace_id, updated_at, id);

create function crm.activity_list_by(p_args jsonb, p_before uuid, out ids uuid[], out records json[])
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
    select t.id, crm.activity_json(t) as record from crm.activities t
    where t.workspace_id = crm.current_workspace_id() and t.id < p_before
      and (not p_args ? 'deal_id' or t.deal_id = (p_args ->> 'deal_id')::uuid)
      and (not p_args ? 'contact_id' or t.contact_id = (p_args ->> 'contact_id')::uuid)
      and (not p_args ? 'owner_id' or t.owner_id = (p_args ->> 'owner_id')::uuid)
      and (not p_args ? 'type' or t.type = p_args ->> 'type')
      and (not p_args ? 'status' or t.status = p_args ->> 'status')
      and (
        p_args ->> 'is_overdue' is distinct from 'true'
        or t.status = 'pendente' and t.due_at < now()
      )
      and (
        p_args ->> 'is_overdue' is distinct from 'false'
        or (t.status <> 'pendente' or t.due_at is null or t.due_at >= now())
      )
      and (not p_args ? 'due_before' or t.due_at < (p_args ->> 'due_before')::timestamptz)
      and (not p_args ? 'due_after' or t.due_at >= (p_args ->> 'due_after')::timestamptz)
      and (not p_args ? 'since' or t.id >= crm.uuid_v7_floor((p_args ->> 'since')::timestamptz))
      and (not p_args ? 'updated_since' or t.updated_at >= (p_args ->> 'updated_since')::timestamptz)
    order by t.id desc
    limit (p_args ->> 'limit')::integer + 1
  ) page;
end
$$;
comment on function crm.activity_list_by(jsonb, uuid) is
  'The ids and records of a page of api.activity_list, for any combination of its filters.';

create function api.activity_list(p_args jsonb) returns json
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
    when '{}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.activity_json(t) as record from crm.activities t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{deal_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.activity_json(t) as record from crm.activities t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.deal_id = (p_args ->> 'deal_id')::uuid
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{contact_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.activity_json(t) as record from crm.activities t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.contact_id = (p_args ->> 'contact_id')::uuid
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{owner_id}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.activity_json(t) as record from crm.activities t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.owner_id = (p_args ->> 'owner_id')::uuid
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{type}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.activity_json(t) as record from crm.activities t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.type = p_args ->> 'type'
        order by t.id desc
        limit v_limit + 1
      ) page;
    when '{status}' then
      select array_agg(page.id), array_agg(page.record) into v_ids, v_records
      from (
        select t.id, crm.activity_json(t) as record from crm.activities t
        where t.workspace_id = crm.current_workspace_id() and t.id < v_before
          and t.status = p_args ->> 'status'
        order by t.id desc
        limit v_limit + 1
      ) page;
    else
      select page.ids, page.records into v_ids, v_records from crm.activity_list_by(p_args, v_before) page;
  end case;
  return crm.page(v_limit, v_ids, v_records);
end
$$;
comment on function api.activity_list(jsonb) is 'Returns a page of the list, newest first (spec 4.0).';
-- end of what is written

create function crm.with_activity_defaults(p_activity crm.activities) returns crm.activities
language plpgsql stable
set search_path = ''
as $$
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
  'Fills each empty field that cannot be empty with its default; raises no_owner_available.';

create function api.activity_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_activity crm.activities := jsonb_populate_record(null::crm.activities, p_args);
begin
  perform crm.check_references(p_args);
  v_activity.contact_id := coalesce(v_activity.contact_id, (
    select d.contact_id from crm.deals d
    where d.workspace_id = crm.current_workspace_id() and d.id = v_activity.deal_id
  ));
  v_activity.created_by_id := crm.current_member_id();
  v_activity := crm.activity_insert(crm.with_activity_defaults(v_activity));
  return crm.activity_json(v_activity);
end
$$;
comment on function api.activity_create(jsonb) is
  'Creates an activity of a deal, with the deal''s contact if none is sent; raises invalid_reference, '
  'no_owner_available (spec 4.6).';

create function api.activity_update(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_activity crm.activities := crm.activity_lock((p_args ->> 'id')::uuid);
  v_changes jsonb := crm.changes(to_jsonb(v_activity), p_args);
begin
  -- A PATCH that changes nothing must not change updated_at, or a list by updated_since would return the record.
  if v_changes <> '{}' then
    perform crm.check_references(v_changes);
    v_activity := jsonb_populate_record(v_activity, v_changes);
    v_activity := crm.activity_save(crm.with_activity_defaults(v_activity));
  end if;
  return crm.activity_json(v_activity);
end
$$;
comment on function api.activity_update(jsonb) is
  'Changes the fields that were sent; null clears a field, and a field that cannot be empty returns to its default '
  '(spec 4.6).';

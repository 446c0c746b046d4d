-- Workspaces and their members. The operator manages both; the API never changes them.

create table crm.workspaces (
  id uuid primary key default crm.uuid_v7(),
  name crm.record_name not null,
  suspended boolean not null default false,
  public_api boolean not null default true,
  rate_limit_per_minute integer not null default 120 check (rate_limit_per_minute between 1 and 1000000),
  stale_after_days integer not null default 14 check (stale_after_days between 1 and 3650),
  max_waiting_deliveries integer not null default 50000 check (max_waiting_deliveries between 1 and 1000000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table crm.workspaces is
  'The tenants. Every record belongs to one workspace. public_api and rate_limit_per_minute are the workspace''s plan, '
  'which the door reads.';
comment on column crm.workspaces.public_api is
  'Whether the plan includes the public API. If not, every call gets 403 feature_disabled, and no webhook is sent.';
comment on column crm.workspaces.rate_limit_per_minute is 'Calls admitted for each key in any 60 seconds (spec 8).';
comment on column crm.workspaces.stale_after_days is
  'Days without movement after which a deal is stale (spec 6.1, deal.stale).';
comment on column crm.workspaces.max_waiting_deliveries is
  'How many deliveries may wait in crm.webhook_queue; the active subscriptions share the number equally. 50,000 take '
  'about 23 MiB, and are more than the dispatcher sends in the 10 s between two runs of the job webhook-catch-up, so '
  'the dispatcher never runs out of work.';

-- Verbs for keys do not read this table: the policy is for signed-in members alone.
alter table crm.workspaces enable row level security, force row level security;
create policy "A member reaches only their own workspace" on crm.workspaces for all to crm_app
  using (id = crm.current_workspace_id())
  with check (id = crm.current_workspace_id());
create trigger touch before update on crm.workspaces for each row execute function crm.touch();

create table crm.members (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  email text not null check (char_length(email) between 3 and 320),
  role text not null check (role in ('admin', 'gestor', 'vendedor')),
  is_active boolean not null default true,
  user_id uuid,
  invited_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table crm.members is 'The people of a workspace: owners of records, authors of notes, creators of keys.';
comment on column crm.members.user_id is
  'The person (auth.users) who signs in as this member. Set at the first sign-in by the confirmed e-mail '
  '(crm.link_member), or when the person accepts the invitation; null before that, and again after the person left.';
comment on column crm.members.invited_at is
  'When an admin invited the person, or when the person left: either way the person must consent before being linked. '
  'Null if the operator added the member: the person with that e-mail is then linked at once.';

create unique index members_email on crm.members (workspace_id, lower(email));
create unique index members_user on crm.members (user_id, workspace_id);
-- A sign-in looks the person up among the members of all workspaces.
create index members_by_email on crm.members (lower(email));
call crm.protect('crm.members');
create trigger touch before update on crm.members for each row execute function crm.touch();

create function crm.active_member(p_id uuid) returns uuid
language plpgsql stable set search_path = '' as $$
begin
  return (
    select m.id from crm.members m
    where m.workspace_id = crm.current_workspace_id() and m.id = p_id and m.is_active
  );
end
$$;
comment on function crm.active_member(uuid) is
  'Returns the id if it belongs to an active member of the caller''s workspace, otherwise null.';

create function crm.default_owner() returns uuid
language plpgsql stable set search_path = '' as $$
declare
  -- The query of crm.active_member, repeated: calling that function would make crm.default_owner take 50 % longer, for
  -- every new record.
  v_owner_id uuid := (
    select m.id from crm.members m
    where m.workspace_id = crm.current_workspace_id() and m.id = crm.current_member_id() and m.is_active
  );
begin
  -- A separate statement, so that Postgres prepares it only when needed.
  if v_owner_id is null then
    v_owner_id := (
      select m.id from crm.members m
      where m.workspace_id = crm.current_workspace_id() and m.is_active and m.role in ('admin', 'gestor')
      order by m.id limit 1
    );
  end if;
  return v_owner_id;
end
$$;
comment on function crm.default_owner() is
  'The owner of a new record if the call names none: the creator of the key, otherwise the oldest active admin or '
  'gestor (spec 4.1).';

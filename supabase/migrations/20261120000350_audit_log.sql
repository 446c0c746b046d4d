-- The audit log: who changed the keys, webhooks, members and settings of a workspace, and how.

create table crm.audit_log (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(clock_timestamp()),
  member_id uuid,
  action text not null,
  object_type text not null,
  object_id uuid not null,
  object_name text not null,
  details jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, member_id) references crm.members (workspace_id, id)
);
comment on table crm.audit_log is
  'Every change that a verb of schema app made to a workspace. Lines are never changed or removed.';
comment on column crm.audit_log.member_id is 'The member who made the change; null for the operator.';
comment on column crm.audit_log.object_name is
  'The name of the object at that moment, so that the line can be read without the object.';
call crm.protect('crm.audit_log');

create function crm.record_action(
  p_workspace_id uuid, p_action text, p_object_type text, p_object_id uuid, p_object_name text,
  p_details jsonb default '{}'
) returns void
language sql volatile set search_path = '' as $$
  insert into crm.audit_log (workspace_id, member_id, action, object_type, object_id, object_name, details)
  values (p_workspace_id, crm.current_member_id(), p_action, p_object_type, p_object_id, p_object_name, p_details)
$$;
comment on function crm.record_action(uuid, text, text, uuid, text, jsonb) is
  'Adds a line to the audit log, in the transaction of the change. p_action is <object>_<past participle>, such as '
  'key_created. The console shows p_details beside the action.';

create function crm.describe_changes(p_before jsonb, p_after jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select coalesce(jsonb_object_agg(a.key, jsonb_build_object('from', p_before -> a.key, 'to', a.value)), '{}')
  from jsonb_each(p_after) a
  where a.value is distinct from p_before -> a.key
$$;
comment on function crm.describe_changes(jsonb, jsonb) is
  'The details of an update for the audit log: {field: {from, to}} for each field that differs; {} if none does.';

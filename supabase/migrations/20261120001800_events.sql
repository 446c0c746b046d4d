-- What happened in a workspace (spec 6.1), kept for 30 days.

-- written by deno task records: event types
create type crm.event_type as enum (
  'deal.stage_changed',
  'deal.won',
  'deal.lost',
  'deal.stale',
  'activity.created',
  'activity.overdue',
  'proposal.viewed',
  'deal.created',
  'contact.created',
  'lead.received',
  'proposal.accepted',
  'proposal.rejected'
);
comment on type crm.event_type is 'The event catalog of spec 6.1.';

create table crm.event_types (
  event crm.event_type primary key,
  object_type text not null
);
comment on table crm.event_types is 'What kind of object each event is about (spec 6.2).';
-- Forced and without a policy: no verb reads it.
alter table crm.event_types enable row level security;
alter table crm.event_types force row level security;
insert into crm.event_types (event, object_type) values
  ('deal.stage_changed', 'deal'),
  ('deal.won', 'deal'),
  ('deal.lost', 'deal'),
  ('deal.stale', 'deal'),
  ('activity.created', 'activity'),
  ('activity.overdue', 'activity'),
  ('proposal.viewed', 'proposal'),
  ('deal.created', 'deal'),
  ('contact.created', 'contact'),
  ('lead.received', 'deal'),
  ('proposal.accepted', 'proposal'),
  ('proposal.rejected', 'proposal');
-- end of what is written

create table crm.events (
  workspace_id uuid not null references crm.workspaces (id),
  id uuid not null default crm.uuid_v7(),
  event crm.event_type not null,
  object_id uuid not null,
  facts jsonb not null,
  occurred_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table crm.events is
  'One row an event, whether or not anybody subscribes. Written only by crm.emit, in the transaction of the change.';
comment on column crm.events.facts is
  'What the object alone does not tell, such as the previous stage. It joins the object''s JSON in the delivery.';
-- No grants: the API's own role writes events through crm.emit and reads none.
call crm.protect('crm.events');
create index events_age on crm.events (occurred_at);

create function crm.purge_events() returns void
language sql
set search_path = ''
as $$ delete from crm.events e where e.occurred_at < now() - interval '30 days' $$;
comment on function crm.purge_events() is
  'Forgets events after 30 days, with their deliveries and attempts, also those that still wait for a subscription.';

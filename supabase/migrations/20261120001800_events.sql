-- Events: what happened in a workspace (spec 6.1), stored for 30 days.

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
  'proposal.rejected',
  'contact.updated',
  'company.created',
  'company.updated',
  'deal.updated',
  'deal.reopened',
  'activity.updated',
  'activity.completed',
  'note.created',
  'contact.merged',
  'contact.erased'
);
comment on type crm.event_type is 'The event catalog of spec 6.1.';

create table crm.event_types (
  event crm.event_type primary key,
  object_type text not null
);
comment on table crm.event_types is 'The type of object that each event is about (spec 6.2).';
-- No verb of a key reads this table: the policy is for signed-in members alone, who see what a delivery would send.
alter table crm.event_types enable row level security;
alter table crm.event_types force row level security;
create policy "A member reads the catalogue" on crm.event_types for select to crm_app using (true);
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
  ('proposal.rejected', 'proposal'),
  ('contact.updated', 'contact'),
  ('company.created', 'company'),
  ('company.updated', 'company'),
  ('deal.updated', 'deal'),
  ('deal.reopened', 'deal'),
  ('activity.updated', 'activity'),
  ('activity.completed', 'activity'),
  ('note.created', 'note'),
  ('contact.merged', 'contact'),
  ('contact.erased', 'contact');
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
  'One row for each event, whether or not there is a subscription. Only crm.emit writes it, in the transaction of '
  'the change, and crm.send_test_event.';
comment on column crm.events.facts is
  'What the object itself does not show, such as the previous stage. Added to the object''s JSON in the delivery.';
call crm.protect('crm.events');
create index events_age on crm.events (occurred_at);

create function crm.purge_events() returns void
language sql
set search_path = ''
as $$ delete from crm.events e where e.occurred_at < now() - interval '30 days' $$;
comment on function crm.purge_events() is
  'Deletes events older than 30 days with their deliveries and attempts, including deliveries that wait for an '
  'inactive subscription.';

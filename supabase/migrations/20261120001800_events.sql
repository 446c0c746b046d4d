-- Events: what happened in a workspace (spec 6.1). The feed and webhooks go back 30 days, the change log 90.

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
comment on type crm.event_type is 'The event catalogue of spec 6.1.';

create table crm.event_types (
  event crm.event_type primary key,
  object_type text not null,
  is_change boolean not null
);
comment on table crm.event_types is 'The type of object of each event (spec 6.2).';
comment on column crm.event_types.is_change is
  'Whether the change log shows the event. Every change emits one such event; other events repeat it, or are caused by time.';
alter table crm.event_types enable row level security, force row level security;
create policy "Every caller reads the catalogue" on crm.event_types for select to crm_api, crm_app using (true);
insert into crm.event_types (event, object_type, is_change) values
  ('deal.stage_changed', 'deal', false),
  ('deal.won', 'deal', false),
  ('deal.lost', 'deal', false),
  ('deal.stale', 'deal', false),
  ('activity.created', 'activity', true),
  ('activity.overdue', 'activity', false),
  ('proposal.viewed', 'proposal', true),
  ('deal.created', 'deal', true),
  ('contact.created', 'contact', true),
  ('lead.received', 'deal', false),
  ('proposal.accepted', 'proposal', true),
  ('proposal.rejected', 'proposal', true),
  ('contact.updated', 'contact', true),
  ('company.created', 'company', true),
  ('company.updated', 'company', true),
  ('deal.updated', 'deal', true),
  ('deal.reopened', 'deal', false),
  ('activity.updated', 'activity', true),
  ('activity.completed', 'activity', false),
  ('note.created', 'note', true),
  ('contact.merged', 'contact', true),
  ('contact.erased', 'contact', true);
-- end of what is written

create table crm.feed_offset (
  only_row boolean primary key default true check (only_row),
  added bigint not null default 0,
  -- 244 random bits; gen_random_bytes would need an extension.
  cursor_secret bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
comment on table crm.feed_offset is
  'The number added to a transaction id to get a position in the feed. A database restored into another cluster '
  'starts with small transaction ids again: crm.continue_feed() then raises this number.';
comment on column crm.feed_offset.cursor_secret is
  'Signs the cursors of the feed (crm.feed_cursor_text). With another secret, every existing cursor becomes '
  'invalid_cursor.';
alter table crm.feed_offset enable row level security, force row level security;
insert into crm.feed_offset default values;

create function crm.feed_position() returns bigint
language plpgsql volatile set search_path = ''
as $$ begin return pg_current_xact_id()::text::bigint + (select o.added from crm.feed_offset o); end $$;
comment on function crm.feed_position() is 'The position in the feed of the events that this transaction writes.';

create function crm.feed_horizon() returns bigint
language plpgsql stable security definer set search_path = '' as $$
begin
  return pg_snapshot_xmin(pg_current_snapshot())::text::bigint + (select o.added from crm.feed_offset o);
end
$$;
comment on function crm.feed_horizon() is
  'The position below which every transaction has ended, in the snapshot of the statement. An event below it is '
  'visible now or never, so a reader that stays below it misses no late commit. Security definer, because verbs may '
  'not read crm.feed_offset.';

create table crm.events (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7_clock(),
  event crm.event_type not null,
  object_id uuid not null,
  facts jsonb not null,
  is_test boolean not null default false,
  caller_id uuid default crm.current_caller_id(),
  occurred_at timestamptz not null default now(),
  position bigint not null default crm.feed_position(),
  primary key (workspace_id, id)
) partition by range (id);
comment on table crm.events is
  'One row for each event, whether or not anybody subscribes. Only crm.emit, in the transaction of the change, and '
  'crm.send_test_event write it. Kept for 90 days in daily partitions. Without foreign keys, because with one each '
  'event would lock the workspace''s row.';
comment on column crm.events.facts is
  'Facts that the object itself does not show, such as the previous stage. A delivery adds them to the object''s '
  'JSON.';
comment on column crm.events.is_test is
  'Whether the event is a test of a receiver: nothing happened in the workspace (crm.send_test_event).';
comment on column crm.events.caller_id is
  'The caller whose request caused the event (crm.current_caller_id); null for the operator, a job or another writer '
  'of the database.';
comment on column crm.events.position is
  'The place in the feed, given by the writing transaction (crm.feed_position). Events of one transaction are ordered '
  'by id.';
call crm.protect('crm.events');
create table crm.events_default partition of crm.events default;
comment on table crm.events_default is
  'Rows of crm.events whose day has no partition. Empty unless the job partition-events did not run for a week.';
call crm.protect('crm.events_default');
create index events_in_order on crm.events (workspace_id, position, id);
create index events_of_object on crm.events (workspace_id, object_id, position, id);

create function crm.continue_feed() returns bigint
language sql volatile set search_path = '' as $$
  update crm.feed_offset o
  set added = greatest(
    o.added,
    coalesce((select max(e.position) from crm.events e), 0) + 1000000000000 - pg_current_xact_id()::text::bigint
  )
  returning o.added
$$;
comment on function crm.continue_feed() is
  'Call it once after restoring a dump into another cluster, before the first call of the API: positions then continue '
  'a trillion above the greatest stored one. The reason is that the lost database wrote events, and gave their '
  'positions to clients, after the backup: new events must lie after such a cursor. Reads all events. Returns the new '
  'offset.';

-- What the two nodes of a move need besides node.sql. move.ts applies this file to both before it moves a slot.

create schema if not exists nodes;

create table if not exists nodes.fences (
  slot text primary key check (slot ~ '^[0-9A-Za-z]{4}$'),
  phase text not null check (phase in ('open', 'draining', 'frozen'))
);
comment on table nodes.fences is
  'The slots that are moving to or from this node. open: everything may be written. draining: no more deliveries are '
  'claimed. frozen: nothing is written. A slot without a row is not moving.';

create or replace function nodes.fence_lock(p_slot text) returns bigint
language sql immutable parallel safe set search_path = ''
as $$ select hashtextextended(p_slot, 7401) $$;
comment on function nodes.fence_lock(text) is
  'The number of a moving slot''s advisory lock. Every transaction that writes rows of the slot takes the lock in '
  'share mode. A change of phase takes the lock exclusively, so it waits for these transactions and for no others.';

create or replace function nodes.fence() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_phase text;
begin
  perform pg_advisory_xact_lock_shared(nodes.fence_lock(tg_argv[0]));
  select f.phase into v_phase from nodes.fences f where f.slot = tg_argv[0];
  if v_phase = 'frozen' then
    -- Skip a job's row: a job writes rows of all workspaces in one statement, which an error would stop. The operator's
    -- commands have no workspace either, but get the error, because they must not succeed without a change.
    if crm.current_workspace_id() is null and current_setting('application_name') <> 'crm-cli' then return null; end if;
    raise exception using errcode = '55P03', message = 'The workspace is moving to another database';
  end if;
  if v_phase = 'draining' and tg_op = 'UPDATE' and tg_table_name = 'webhook_queue' then
    if new.state = 'leased' and old.state <> 'leased' then return null; end if;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;
comment on function nodes.fence() is
  'Trigger on every table with rows of workspaces; the argument is a moving slot. Refuses the writes that nodes.fences '
  'forbids: calls and the operator''s commands get an error, and jobs and claims skip the row.';
revoke execute on function nodes.fence_lock(text) from public;
-- A partition gets the triggers of its table when the table's owner creates it, so the owner needs this right. PUBLIC
-- may have the right, because nobody can call a trigger function directly.
grant execute on function nodes.fence() to public;

create or replace function nodes.raise_feed(p_above bigint) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  v_added bigint;
begin
  -- Waits for every transaction that has written an event. Without this wait, a reader could get a cursor above the
  -- event's position before the transaction commits, and would miss the event.
  lock table crm.feed_offset in access exclusive mode;
  update crm.feed_offset o
  set added = o.added + greatest(p_above - crm.feed_horizon(), 0)
  returning o.added into v_added;
  return v_added;
end
$$;
comment on function nodes.raise_feed(bigint) is
  'Makes the positions of new events at this node at least p_above, so that cursors from another node stay valid and '
  'new events come after them. Needs only p_above, whereas crm.continue_feed() reads all events.';
revoke execute on function nodes.raise_feed(bigint) from public;

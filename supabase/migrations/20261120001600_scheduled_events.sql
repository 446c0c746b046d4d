-- Events that time brings about rather than a write (spec 6.1): deal.stale and activity.overdue. What was told is
-- remembered beside what it was told of, so that a new movement or due date arms the event again by being another one.

alter table crm.deals
  add column moved_at timestamptz not null default now(),
  add column stale_told_for timestamptz;
comment on column crm.deals.moved_at is
  'When it last moved: a change of the deal, an activity of it written or changed, or a note. Not updated_at: a note '
  'changes nothing that the deal''s own record shows.';
comment on column crm.deals.stale_told_for is 'The movement after which deal.stale was emitted: once for each spell.';
alter table crm.deals add column resting_since timestamptz
  generated always as (case when status = 'aberto' and stale_told_for is distinct from moved_at then moved_at end) stored;
comment on column crm.deals.resting_since is
  'moved_at while deal.stale is still to be told. A column rather than a condition: the planner knows how few rows have it.';

drop trigger touch on crm.deals;
update crm.deals d
set moved_at = greatest(
  d.updated_at,
  (select max(n.created_at) from crm.notes n where n.workspace_id = d.workspace_id and n.deal_id = d.id)
);

create function crm.touch_deal() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- The job's own mark is no movement, and neither that nor a note is a change that a reader of deals would see.
  if new.stale_told_for is not distinct from old.stale_told_for and new.moved_at = old.moved_at then
    new.updated_at := now();
    new.moved_at := now();
  end if;
  return new;
end
$$;
comment on function crm.touch_deal() is
  'Keeps updated_at and moved_at true whoever writes, the API or the application.';

create trigger touch before update on crm.deals for each row execute function crm.touch_deal();

create function crm.move_deal() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  update crm.deals d set moved_at = now() where d.workspace_id = new.workspace_id and d.id = new.deal_id;
  return null;
end
$$;
comment on function crm.move_deal() is 'Tells the deal of a note or an activity that it moved.';

create trigger move_deal after insert on crm.notes for each row execute function crm.move_deal();

create index deals_resting on crm.deals (workspace_id, resting_since) where resting_since is not null;

create function crm.emit_stale_deals() returns void
language plpgsql
set search_path = ''
as $$
declare
  v_workspace record;
  v_deal record;
begin
  -- One workspace after the other: each has its own bound, with which its part of the index is entered. In one statement
  -- for all of them the whole index would be read.
  for v_workspace in select w.id, w.stale_after_days from crm.workspaces w loop
    for v_deal in
      update crm.deals d
      set stale_told_for = d.moved_at
      where d.workspace_id = v_workspace.id
        and d.resting_since <= now() - make_interval(days => v_workspace.stale_after_days)
      returning d.id, d.moved_at
    loop
      perform crm.emit(
        v_workspace.id, 'deal.stale', 'deal', v_deal.id,
        jsonb_build_object(
          'days_without_movement', floor(extract(epoch from now() - v_deal.moved_at) / 86400)::integer,
          'threshold_days', v_workspace.stale_after_days
        )
      );
    end loop;
  end loop;
end
$$;
comment on function crm.emit_stale_deals() is
  'Emits deal.stale for every open deal that has not moved for its workspace''s stale_after_days, once until it moves.';

alter table crm.activities add column overdue_told_for timestamptz;
comment on column crm.activities.overdue_told_for is 'The due date for which activity.overdue was emitted: once for each.';
alter table crm.activities add column untold_due_at timestamptz
  generated always as (case when status = 'pendente' and overdue_told_for is distinct from due_at then due_at end) stored;
comment on column crm.activities.untold_due_at is 'due_at while activity.overdue is still to be told, as crm.deals.resting_since.';

drop trigger touch on crm.activities;
create trigger touch before update on crm.activities
  -- The job's own mark is no change that a reader of activities would see.
  for each row when (old.overdue_told_for is not distinct from new.overdue_told_for)
  execute function crm.touch();

-- A new activity moves its deal through set_last_activity_at.
create trigger move_deal after update on crm.activities
  for each row when (old.overdue_told_for is not distinct from new.overdue_told_for)
  execute function crm.move_deal();

create index activities_untold on crm.activities (workspace_id, untold_due_at) where untold_due_at is not null;

create function crm.emit_overdue_activities() returns void
language plpgsql
set search_path = ''
as $$
declare
  v_activity record;
begin
  for v_activity in
    update crm.activities a
    set overdue_told_for = a.due_at
    -- Its index is by workspace.
    from crm.workspaces w
    where a.workspace_id = w.id and a.untold_due_at < now()
    returning a.workspace_id, a.id, a.due_at
  loop
    perform crm.emit(
      v_activity.workspace_id, 'activity.overdue', 'activity', v_activity.id,
      jsonb_build_object('overdue_since', crm.iso(v_activity.due_at))
    );
  end loop;
end
$$;
comment on function crm.emit_overdue_activities() is
  'Emits activity.overdue for every pending activity whose due date has passed, once for each due date.';

insert into crm.jobs (name, every, command, description) values
  ('deals-stale', '1 hour', 'select crm.emit_stale_deals()', 'Emits deal.stale for deals without movement'),
  ('activities-overdue', '1 minute', 'select crm.emit_overdue_activities()',
    'Emits activity.overdue for activities past their due date');
select crm.schedule_jobs();

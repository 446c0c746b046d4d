-- The events that only time causes (spec 6.1): jobs call these functions.

create function crm.emit_stale_deals() returns void
language plpgsql set search_path = '' as $$
declare
  v_workspace record;
  v_deal record;
begin
  -- One statement for each workspace, so that the workspace's threshold bounds the part of the index that is read. A
  -- single statement for all workspaces would read the whole index.
  for v_workspace in select w.id, w.stale_after_days from crm.workspaces w loop
    for v_deal in
      select d.id, d.moved_at from crm.deals d
      where d.workspace_id = v_workspace.id
        and d.stale_unreported_since <= now() - make_interval(days => v_workspace.stale_after_days)
      -- Skip locked rows, so that the job cannot deadlock with calls. A call that has locked a deal is probably moving
      -- it. If it is not, the next run of the job reports the deal.
      for no key update skip locked
    loop
      update crm.deals d set stale_reported_for = d.moved_at
      where d.workspace_id = v_workspace.id and d.id = v_deal.id;
      perform crm.emit(
        v_workspace.id, 'deal.stale', v_deal.id,
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
  'Emits deal.stale for each open, unarchived deal that has not moved for stale_after_days; once until its next move.';

create function crm.emit_overdue_activities() returns void
language plpgsql set search_path = '' as $$
declare
  v_activity record;
begin
  for v_activity in
    select a.workspace_id, a.id, a.due_at
    -- Join the workspaces, because the index begins with the workspace.
    from crm.workspaces w join crm.activities a on a.workspace_id = w.id
    where a.overdue_unreported_at < now()
      and not exists (
        select from crm.deals d
        where d.workspace_id = a.workspace_id and d.id = a.deal_id and d.archived_at is not null
      )
    -- Skip locked rows for the same reason as in crm.emit_stale_deals.
    for no key update of a skip locked
  loop
    update crm.activities a set overdue_reported_for = a.due_at
    where a.workspace_id = v_activity.workspace_id and a.id = v_activity.id;
    perform crm.emit(
      v_activity.workspace_id, 'activity.overdue', v_activity.id,
      jsonb_build_object('overdue_since', crm.iso(v_activity.due_at))
    );
  end loop;
end
$$;
comment on function crm.emit_overdue_activities() is
  'Emits activity.overdue for every pending activity past its due date, once for each due date. Activities of an '
  'archived deal wait until it is restored.';

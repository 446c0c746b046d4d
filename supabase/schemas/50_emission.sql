-- Triggers and jobs that emit events (spec 6.1). They are in the database, so that neither the API nor the application
-- can skip an event. The triggers are security definer, because only their owner may execute crm.emit: no other role
-- can emit an event without a write.

create function crm.emit(p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_facts jsonb default '{}')
returns void
language plpgsql set search_path = '' as $$
declare
  v_event_id uuid;
  v_subscription_ids uuid[];
begin
  -- The position is computed here as in crm.feed_position(): calling that function as the column's default would take a
  -- fifth of the time of an event.
  insert into crm.events (workspace_id, event, object_id, facts, position)
  select p_workspace_id, p_event, p_object_id, p_facts, pg_current_xact_id()::text::bigint + o.added
  from crm.feed_offset o
  returning id, array(
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.is_active and p_event = any (s.event_types)
      and (s.filters is null or crm.passes_filters(s.filters, p_workspace_id, p_event, p_object_id, p_facts))
  ) into v_event_id, v_subscription_ids;
  -- Skip crm.fan_out if no subscription gets the event, as is usual: inserting no rows into a partitioned table takes
  -- as long as inserting one.
  if v_subscription_ids <> '{}' then perform crm.fan_out(p_workspace_id, array[v_event_id], v_subscription_ids); end if;
exception when others then
  -- Best effort (spec 3): an error here must not undo the write that the event is about. The write is undone only if
  -- the searched text cannot be written either, because then no search would ever find the record.
  raise log 'crm.emit % of %: % (%)', p_event, p_object_id, sqlerrm, sqlstate;
  -- Write the searched text now, because without the event the job index-texts does not learn of the change.
  perform crm.keep_texts(p_workspace_id, split_part(p_event::text, '.', 1), array[p_object_id]);
end
$$;
comment on function crm.emit(uuid, crm.event_type, uuid, jsonb) is
  'Stores an event and enqueues a delivery for each active subscription to its type whose filters let it pass '
  '(crm.fan_out), in the caller''s transaction. Fails only if it can write neither the event nor the searched text. '
  'Only the owner may execute it.';

create function crm.emit_created() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.emit(new.workspace_id, tg_argv[0]::crm.event_type, new.id);
  return null;
end
$$;
comment on function crm.emit_created() is 'Trigger: emits the event in its argument for the new row.';

create function crm.emit_all_created() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_event crm.event_type := tg_argv[0];
  v_is_checked boolean;
  v_stored record;
begin
  -- Null if there is no subscription. Then the ids of the events are not needed, and returning them would take a third
  -- as long as storing the events.
  select crm.checks_queue(bool_or(s.behind_since is not null), count(*), min(w.max_waiting_deliveries)) into v_is_checked
  from created c
  join crm.webhook_subscriptions s on s.workspace_id = c.workspace_id
  join crm.workspaces w on w.id = c.workspace_id
  where s.is_active and v_event = any (s.event_types);
  if not v_is_checked then
    with stored as (
      insert into crm.events (workspace_id, event, object_id, facts, position)
      select c.workspace_id, v_event, c.id, '{}', pg_current_xact_id()::text::bigint + o.added
      from created c cross join crm.feed_offset o
      returning workspace_id, id, object_id
    )
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
    select e.workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
    from stored e join crm.webhook_subscriptions s on s.workspace_id = e.workspace_id
    where s.is_active and v_event = any (s.event_types)
      and (s.filters is null or crm.passes_filters(s.filters, e.workspace_id, v_event, e.object_id, '{}'));
    -- No delivery is inserted if no filter lets a record pass.
    if found then perform set_config('app.events_enqueued', 'true', true); end if;
  elsif v_is_checked then
    for v_stored in
      with stored as (
        insert into crm.events (workspace_id, event, object_id, facts, position)
        select c.workspace_id, v_event, c.id, '{}', pg_current_xact_id()::text::bigint + o.added
        from created c cross join crm.feed_offset o
        returning workspace_id, id
      )
      select e.workspace_id, array_agg(e.id) as ids from stored e group by e.workspace_id
    loop
      perform crm.fan_out_within_bound(
        v_stored.workspace_id, v_stored.ids, crm.subscribers(v_stored.workspace_id, v_event)
      );
      perform crm.fan_out_filtered(v_stored.workspace_id, v_event, v_stored.ids);
    end loop;
  else
    insert into crm.events (workspace_id, event, object_id, facts, position)
    select c.workspace_id, v_event, c.id, '{}', pg_current_xact_id()::text::bigint + o.added
    from created c cross join crm.feed_offset o;
  end if;
  return null;
exception when others then
  raise log 'crm.emit_all_created %: % (%)', v_event, sqlerrm, sqlstate;
  perform crm.keep_texts(c.workspace_id, split_part(v_event::text, '.', 1), array_agg(c.id)) from created c
  group by c.workspace_id;
  return null;
end
$$;
comment on function crm.emit_all_created() is
  'Trigger: emits the event in its argument for all new rows of the statement at once, as crm.emit does for one row.';

create function crm.facts_of_new_deal(p_lead jsonb, p_contact_id uuid, p_company_id uuid)
returns table (event crm.event_type, facts jsonb)
language sql stable as $$
  select f.event, f.facts
  from (
    values
      ('deal.created'::crm.event_type, '{}'::jsonb),
      ('lead.received', jsonb_build_object('contact_id', p_contact_id, 'company_id', p_company_id))
  ) f (event, facts)
  where p_lead is not null or f.event = 'deal.created'
$$;
comment on function crm.facts_of_new_deal(jsonb, uuid, uuid) is
  'The events of a new deal in order, with their facts: lead.received has the lead''s contact and company.';

create function crm.emit_deals_created() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_is_checked boolean;
  v_stored record;
begin
  select crm.checks_queue(bool_or(s.behind_since is not null), count(*), min(w.max_waiting_deliveries)) into v_is_checked
  from created c
  join crm.webhook_subscriptions s on s.workspace_id = c.workspace_id
  join crm.workspaces w on w.id = c.workspace_id
  where s.is_active and s.event_types && '{deal.created,lead.received}';
  if not v_is_checked then
    with stored as (
      insert into crm.events (workspace_id, event, object_id, facts, position)
      select c.workspace_id, f.event, c.id, f.facts, pg_current_xact_id()::text::bigint + o.added
      from created c cross join crm.feed_offset o
      cross join lateral crm.facts_of_new_deal(c.lead, c.contact_id, c.company_id) f
      returning workspace_id, event, id, object_id, facts
    )
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
    select e.workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id
    from stored e join crm.webhook_subscriptions s on s.workspace_id = e.workspace_id
    where s.is_active and e.event = any (s.event_types)
      and (s.filters is null or crm.passes_filters(s.filters, e.workspace_id, e.event, e.object_id, e.facts));
    -- No delivery is inserted if all subscriptions are to lead.received and no deal comes from a lead, or if no filter
    -- lets a deal pass.
    if found then perform set_config('app.events_enqueued', 'true', true); end if;
  elsif v_is_checked then
    for v_stored in
      with stored as (
        insert into crm.events (workspace_id, event, object_id, facts, position)
        select c.workspace_id, f.event, c.id, f.facts, pg_current_xact_id()::text::bigint + o.added
        from created c cross join crm.feed_offset o
        cross join lateral crm.facts_of_new_deal(c.lead, c.contact_id, c.company_id) f
        returning workspace_id, event, id
      )
      select e.workspace_id, e.event, array_agg(e.id) as ids from stored e group by e.workspace_id, e.event
    loop
      perform crm.fan_out_within_bound(
        v_stored.workspace_id, v_stored.ids, crm.subscribers(v_stored.workspace_id, v_stored.event)
      );
      perform crm.fan_out_filtered(v_stored.workspace_id, v_stored.event, v_stored.ids);
    end loop;
  else
    insert into crm.events (workspace_id, event, object_id, facts, position)
    select c.workspace_id, f.event, c.id, f.facts, pg_current_xact_id()::text::bigint + o.added
    from created c cross join crm.feed_offset o
    cross join lateral crm.facts_of_new_deal(c.lead, c.contact_id, c.company_id) f;
  end if;
  return null;
exception when others then
  raise log 'crm.emit_deals_created: % (%)', sqlerrm, sqlstate;
  perform crm.keep_texts(c.workspace_id, 'deal', array_agg(c.id)) from created c group by c.workspace_id;
  return null;
end
$$;
comment on function crm.emit_deals_created() is
  'Trigger: emits the events of all new deals of the statement (crm.facts_of_new_deal), as crm.emit_all_created does.';

-- Contacts, companies and deals have statement triggers, because they are imported by the hundred, and each call of
-- crm.emit is a subtransaction. The other tables emit for each row, because a new row may cause further events:
-- row triggers emit these, and would fire before a statement trigger, so these events would come before `created`.
create trigger emit_created after insert on crm.contacts referencing new table as created
  for each statement execute function crm.emit_all_created('contact.created');
create trigger emit_created after insert on crm.companies referencing new table as created
  for each statement execute function crm.emit_all_created('company.created');
create trigger emit_created after insert on crm.deals referencing new table as created
  for each statement execute function crm.emit_deals_created();
create trigger emit_created after insert on crm.activities
  for each row execute function crm.emit_created('activity.created');
create trigger emit_created after insert on crm.notes for each row execute function crm.emit_created('note.created');

create function crm.emit_stage_changed() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.emit(
    new.workspace_id, 'deal.stage_changed', new.id,
    jsonb_build_object('previous_stage_id', old.stage_id, 'previous_pipeline_id', old.pipeline_id)
  );
  return null;
end
$$;
comment on function crm.emit_stage_changed() is 'Trigger: emits deal.stage_changed with the old stage and pipeline.';

create trigger emit_stage_changed after update of stage_id on crm.deals
  for each row when (old.stage_id is distinct from new.stage_id)
  execute function crm.emit_stage_changed();

create function crm.emit_closed() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.status = 'ganho' then
    perform crm.emit(new.workspace_id, 'deal.won', new.id);
  else
    perform crm.emit(new.workspace_id, 'deal.lost', new.id);
  end if;
  return null;
end
$$;
comment on function crm.emit_closed() is 'Trigger: emits deal.won or deal.lost when a deal gets that status.';

create trigger emit_closed after update of status on crm.deals
  for each row when (old.status is distinct from new.status and new.status <> 'aberto')
  execute function crm.emit_closed();

-- Every change of a public field emits `updated`, even if a more specific event reports it too (a win emits deal.won
-- and deal.updated): a receiver that keeps a copy needs one type for each kind of object
-- (docs/decisions/0016-events-feed-change-log.md).

create function crm.changed_fields(p_before jsonb, p_after jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select f.name from unnest(crm.changed_field_names()) f (name)
    where p_before -> f.name is distinct from p_after -> f.name
  );
end
$$;
comment on function crm.changed_fields(jsonb, jsonb) is
  'The public fields in which two versions of a row differ, in alphabetical order, without updated_at and computed '
  'fields. No hidden column may have the name of another record''s public field.';

create function crm.emit_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_changed_fields text[] := '{}';
begin
  if tg_op = 'UPDATE' then
    v_changed_fields := crm.changed_fields(to_jsonb(old), to_jsonb(new));
    if v_changed_fields = '{}' then return null; end if;
  end if;
  perform crm.emit(
    new.workspace_id, tg_argv[0]::crm.event_type, new.id, jsonb_build_object('changed_fields', v_changed_fields)
  );
  return null;
end
$$;
comment on function crm.emit_change() is
  'Trigger: emits the event in its argument. After an update, the event names the public fields that changed; if none '
  'did, no event is emitted. After an insert, it names none.';

-- Postgres fires triggers in order of name, so the more specific event comes before `updated`. The conditions on
-- pg_trigger_depth() skip rows that a merge moves: the merge's trigger emits their events, all at once.
create trigger emit_updated after update on crm.contacts
  for each row when (
    old.* is distinct from new.*
    and (pg_trigger_depth() = 0 or old.company_id is not distinct from new.company_id)
  )
  execute function crm.emit_change('contact.updated');
create trigger emit_updated after update on crm.companies
  for each row when (old.* is distinct from new.*) execute function crm.emit_change('company.updated');
create trigger emit_updated after update on crm.deals
  for each row when (
    old.* is distinct from new.*
    and (
      pg_trigger_depth() = 0
      or (old.contact_id, old.company_id) is not distinct from (new.contact_id, new.company_id)
    )
  )
  execute function crm.emit_change('deal.updated');
create trigger emit_updated after update on crm.activities
  for each row when (
    old.* is distinct from new.*
    and (pg_trigger_depth() = 0 or old.contact_id is not distinct from new.contact_id)
  )
  execute function crm.emit_change('activity.updated');

-- Events about a deal's additional contacts are emitted by statement triggers, because a merge moves hundreds of rows.

create function crm.emit_deal_contacts() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_fact text := case tg_argv[0] when 'deal.contact_added' then 'added_contact_id' else 'removed_contact_id' end;
  v_group record;
begin
  for v_group in
    select c.workspace_id, c.contact_id, array_agg(c.deal_id order by c.deal_id) as deal_ids
    from changed c
    join crm.deals d on d.workspace_id = c.workspace_id and d.id = c.deal_id
    -- Deleting the row of the main contact removes only its role: the contact stays in the deal.
    where tg_op = 'INSERT' or d.contact_id is distinct from c.contact_id
    group by c.workspace_id, c.contact_id
  loop
    perform crm.emit_for_each(
      v_group.workspace_id, tg_argv[0]::crm.event_type, v_group.deal_ids,
      jsonb_build_object(v_fact, v_group.contact_id)
    );
  end loop;
  return null;
end
$$;
comment on function crm.emit_deal_contacts() is
  'Trigger: emits the event in its argument for the deals of all rows of the statement.';

create function crm.emit_contact_role() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.emit(
    new.workspace_id, 'deal.contact_added', new.deal_id, jsonb_build_object('added_contact_id', new.contact_id)
  );
  return null;
end
$$;
comment on function crm.emit_contact_role() is 'Trigger: emits deal.contact_added for a contact whose role changed.';

create trigger emit_added after insert on crm.deal_contacts referencing new table as changed
  for each statement execute function crm.emit_deal_contacts('deal.contact_added');
create trigger emit_removed after delete on crm.deal_contacts referencing old table as changed
  for each statement execute function crm.emit_deal_contacts('deal.contact_removed');
create trigger emit_role after update of role on crm.deal_contacts
  for each row when (old.role is distinct from new.role)
  execute function crm.emit_contact_role();

create trigger emit_reopened after update of status on crm.deals
  for each row when (old.status is distinct from new.status and new.status = 'aberto')
  execute function crm.emit_change('deal.reopened');

create trigger emit_completed after update of status on crm.activities
  for each row when (old.status is distinct from new.status and new.status = 'concluida')
  execute function crm.emit_change('activity.completed');
-- An activity may be completed when it is created, such as a phone call that is entered afterwards.
create trigger emit_created_completed after insert on crm.activities
  for each row when (new.status = 'concluida')
  execute function crm.emit_change('activity.completed');

create function crm.emit_proposal() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if old.viewed_at is null and new.viewed_at is not null then
    perform crm.emit(new.workspace_id, 'proposal.viewed', new.id);
  end if;
  if old.status <> new.status and new.status = 'aceita' then
    perform crm.emit(new.workspace_id, 'proposal.accepted', new.id);
  elsif old.status <> new.status and new.status = 'recusada' then
    perform crm.emit(new.workspace_id, 'proposal.rejected', new.id);
  end if;
  return null;
end
$$;
comment on function crm.emit_proposal() is
  'Trigger: emits proposal.viewed at the first view, and proposal.accepted or proposal.rejected at the answer.';

create trigger emit_proposal after update on crm.proposals for each row execute function crm.emit_proposal();

-- The next two functions emit events that are caused by time. Jobs call them.

create function crm.emit_stale_deals() returns void
language plpgsql set search_path = '' as $$
declare
  v_workspace record;
  v_deal record;
begin
  -- One statement for each workspace, because each has its own threshold, which bounds the range of the index. A single
  -- statement for all would read the whole index.
  for v_workspace in select w.id, w.stale_after_days from crm.workspaces w loop
    for v_deal in
      select d.id, d.moved_at from crm.deals d
      where d.workspace_id = v_workspace.id
        and d.stale_unreported_since <= now() - make_interval(days => v_workspace.stale_after_days)
      -- A job that waits for no row cannot deadlock with calls. A deal that a call has locked is probably moving; if
      -- not, the next run reports it.
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
  'Emits deal.stale once for every open, unarchived deal that has not moved for the workspace''s stale_after_days.';

create function crm.emit_overdue_activities() returns void
language plpgsql set search_path = '' as $$
declare
  v_activity record;
begin
  for v_activity in
    select a.workspace_id, a.id, a.due_at
    -- Joined to the workspaces, because the index begins with the workspace.
    from crm.workspaces w join crm.activities a on a.workspace_id = w.id
    where a.overdue_unreported_at < now()
      -- Activities of an archived deal are reported once it is restored.
      and not exists (
        select from crm.deals d
        where d.workspace_id = a.workspace_id and d.id = a.deal_id and d.archived_at is not null
      )
    -- Skips locked rows for the same reason as crm.emit_stale_deals.
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

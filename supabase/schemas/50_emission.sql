-- crm.emit, and the triggers that emit the events of new records (spec 6.1). Triggers and jobs of the database emit all
-- events, so neither the API nor the application can skip an event. The triggers are security definer, because only
-- their owner may execute crm.emit. So no other role can emit an event without writing a record.

create function crm.emit(p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_facts jsonb default '{}')
returns void
language plpgsql set search_path = '' as $$
declare
  v_event_id uuid;
  v_subscription_ids uuid[];
begin
  -- Compute the position here. A call of crm.feed_position(), the column's default, would take a fifth of the time that
  -- an event takes.
  insert into crm.events (workspace_id, event, object_id, facts, position)
  select p_workspace_id, p_event, p_object_id, p_facts, pg_current_xact_id()::text::bigint + o.added
  from crm.feed_offset o
  returning id, array(
    select s.id from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.is_active and p_event = any (s.event_types)
      and (s.filters is null or crm.passes_filters(s.filters, p_workspace_id, p_event, p_object_id, p_facts))
  ) into v_event_id, v_subscription_ids;
  -- Usually no subscription gets the event. Then skip crm.fan_out, because inserting no rows into a partitioned table
  -- takes as long as inserting one row.
  if v_subscription_ids <> '{}' then perform crm.fan_out(p_workspace_id, array[v_event_id], v_subscription_ids); end if;
exception when others then
  -- Best effort (spec 3): an error here must not undo the write that the event is about. The write fails only if the
  -- record's searched text cannot be written either, because then no search would ever find the record.
  raise log 'crm.emit % of %: % (%)', p_event, p_object_id, sqlerrm, sqlstate;
  -- Write the searched text now. Without the event, the job index-texts does not learn of the change.
  perform crm.keep_texts(p_workspace_id, split_part(p_event::text, '.', 1), array[p_object_id]);
end
$$;
comment on function crm.emit(uuid, crm.event_type, uuid, jsonb) is
  'Stores an event in the caller''s transaction. Queues a delivery (crm.fan_out) for each active subscription to the '
  'event''s type, if the subscription''s filters let the event pass. Raises an error only if it can write neither the '
  'event nor the record''s searched text. Only the owner may execute it.';

create function crm.emit_event() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform crm.emit(new.workspace_id, tg_argv[0]::crm.event_type, new.id);
  return null;
end
$$;
comment on function crm.emit_event() is 'Trigger: emits an event of the type in its argument for the row.';

create function crm.emit_all_created() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_event crm.event_type := tg_argv[0];
  v_is_checked boolean;
  v_stored record;
begin
  -- v_is_checked is null if there is no subscription. Then the last insert below returns no ids of events, because
  -- returning them would take a third as long as storing the events.
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
    -- There is no delivery if no filter lets a record pass.
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
  'Trigger: emits an event for each new row of the statement, all at once. Otherwise does the same as crm.emit. Its '
  'argument is the type of the events.';

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
  'The events of a new deal in order, with their facts: deal.created, and for a deal from a lead also lead.received '
  'with the lead''s contact and company.';

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
    -- There is no delivery if all subscriptions are to lead.received and no deal comes from a lead, or if no filter
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
-- crm.emit is a subtransaction. Activities and notes have row triggers, because a new activity or note may emit further
-- events by row triggers, such as deal.updated. Row triggers fire before statement triggers, so a statement trigger
-- would emit `created` last.
create trigger emit_created after insert on crm.contacts referencing new table as created
  for each statement execute function crm.emit_all_created('contact.created');
create trigger emit_created after insert on crm.companies referencing new table as created
  for each statement execute function crm.emit_all_created('company.created');
create trigger emit_created after insert on crm.deals referencing new table as created
  for each statement execute function crm.emit_deals_created();
create trigger emit_created after insert on crm.activities
  for each row execute function crm.emit_event('activity.created');
create trigger emit_created after insert on crm.notes for each row execute function crm.emit_event('note.created');

-- Deliveries (one message for each event and subscription, spec 6.2) and their attempts.

create function crm.delivery_id(p_event_id uuid, p_subscription_id uuid) returns uuid
language plpgsql immutable parallel safe set search_path = '' as $$
declare
  v_id bytea := substring(uuid_send(p_event_id) for 8)
    || substring(sha256(uuid_send(p_event_id) || uuid_send(p_subscription_id)) for 8);
begin
  -- Set the variant, two bits that are the same in every UUID (RFC 9562).
  return encode(set_byte(v_id, 8, get_byte(v_id, 8) & 63 | 128), 'hex');
end
$$;
comment on function crm.delivery_id(uuid, uuid) is
  'The id of an event''s delivery to a subscription: the first half of the event''s id (its time), then a hash of both '
  'ids. So an event never gets two deliveries for a subscription, ids sort like events, and each shows its partition.';

create table crm.webhook_deliveries (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  event_id uuid not null,
  subscription_id uuid not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  series integer not null default 1,
  attempts integer not null default 0 check (attempts between 0 and 5),
  next_attempt_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  -- The condition of an index uses this column instead of `state`, because a success does not change this column. An
  -- update that changes a column of an index, even in its condition, adds entries to all indexes
  -- (docs/decisions/0023-speed-in-postgres.md).
  ended_badly boolean generated always as (state in ('failed', 'cancelled')) stored,
  primary key (workspace_id, id)
) partition by range (id);
comment on table crm.webhook_deliveries is
  'One event for one subscription. The id (crm.delivery_id) is the delivery_id that the receiver gets on every '
  'attempt. Kept for 30 days, in partitions by the day of the event. There are no foreign keys, because events are '
  'dropped with their partition, and a foreign key would lock the subscription''s row for each delivery.';
comment on column crm.webhook_deliveries.state is
  'pending: an attempt will follow, once the subscription is active and the workspace may send. delivered: an attempt '
  'succeeded. failed: five attempts failed. cancelled: the subscription was deleted first.';
comment on column crm.webhook_deliveries.series is
  'The number of the series of up to five attempts. It grows when an ended delivery is sent again.';
comment on column crm.webhook_deliveries.attempts is
  'Recorded attempts in this series. If the dispatcher dies during an attempt, the attempt is not recorded, because '
  'the receiver did not fail. The next attempt then has the same number.';
comment on column crm.webhook_deliveries.next_attempt_at is
  'When the next attempt of a pending delivery is due. The trigger enqueue_changed copies every change to the queue.';
call crm.protect('crm.webhook_deliveries');
create table crm.webhook_deliveries_default partition of crm.webhook_deliveries default;
comment on table crm.webhook_deliveries_default is
  'Rows of crm.webhook_deliveries whose day has no partition. Empty unless the job partition-deliveries did not run '
  'for a week.';
call crm.protect('crm.webhook_deliveries_default');
-- Does not begin with workspace_id. Otherwise a plan made while a partition is empty could look up a delivery in this
-- index instead of the primary key, and read all deliveries of the workspace.
create index webhook_deliveries_of_subscription on crm.webhook_deliveries (subscription_id, id);
create index webhook_deliveries_ended_badly on crm.webhook_deliveries (subscription_id, id) where ended_badly;

create table crm.webhook_attempts (
  workspace_id uuid not null,
  delivery_id uuid not null,
  series integer not null,
  number integer not null check (number between 1 and 5),
  status integer,
  reason text,
  duration_ms integer not null,
  finished_at timestamptz not null default clock_timestamp(),
  answer text check (char_length(answer) between 1 and 1024),
  body_digest bytea,
  primary key (workspace_id, delivery_id, series, number)
) partition by range (delivery_id);
comment on table crm.webhook_attempts is
  'The outcome of each attempt. Kept for 30 days like its delivery, in partitions by the day of the event.';
comment on column crm.webhook_attempts.status is 'The HTTP status; null if the headers did not arrive completely.';
comment on column crm.webhook_attempts.reason is
  'Why the attempt failed, such as timeout_connect or http_503; null if it succeeded.';
comment on column crm.webhook_attempts.answer is
  'The beginning of the body of the response, as text (answer_text.ts). Null if the body was empty or not text. A '
  'receiver may repeat what it was sent, so an erasure clears the answers that mention the person (crm.erase_answers).';
comment on column crm.webhook_attempts.body_digest is
  'SHA-256 of the body sent. `data` is the object as it was at the attempt, so a body made later may differ.';
call crm.protect('crm.webhook_attempts');
create table crm.webhook_attempts_default partition of crm.webhook_attempts default;
comment on table crm.webhook_attempts_default is
  'Rows of crm.webhook_attempts whose day has no partition. Empty unless the job partition-attempts did not run for a '
  'week.';
call crm.protect('crm.webhook_attempts_default');

create function crm.lead_data(d crm.deals, c crm.contacts, o crm.companies) returns json
language plpgsql stable set search_path = '' as $$
begin
  return json_build_object(
    'lead', crm.lead_json(d, c.id, o.id), 'contact', case when c.id is not null then crm.contact_json(c) end,
    'company', case when o.id is not null then crm.company_json(o) end, 'source', d.source, 'utm', d.utm,
    'external_id', d.external_id, 'submitted', d.lead
  );
end
$$;
comment on function crm.lead_data(crm.deals, crm.contacts, crm.companies) is
  'The `data` of lead.received: the lead, its contact and company (if any) as they are now, and the body of the call.';

create function crm.event_data(e crm.events, p_object_type text) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_object json;
begin
  if e.event = 'lead.received' then
    return (
      select crm.lead_data(d, c, o)
      from crm.deals d
      -- The contact and company of the lead, or those that replaced them in a merge.
      left join crm.contacts a on a.workspace_id = d.workspace_id and a.id = (e.facts ->> 'contact_id')::uuid
      left join crm.companies b on b.workspace_id = d.workspace_id and b.id = (e.facts ->> 'company_id')::uuid
      left join crm.contacts c on c.workspace_id = d.workspace_id and c.id = coalesce(a.merged_into_id, a.id)
      left join crm.companies o on o.workspace_id = d.workspace_id and o.id = coalesce(b.merged_into_id, b.id)
      where d.workspace_id = e.workspace_id and d.id = e.object_id
    );
  elsif e.event = 'contact.erased' then
    return json_build_object('id', e.object_id);
  end if;

  case p_object_type
    when 'deal' then
      select crm.deal_json(d) into v_object from crm.deals d
      where d.workspace_id = e.workspace_id and d.id = e.object_id;
    when 'contact' then
      select crm.contact_json(c) into v_object from crm.contacts c
      where c.workspace_id = e.workspace_id and c.id = e.object_id;
    when 'company' then
      select crm.company_json(c) into v_object from crm.companies c
      where c.workspace_id = e.workspace_id and c.id = e.object_id;
    when 'activity' then
      select crm.activity_json(a) into v_object from crm.activities a
      where a.workspace_id = e.workspace_id and a.id = e.object_id;
    when 'note' then
      select crm.note_json(n) into v_object from crm.notes n
      where n.workspace_id = e.workspace_id and n.id = e.object_id;
    when 'proposal' then
      select crm.proposal_json(p) into v_object from crm.proposals p
      where p.workspace_id = e.workspace_id and p.id = e.object_id;
  end case;
  if e.facts = '{}' then return v_object; end if;
  if e.event = 'deal.contact_added' then
    -- The event does not store the role, because the role may name a person, and would outlive that person's erasure.
    v_object := crm.with_fields(v_object, json_build_object('role', (
      select k.role from crm.deal_contacts k
      where k.workspace_id = e.workspace_id and k.deal_id = e.object_id
        and k.contact_id = (e.facts ->> 'added_contact_id')::uuid
    )));
  end if;
  return crm.with_fields(v_object, e.facts::json);
end
$$;
comment on function crm.event_data(crm.events, text) is
  'The `data` of a delivery (spec 6.2): the object as it is now, with the event''s facts. p_object_type: the '
  'object_type of the event in crm.event_types.';

create function crm.object_name(p_workspace_id uuid, p_object_type text, p_object_id uuid) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case p_object_type
    when 'deal' then (
      select d.title from crm.deals d where d.workspace_id = p_workspace_id and d.id = p_object_id
    )
    when 'contact' then (
      select c.name from crm.contacts c
      where c.workspace_id = p_workspace_id and c.id = p_object_id and c.erased_at is null
    )
    when 'company' then (
      select c.name from crm.companies c where c.workspace_id = p_workspace_id and c.id = p_object_id
    )
    when 'activity' then (
      select a.title from crm.activities a where a.workspace_id = p_workspace_id and a.id = p_object_id
    )
    when 'note' then (
      select d.title from crm.notes n join crm.deals d on d.workspace_id = n.workspace_id and d.id = n.deal_id
      where n.workspace_id = p_workspace_id and n.id = p_object_id
    )
    when 'proposal' then (
      select p.title from crm.proposals p where p.workspace_id = p_workspace_id and p.id = p_object_id
    )
  end;
end
$$;
comment on function crm.object_name(uuid, text, uuid) is
  'The present name or title of an event''s object; for a note, the title of its deal. Null for an erased contact and '
  'for the object of a test event. The event does not store the name, because the name would outlive an erasure.';

create function crm.passes_filters(
  p_filters jsonb, p_workspace_id uuid, p_event crm.event_type, p_object_id uuid, p_facts jsonb
) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  v_deal_id uuid;
  v_owner_id uuid;
  v_deal crm.deals;
begin
  if p_filters ? 'changed_fields' and p_event::text like '%.updated'
    and not p_facts -> 'changed_fields' ?| array(select jsonb_array_elements_text(p_filters -> 'changed_fields')) then
    return false;
  end if;
  if not p_filters ?| '{pipeline_id,stage_id,owner_id}' then return true; end if;

  case (select t.object_type from crm.event_types t where t.event = p_event)
    when 'deal' then v_deal_id := p_object_id;
    when 'activity' then
      select a.deal_id, a.owner_id into v_deal_id, v_owner_id from crm.activities a
      where a.workspace_id = p_workspace_id and a.id = p_object_id;
    when 'note' then
      select n.deal_id into v_deal_id from crm.notes n where n.workspace_id = p_workspace_id and n.id = p_object_id;
    when 'proposal' then
      select p.deal_id into v_deal_id from crm.proposals p where p.workspace_id = p_workspace_id and p.id = p_object_id;
    when 'contact' then
      select c.owner_id into v_owner_id from crm.contacts c where c.workspace_id = p_workspace_id and c.id = p_object_id;
    when 'company' then
      select c.owner_id into v_owner_id from crm.companies c where c.workspace_id = p_workspace_id and c.id = p_object_id;
    else null;
  end case;
  if v_deal_id is not null then
    select * into v_deal from crm.deals d where d.workspace_id = p_workspace_id and d.id = v_deal_id;
  end if;
  -- If the object lacks a filtered field, the value here is null, and no filter accepts null.
  return coalesce(
    (not p_filters ? 'pipeline_id' or p_filters -> 'pipeline_id' ? v_deal.pipeline_id::text)
      and (not p_filters ? 'stage_id' or p_filters -> 'stage_id' ? v_deal.stage_id::text)
      and (not p_filters ? 'owner_id' or p_filters -> 'owner_id' ? coalesce(v_owner_id, v_deal.owner_id)::text),
    false
  );
end
$$;
comment on function crm.passes_filters(jsonb, uuid, crm.event_type, uuid, jsonb) is
  'Whether every filter of a subscription lets an event pass, compared with the object as it is now. pipeline_id and '
  'stage_id are compared with the deal: the object itself, or the deal of an activity, note or proposal. owner_id is '
  'compared with the object''s owner, or with the deal''s owner if the object has none. An object that lacks a '
  'filtered field does not pass. changed_fields restricts only `updated` events.';

create function crm.delivery_body(p_delivery_id uuid, e crm.events, p_payload text default 'full') returns text
language plpgsql stable set search_path = '' as $$
declare
  v_object_type text := (select t.object_type from crm.event_types t where t.event = e.event);
  v_body json;
begin
  v_body := json_build_object(
    'event', e.event, 'event_id', e.id, 'workspace_id', e.workspace_id, 'object_type', v_object_type,
    'object_id', e.object_id,
    'data', case
      when p_payload = 'ids' then json_build_object('id', e.object_id)
      when e.is_test then crm.sample_data(e.event)
      else crm.event_data(e, v_object_type)
    end,
    'occurred_at', crm.iso(e.occurred_at), 'actor_id', e.caller_id, 'delivery_id', p_delivery_id
  );
  return case when e.is_test then crm.with_fields(v_body, '{"test": true}') else v_body end;
exception when others then
  -- If one body cannot be built, the claim of a whole batch must not fail.
  raise log 'crm.delivery_body of event %: % (%)', e.id, sqlerrm, sqlstate;
  return null;
end
$$;
comment on function crm.delivery_body(uuid, crm.events, text) is
  'The JSON text to send (spec 6.2), with the object as it is now, or a sample and "test": true. With the payload ids, '
  '`data` has only the id of the object. Null if the text cannot be built.';

-- Erasures in steps: first the contact, then the texts that repeat its data. The call finishes a small erasure; the job
-- continues a larger one (62_operations.sql).

create type crm.erasure as (
  words text[], numbers text[], names text[], known boolean, texts boolean, erased uuid[], walked uuid[],
  phase integer, nth integer, deal_id uuid, id uuid, key text, naming bigint
);
comment on type crm.erasure is
  'The state of an erasure: what identifies the person (words, numbers, names), the contacts erased, the contacts '
  'whose deals the steps read (walked), and the place that the steps have reached. known: false if an earlier call '
  'erased the contact, so that words, numbers and names are empty.';

create function crm.erasure_phases(e crm.erasure) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  -- Activities come before deals, because a PATCH of an activity locks the activity before its deal. `notes` waits for
  -- calls that are writing activities, so `deal_activities` runs again after it, to find those activities. Deals come
  -- after activities, notes and proposals, because the leads in the deals contain traces that these phases need.
  return case when e.known then '{merged}'::text[] else '{}' end || case when e.known or e.texts
    then '{activities,deal_activities,notes,deal_activities,proposals,deals,deal_contacts}'::text[] else '{}'
  end || case
    when e.known then '{given_proposals,given,replies,answers,contact,company,deal,activity,note,proposal}'::text[]
    -- Since the call without texts, a batch may have read a note or a deal, and a receiver may have got one.
    when e.texts then '{replies,answers}' else '{}'
  end;
end
$$;
comment on function crm.erasure_phases(crm.erasure) is 'The phases of an erasure, in order.';

create function crm.begin_erasure(p_workspace_id uuid, p_id uuid, p_texts boolean) returns crm.operations
language plpgsql set search_path = '' as $$
declare
  v_contacts crm.contacts[] := array(
    select c from crm.contacts c where c.workspace_id = p_workspace_id and c.id = p_id
    union all
    select c from crm.contacts c where c.workspace_id = p_workspace_id and c.merged_into_id = p_id
  );
  v_traces crm.traces;
  e crm.erasure;
  o crm.operations;
begin
  e.known := (select c.erased_at is null from unnest(v_contacts) c where c.id = p_id);
  e.texts := p_texts;
  e.erased := array(select c.id from unnest(v_contacts) c);
  -- A merge may still be moving deals to this contact, so the contact's own deals are read last.
  e.walked := array(
    select u.object_id from crm.operations u
    where u.workspace_id = p_workspace_id and u.kind = 'contact_merge' and u.state <> 'done'
      and u.object_id = any (e.erased)
  ) || p_id;
  if e.known then
    v_traces := crm.traces_of(
      array(
        select unnest(array[
          c.name, c.email, c.instagram, c.linkedin,
          -- An id as short as "1" identifies nobody.
          case when char_length(c.external_id) >= 4 then c.external_id end
        ])
        from unnest(v_contacts) c
      ),
      array(select unnest(array[c.phone, c.phone2, c.whatsapp]) from unnest(v_contacts) c)
    );
    e.names := array(select distinct c.name from unnest(v_contacts) c);
    perform crm.contact_erase(p_workspace_id, array[p_id]);
    perform crm.keep_texts(p_workspace_id, 'contact', array[p_id]);
  end if;
  e.words := coalesce(v_traces.words, '{}');
  e.numbers := coalesce(v_traces.numbers, '{}');
  e.names := coalesce(e.names, '{}');
  e.phase := 1;
  o.workspace_id := p_workspace_id;
  o.kind := 'contact_erasure';
  o.object_id := p_id;
  o.arguments := jsonb_build_object('id', p_id, 'texts', p_texts);
  o.result := jsonb_build_object('cleared', jsonb_build_object(
    'contacts', e.known::integer, 'deals', 0, 'notes', 0, 'activities', 0, 'proposals', 0, 'lead_receipts', 0,
    'deal_contacts', 0, 'stored_replies', 0, 'webhook_answers', 0
  ));
  o.progress := to_jsonb(e);
  -- This work takes half a second if most texts are short.
  return crm.begin_operation(o, 5000);
end
$$;
comment on function crm.begin_erasure(uuid, uuid, boolean) is
  'Erases a contact that the transaction has locked, and as many copies of its data as fit into a call.';

create function crm.erasure_window(
  p_workspace_id uuid, p_table text, p_contact_id uuid, e crm.erasure, out ids uuid[], out deal_id uuid, out id uuid
)
language plpgsql set search_path = '' as $$
declare
  c_last constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_deal_ids uuid[] := array(
    select d.id from crm.deals d
    where d.workspace_id = p_workspace_id and d.contact_id = p_contact_id and d.id >= e.deal_id
    order by d.id limit 100
  );
begin
  if p_table = 'notes' then
    -- Waits for transactions that are writing a note or an activity of these deals.
    perform from crm.deals d where d.workspace_id = p_workspace_id and d.id = any (v_deal_ids) order by d.id for update;
  end if;
  execute format(
    'select array_agg(n.id), (array_agg(n.deal_id order by n.deal_id desc, n.id desc))[1],
       (array_agg(n.id order by n.deal_id desc, n.id desc))[1]
     from (
       select c.deal_id, c.id from unnest($2) d (id)
       cross join lateral (
         select t.deal_id, t.id from crm.%I t
         where t.workspace_id = $1 and t.deal_id = d.id and (d.id > $3 or t.id > $4)
         order by t.id limit 200
       ) c
       order by c.deal_id, c.id limit 200
     ) n',
    p_table
  ) into ids, deal_id, id using p_workspace_id, v_deal_ids, e.deal_id, e.id;
  ids := coalesce(ids, '{}');
  -- All rows of these deals have been read: the next window begins after the last deal.
  if cardinality(ids) < 200 then
    deal_id := v_deal_ids[100];
    id := c_last;
  end if;
end
$$;
comment on function crm.erasure_window(uuid, text, uuid, crm.erasure) is
  'The next 200 rows of a table that refers to deals, in the next 100 deals of a contact. deal_id and id: the place '
  'after which the next window begins. deal_id is null after the last row.';

create function crm.erase_step(o crm.operations) returns crm.operations
language plpgsql set search_path = '' as $$
declare
  c_first constant uuid := '00000000-0000-0000-0000-000000000000';
  e crm.erasure := jsonb_populate_record(null::crm.erasure, o.progress);
  v_phases text[] := crm.erasure_phases(e);
  v_phase text := v_phases[e.phase];
  v_traces crm.traces := (e.words, e.numbers);
  v_by_contact boolean := v_phase in (
    'activities', 'deal_activities', 'notes', 'proposals', 'deals', 'deal_contacts'
  );
  v_contact_id uuid;
  v_kind text := case when v_phase = 'deal_activities' then 'activities' else v_phase end;
  v_ids uuid[] := '{}';
  v_work bigint := 0;
  v_changed bigint := 0;
  v_receipts bigint := 0;
  v_is_over boolean;
begin
  e.nth := coalesce(e.nth, 1);
  e.id := coalesce(e.id, c_first);
  e.deal_id := coalesce(e.deal_id, c_first);
  v_contact_id := case when v_by_contact then e.walked[e.nth] end;
  case
    when v_phase is null then
      v_is_over := true;
    when v_phase in ('activities', 'deals', 'given') then
      -- At most 100, because each changed row emits an event.
      v_ids := case v_phase
        when 'activities' then array(
          select a.id from crm.activities a
          where a.workspace_id = o.workspace_id and a.contact_id = v_contact_id and a.id > e.id order by a.id limit 100
        )
        when 'deals' then array(
          select d.id from crm.deals d
          where d.workspace_id = o.workspace_id and d.contact_id = v_contact_id and d.id > e.id order by d.id limit 100
        )
        -- Deals that a lead of the person created and that have another contact now.
        else array(
          select d.id from crm.deals d
          where d.workspace_id = o.workspace_id and d.lead_contact_id = any (e.erased) and (d.contact_id = any (e.walked)) is not true
            and d.id > e.id
          order by d.id limit 100
        )
      end;
      if v_phase = 'activities' then
        v_changed := crm.erase_activities(o.workspace_id, v_ids, v_traces, e.texts);
      else
        v_kind := 'deals';
        select r.deals, r.lead_receipts into v_changed, v_receipts
        from crm.erase_deals(
          o.workspace_id, o.object_id, v_ids, v_traces, e.texts and v_phase = 'deals',
          case when v_phase = 'deals' then e.names end
        ) r;
      end if;
      v_is_over := cardinality(v_ids) < 100;
      e.id := v_ids[100];
    when v_phase in ('deal_activities', 'notes', 'proposals') then
      select w.ids, w.deal_id, w.id into v_ids, e.deal_id, e.id
      from crm.erasure_window(o.workspace_id, v_kind, v_contact_id, e) w;
      case v_phase
        when 'deal_activities' then v_changed := crm.erase_activities(o.workspace_id, v_ids, v_traces, e.texts);
        when 'notes' then
          update crm.notes n set body = 'Texto apagado'
          where e.texts and n.workspace_id = o.workspace_id and n.id = any (v_ids) and n.body <> 'Texto apagado';
          get diagnostics v_changed = row_count;
        else v_changed := crm.erase_proposals(o.workspace_id, v_ids, v_traces, e.texts);
      end case;
      v_is_over := e.deal_id is null;
    when v_phase = 'deal_contacts' then
      v_ids := crm.erase_deal_contacts(o.workspace_id, v_contact_id);
      v_changed := cardinality(v_ids);
      v_is_over := v_changed < 100;
    when v_phase = 'given_proposals' then
      -- This phase precedes `given`, because crm.erase_proposals needs the traces in the leads, and `given` clears the
      -- leads. No window of deals (crm.erasure_window), because there are few proposals.
      v_kind := 'proposals';
      v_ids := array(
        select p.id
        from crm.deals d join crm.proposals p on p.workspace_id = d.workspace_id and p.deal_id = d.id
        where d.workspace_id = o.workspace_id and d.lead_contact_id = any (e.erased) and (d.contact_id = any (e.walked)) is not true
          and p.id > e.id
        order by p.id limit 100
      );
      v_changed := crm.erase_proposals(o.workspace_id, v_ids, v_traces, false);
      v_is_over := cardinality(v_ids) < 100;
      e.id := v_ids[100];
    when v_phase = 'merged' then
      v_kind := 'contacts';
      v_ids := array(
        select c.id from crm.contacts c
        where c.workspace_id = o.workspace_id and c.merged_into_id = o.object_id and c.erased_at is null
        order by c.id limit 100
      );
      perform crm.contact_erase(o.workspace_id, v_ids);
      perform crm.keep_texts(o.workspace_id, 'contact', v_ids);
      v_changed := cardinality(v_ids);
      v_is_over := v_changed < 100;
    when v_phase = 'replies' then
      v_kind := 'stored_replies';
      select r.last_key, r.bytes / 1000, r.changed into e.key, v_work, v_changed
      from crm.erase_replies(o.workspace_id, coalesce(e.key, ''), e.erased || e.walked, v_traces) r;
      v_work := coalesce(v_work, 0) + case when e.key is not null then 200 else 0 end;
      v_is_over := e.key is null;
    when v_phase = 'answers' then
      v_kind := 'webhook_answers';
      if e.id = c_first and not crm.drop_answers(o.workspace_id) then
        -- Ends the call with the earlier steps done; the job then repeats this step until it has the lock.
        o.work := o.work + 5000;
        return o;
      end if;
      select r.last_id, r.work, r.changed into e.id, v_work, v_changed
      from crm.erase_answers(o.workspace_id, e.id, e.erased, v_traces) r;
      v_is_over := e.id is null;
    else
      select f.last_id, f.work, f.counted into e.id, v_work, v_changed
      from crm.find_naming(o.workspace_id, o.object_id, v_phase, e.id, v_traces) f;
      e.naming := coalesce(e.naming, 0) + v_changed;
      v_is_over := e.id is null;
      v_changed := 0;
      v_kind := 'contacts';
  end case;
  if v_phase is not null then
    o.result := jsonb_set(o.result, '{cleared}', crm.sum_counts(
      o.result -> 'cleared', jsonb_build_object(v_kind, v_changed, 'lead_receipts', v_receipts)
    ));
  end if;
  -- Count the traces too, because each text is searched for all traces. Count a changed row twice more, because it also
  -- emits an event.
  o.work := o.work + 1
    + (v_work + cardinality(v_ids)) * (1 + (cardinality(e.words) + cardinality(e.numbers)) / 20) + 2 * v_changed;
  if v_is_over then
    e.id := null;
    e.deal_id := null;
    e.nth := e.nth + 1;
    if not v_by_contact or e.nth > cardinality(e.walked) then
      e.nth := 1;
      e.phase := e.phase + 1;
    end if;
  end if;
  if e.phase <= cardinality(v_phases) then
    o.progress := to_jsonb(e);
  else
    o.progress := null;
    if not e.known then e.naming := crm.recount_naming(o.workspace_id, o.object_id); end if;
    o.result := jsonb_set(
      o.result, '{texts_naming}', crm.naming_json(o.workspace_id, o.object_id, coalesce(e.naming, 0), not e.known)
    );
  end if;
  return o;
end
$$;
comment on function crm.erase_step(crm.operations) is
  'Runs the next step of an erasure: at most 200 records of one kind, or the answers to 1,000 attempts. The last steps '
  'count the records that still name the person.';

create function crm.erase_contact(p_id uuid, p_texts boolean) returns json
language plpgsql security definer set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  o crm.operations;
  v_reply json;
begin
  select * into o from crm.operations u
  where u.workspace_id = v_workspace_id and u.kind = 'contact_erasure' and u.object_id = p_id and u.state <> 'done'
  for update;
  if not found then
    o := crm.begin_erasure(v_workspace_id, p_id, p_texts);
  elsif o.state = 'failed' or p_texts and not (o.arguments ->> 'texts')::boolean then
    -- Restart from the first phase, because earlier phases may have skipped texts. An operation that is not done can
    -- restart, because it still knows who the person is.
    update crm.operations u
    set
      arguments = u.arguments || jsonb_build_object('texts', p_texts or (u.arguments ->> 'texts')::boolean),
      progress = u.progress || jsonb_build_object(
        'texts', p_texts or (u.arguments ->> 'texts')::boolean,
        'phase', 1, 'nth', 1, 'deal_id', null, 'id', null, 'key', null, 'naming', 0
      ),
      state = 'queued', failures = 0, error_code = null, ended_at = null, updated_at = clock_timestamp()
    where u.workspace_id = v_workspace_id and u.id = o.id
    returning * into o;
  end if;
  v_reply := json_build_object(
    'id', p_id,
    'erased_at', (
      select crm.iso(c.erased_at) from crm.contacts c where c.workspace_id = v_workspace_id and c.id = p_id
    ),
    'cleared', o.result -> 'cleared',
    'texts_naming', case when o.state = 'done' then o.result -> 'texts_naming' end
  );
  return case
    when o.state = 'done' then v_reply
    else crm.with_fields(v_reply, json_build_object('operation', crm.operation_json(o)))
  end;
end
$$;
comment on function crm.erase_contact(uuid, boolean) is
  'Erases a contact of the current workspace and the contacts merged into it. The transaction must have locked the '
  'contact. Also erases the copies of their data in their deals, including deals that their leads created and that '
  'have another contact now. What does not fit into a call becomes an operation. A call during the operation returns '
  'the operation; with p_texts, the operation then also erases texts. Security definer, because verbs may not change '
  'notes, receipts or stored replies.';

-- The data of contact.erased is the id alone.
create trigger emit_erased after update of erased_at on crm.contacts
  for each row when (old.erased_at is null and new.erased_at is not null)
  execute function crm.emit_event('contact.erased');

create function api.contact_erase(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid := p_args ->> 'id';
  v_contact crm.contacts;
begin
  -- Make leads wait, because a lead that has just found the contact could fill in the erased fields.
  perform crm.lock_matches_of_contacts(array[v_id]);
  select c.* into v_contact from crm.contacts c
  where c.workspace_id = v_workspace_id and c.id = v_id
  for update;
  if not found then
    perform api.fail('not_found');
  elsif v_contact.merged_into_id is not null then
    perform api.fail('record_merged', array['id'], null, array[v_contact.merged_into_id]);
  end if;
  return crm.erase_contact(v_id, coalesce((p_args ->> 'texts')::boolean, false));
end
$$;
comment on function api.contact_erase(jsonb) is
  'Erases a contact for good. Returns when it was erased, what was cleared, and how many texts still name the person. '
  'For an erased contact, `texts` clears the texts that an earlier call left. Raises not_found, record_merged.';

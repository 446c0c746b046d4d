-- Erasing a person (LGPD, art. 18 VI): the contact's personal fields, and what repeats them elsewhere, are replaced for
-- good. What is erased and what is not, in docs/decisions/0032-merge-and-erase.md.

create function crm.batch_without_mentions(p_reply json, p_traces crm.traces) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  return json_build_object(
    'results', (
      select json_agg(
        case
          -- What the function found wrong with an item is named as it was sent, down to the keys of custom_fields.
          when r.result #> '{error,message}' is null then r.result
          else jsonb_set(r.result, '{error,details}', (
            select coalesce(jsonb_agg(
              case
                when crm.mentions(d.detail ->> 'field', p_traces)
                  then d.detail || jsonb_build_object('field', format('items[%s]', r.result ->> 'index'))
                else d.detail
              end
              order by d.n
            ), '[]')
            from jsonb_array_elements(r.result #> '{error,details}') with ordinality d (detail, n)
          ))
        end
        order by r.n
      )
      from jsonb_array_elements((p_reply -> 'results')::jsonb) with ordinality r (result, n)
    ),
    'summary', p_reply -> 'summary'
  );
end
$$;
comment on function crm.batch_without_mentions(json, crm.traces) is
  'The reply of a batch, in which an error of a field whose name mentions the person names only the item. The messages of '
  'errors quote nothing that was sent.';

create function crm.idempotency_keys_mentioning(p_workspace_id uuid, p_traces crm.traces) returns text[]
language plpgsql stable
set search_path = ''
-- By the index, also while no statistics say that a workspace has many.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_keys text[];
  v_last text := '';
  v_found text[] := '{}';
begin
  -- A thousand at once: to look into each alone takes three times as long.
  loop
    v_keys := array(
      select i.key from crm.idempotency_keys i where i.workspace_id = p_workspace_id and i.key > v_last
      order by i.key limit 1000
    );
    exit when v_keys = '{}';
    v_last := v_keys[cardinality(v_keys)];
    if crm.mentions(
      -- Each is decoded alone, because one that is no UTF-8 would keep the others from it; no % remains to be decoded.
      (
        select string_agg(
          case when position('%' in k.key) = 0 then k.key else translate(crm.url_decoded(k.key), '%', ' ') end, ' '
        )
        from unnest(v_keys) k (key)
      ),
      p_traces
    ) then
      v_found := v_found || array(select k.key from unnest(v_keys) k (key) where crm.mentions(k.key, p_traces));
    end if;
  end loop;
  return v_found;
end
$$;
comment on function crm.idempotency_keys_mentioning(uuid, crm.traces) is
  'The Idempotency-Keys of the last 24 hours that mention a person.';

create function crm.erase_replies(p_workspace_id uuid, p_object_ids uuid[], p_traces crm.traces) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- An object, because looking a key up in it costs the same in every plan; in an array it is hashed in some plans only.
  v_objects jsonb := (select coalesce(jsonb_object_agg(o.id, null), '{}') from unnest(p_object_ids) o (id));
  -- A short name is a word of many a key, and the key of another record must not be forgotten.
  v_long crm.traces := (
    array(select w.words from unnest(p_traces.words) w (words) where length(w.words) >= 6 limit 50),
    (p_traces.numbers)[1:50]
  );
  v_mentioning text[] := crm.idempotency_keys_mentioning(p_workspace_id, v_long);
begin
  delete from crm.idempotency_keys i
  where i.workspace_id = p_workspace_id and (
    i.key = any (v_mentioning)
    -- The first id of a reply is that of its record, of a lead that of its deal.
    or (
      v_objects ? case
        when starts_with(i.body, '{"id":"') then substr(i.body, 8, 36)
        else substring(i.body from '[0-9a-f]{8}-[0-9a-f-]{27}')
      end
      and crm.mentions(i.key, p_traces)
    )
  );
  -- Who repeats the request gets the record as it is now. A record's JSON begins with {"id":"<uuid>". No join, because
  -- statistics that know nothing of this workspace yet would make it one of each reply with each.
  update crm.idempotency_keys i
  set body = (
    select coalesce(
      (select crm.contact_json(c) from crm.contacts c where c.workspace_id = p_workspace_id and c.id = r.id),
      (select crm.deal_json(d) from crm.deals d where d.workspace_id = p_workspace_id and d.id = r.id),
      (select crm.activity_json(a) from crm.activities a where a.workspace_id = p_workspace_id and a.id = r.id),
      (select crm.note_json(n) from crm.notes n where n.workspace_id = p_workspace_id and n.id = r.id)
    )::text
    from (select substr(i.body, 8, 36)::uuid as id) r
  )
  where i.workspace_id = p_workspace_id and v_objects ? substr(i.body, 8, 36);
  update crm.idempotency_keys i
  set body = crm.batch_without_mentions(i.body::json, v_long)::text
  where i.workspace_id = p_workspace_id and starts_with(i.body, '{"results"')
    -- Most have no error, and are long to parse.
    and position('"details"' in i.body) > 0
    and exists (
      select from jsonb_path_query(i.body::jsonb, '$.results[*].error.details[*].field') f (field)
      where crm.mentions(f.field #>> '{}', v_long)
    );
end
$$;
comment on function crm.erase_replies(uuid, uuid[], crm.traces) is
  'Makes stored replies that show one of these records show it as it is now, and forgets those whose key mentions the '
  'person: by a trace of four characters or more, or by any if they show one of these records. Those of batches keep their '
  'errors, without what mentions the person (crm.batch_without_mentions). It reads the replies of the last 24 hours: an '
  'index for it would cost every creating call.';

create function crm.erase_activities(p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean)
returns void
language plpgsql
set search_path = ''
as $$
begin
  update crm.activities a
  set
    title = case when p_texts or crm.mentions(a.title, o.traces) then crm.activity_label(a.type) else a.title end,
    description = case when not p_texts then a.description end,
    location = case when not (p_texts or crm.mentions(a.location, o.traces)) then a.location end,
    meeting_url = case when not (p_texts or crm.mentions(a.meeting_url, o.traces)) then a.meeting_url end
  from (
    select i.id, crm.with_lead(p_traces, d.lead) as traces
    from crm.activities i
    left join crm.deals d on d.workspace_id = p_workspace_id and d.id = i.deal_id
    where i.workspace_id = p_workspace_id and i.id = any (p_ids)
  ) o
  where a.workspace_id = p_workspace_id and a.id = o.id
    and (p_texts or crm.mentions(concat_ws(' ', a.title, a.location, a.meeting_url), o.traces));
end
$$;
comment on function crm.erase_activities(uuid, uuid[], crm.traces, boolean) is
  'Replaces what mentions the person in the short fields of activities. p_texts: every text of them.';

create type crm.deal_traces as (deal_id uuid, traces crm.traces, origin_traces crm.traces);
comment on type crm.deal_traces is
  'What a person is recognized by in what is of one deal, and in where the deal came from: source and utm.';

create function crm.deal_traces_of(d crm.deals, p_traces crm.traces, p_names text[]) returns crm.deal_traces
language plpgsql immutable
set search_path = ''
as $$
declare
  v_traces crm.traces := crm.with_lead(p_traces, d.lead);
begin
  return (
    d.id,
    v_traces,
    case
      when p_names is null then v_traces
      else (
        v_traces.words || crm.single_names(p_names || crm.lead_name(d.lead)), v_traces.numbers
      )::crm.traces
    end
  );
end
$$;
comment on function crm.deal_traces_of(crm.deals, crm.traces, text[]) is
  'What a person is recognized by in a deal. p_names, the names of the person: one word of them is enough in source and '
  'utm, because "indicação de Genoveva" in her own deal names her. Null: as everywhere else.';

create function crm.erase_deals(
  p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, p_names text[]
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_deals crm.deal_traces[] := array(
    select crm.deal_traces_of(d, p_traces, case when p_texts then p_names end) from crm.deals d
    where d.workspace_id = p_workspace_id and d.id = any (p_ids)
  );
begin
  update crm.proposals p
  set
    title = case when p_texts or crm.mentions(p.title, t.traces) then 'Proposta' else p.title end,
    rejection_reason = case when not p_texts then p.rejection_reason end
  from unnest(v_deals) t
  where p.workspace_id = p_workspace_id and p.deal_id = t.deal_id
    and (p_texts or crm.mentions(p.title, t.traces));
  -- The same lead sent again is a new one: its external_id is not known any more.
  update crm.lead_receipts r set external_id = 'apagado ' || d.id
  from unnest(v_deals) t
  join crm.deals d on d.workspace_id = p_workspace_id and d.id = t.deal_id
  where r.workspace_id = p_workspace_id and r.external_id = d.external_id
    and crm.mentions(d.external_id, t.traces);
  update crm.deals d
  set (title, source, external_id, loss_note, utm, custom_fields, lead) = (
    e.title, e.source, e.external_id, e.loss_note, e.utm, e.custom_fields, null
  )
  from (
    select
      o.id,
      case when p_texts or crm.mentions(o.title, t.traces) then 'Contato apagado' else o.title end as title,
      case when not crm.mentions(o.source, t.origin_traces) then o.source end as source,
      case when not crm.mentions(o.external_id, t.traces) then o.external_id end as external_id,
      case when not p_texts then o.loss_note end as loss_note,
      crm.without_mentions(o.utm, t.origin_traces) as utm,
      case when not p_texts then crm.without_mentions(o.custom_fields, t.traces) end as custom_fields
    from unnest(v_deals) t
    join crm.deals o on o.workspace_id = p_workspace_id and o.id = t.deal_id
  ) e
  where d.workspace_id = p_workspace_id and d.id = e.id
    -- A deal that says nothing of the person must not change updated_at.
    and (d.title, d.source, d.external_id, d.loss_note, d.utm, d.custom_fields, d.lead)
      is distinct from (e.title, e.source, e.external_id, e.loss_note, e.utm, e.custom_fields, null::jsonb);

  if p_texts then
    update crm.notes n set body = 'Texto apagado'
    where n.workspace_id = p_workspace_id and n.deal_id = any (p_ids);
  end if;
end
$$;
comment on function crm.erase_deals(uuid, uuid[], crm.traces, boolean, text[]) is
  'Clears what the person sent as a lead, and replaces what mentions the person in the short fields of deals, of their '
  'receipts and of their proposals. p_texts: also what was written freely about the deals, notes and custom fields '
  'included, and a source or utm value that has any of the names.';

create function crm.erase_contact(p_id uuid, p_texts boolean) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_contacts crm.contacts[] := array(
    select c from crm.contacts c where c.workspace_id = v_workspace_id and c.id = p_id
    union all
    select c from crm.contacts c where c.workspace_id = v_workspace_id and c.merged_into_id = p_id
  );
  v_ids uuid[] := array(select c.id from unnest(v_contacts) c);
  v_deal_ids uuid[] := array(
    select d.id from crm.deals d where d.workspace_id = v_workspace_id and d.contact_id = p_id
  );
  v_given_ids uuid[] := array(
    select d.id from crm.deals d
    where d.workspace_id = v_workspace_id and d.lead_contact_id = any (v_ids) and d.contact_id is distinct from p_id
  );
  v_activity_ids uuid[] := array(
    select a.id from crm.activities a where a.workspace_id = v_workspace_id and a.contact_id = p_id
    union
    select a.id from crm.activities a where a.workspace_id = v_workspace_id and a.deal_id = any (v_deal_ids)
  );
  v_note_ids uuid[] := array(
    select n.id from crm.notes n where n.workspace_id = v_workspace_id and n.deal_id = any (v_deal_ids)
  );
  v_names text[] := array(select c.name from unnest(v_contacts) c);
  v_traces crm.traces := crm.traces_of(
    array(
      select unnest(array[
        c.name, c.email, c.instagram, c.linkedin,
        -- "1" names nobody.
        case when char_length(c.external_id) >= 4 then c.external_id end
      ])
      from unnest(v_contacts) c
    ),
    array(select unnest(array[c.phone, c.phone2, c.whatsapp]) from unnest(v_contacts) c)
  );
begin
  perform crm.contact_erase(v_workspace_id, v_ids);
  perform crm.erase_activities(v_workspace_id, v_activity_ids, v_traces, p_texts);
  perform crm.erase_deals(v_workspace_id, v_deal_ids, v_traces, p_texts, v_names);
  -- What is written about these is of the contact that they were given.
  perform crm.erase_deals(v_workspace_id, v_given_ids, v_traces, false, null);
  -- At once, not by the job: what is searched of them has the person's words.
  perform crm.keep_texts(v_workspace_id, 'contact', v_ids);
  perform crm.keep_texts(v_workspace_id, 'deal', v_deal_ids || v_given_ids);
  perform crm.erase_replies(v_workspace_id, v_ids || v_deal_ids || v_given_ids || v_activity_ids || v_note_ids, v_traces);
end
$$;
comment on function crm.erase_contact(uuid, boolean) is
  'Erases a contact of the current workspace, with those that were merged into it, and what its deals repeat of it, also '
  'those that its leads made and that were given another contact. '
  'Security definer, because verbs may not change notes, receipts or stored replies.';

create function crm.emit_erased() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform crm.emit(new.workspace_id, 'contact.erased', new.id);
  return null;
end
$$;
comment on function crm.emit_erased() is 'Trigger: emits contact.erased, whose data is the id alone.';

create trigger emit_erased after update of erased_at on crm.contacts
  for each row when (old.erased_at is null and new.erased_at is not null)
  execute function crm.emit_erased();

create function api.contact_erase(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid := p_args ->> 'id';
  v_contact crm.contacts;
begin
  -- A lead that has found the contact would fill its fields again.
  perform crm.lock_matches_of_contacts(array[v_id]);
  select c.* into v_contact from crm.contacts c
  where c.workspace_id = v_workspace_id and c.id = v_id
  for update;
  if not found then
    perform api.fail('not_found');
  elsif v_contact.merged_into_id is not null then
    perform api.fail('record_merged', array['id'], null, array[v_contact.merged_into_id]);
  end if;
  if v_contact.erased_at is null then
    perform crm.erase_contact(v_id, coalesce((p_args ->> 'texts')::boolean, false));
    v_contact.erased_at := now();
  end if;
  return json_build_object('id', v_id, 'erased_at', crm.iso(v_contact.erased_at));
end
$$;
comment on function api.contact_erase(jsonb) is
  'Erases a contact for good and returns when; one that is erased stays as it is. Raises not_found, record_merged.';

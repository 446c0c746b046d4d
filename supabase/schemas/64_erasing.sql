-- Traces: what identifies a person in texts, for an erasure (docs/decisions/0019-merge-archive-erase.md).

create function crm.url_decoded(p_text text) returns text
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if p_text !~ '%[0-9A-Fa-f]{2}' then return p_text; end if;
  return (
    select convert_from(decode(string_agg(
      case when m.part[1] ~ '^%..$' then substr(m.part[1], 2) else encode(convert_to(m.part[1], 'UTF8'), 'hex') end,
      '' order by m.n
    ), 'hex'), 'UTF8')
    from regexp_matches(p_text, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') with ordinality m (part, n)
  );
exception when character_not_in_repertoire or untranslatable_character then
  return p_text;
end
$$;
comment on function crm.url_decoded(text) is 'The text with %XX decoded; unchanged if the result is not UTF-8.';

create function crm.words(p_text text) returns text
language sql immutable parallel safe
-- The ICU collation is explicit, because the database's own may count only ASCII characters as alphanumeric.
as $$
  select nullif(
    ' ' || btrim(regexp_replace(crm.fold(p_text) collate "und-x-icu", '[^[:alnum:]]+', ' ', 'g')) || ' ', '  '
  )
$$;
comment on function crm.words(text) is
  'The words of a text in lower case, without accents, and each between spaces, such as " ana souza ". So a search for '
  'a name matches only whole words. Null if the text has no words.';

create type crm.traces as (words text[], numbers text[]);
comment on type crm.traces is
  'What identifies a person in a text: words (crm.words) of names and addresses, and the ends of phone numbers.';

create function crm.mentions(p_text text, p_traces crm.traces) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  v_text text := crm.url_decoded(p_text);
  v_words text := crm.words(v_text);
  v_digits text := crm.digits(v_text);
begin
  return exists (select from unnest(p_traces.words) w (words) where position(w.words in v_words) > 0)
    or exists (select from unnest(p_traces.numbers) n (number) where position(n.number in v_digits) > 0);
end
$$;
comment on function crm.mentions(text, crm.traces) is 'Whether a text contains one of these traces.';

create function crm.json_text(p_fields jsonb) returns text
language sql immutable parallel safe
-- JSON writes a line break as \n, and the n would become part of the next word.
as $$ select regexp_replace(p_fields::text, '\\[nrtbf]', ' ', 'g') $$;
comment on function crm.json_text(jsonb) is 'The text of an object or list, in which words can be searched.';

create function crm.without_mentions(p_fields jsonb, p_traces crm.traces) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case when jsonb_typeof(p_fields) = 'object' then (
    select coalesce(jsonb_object_agg(f.key, f.value), '{}')
    from jsonb_each(p_fields) f
    where crm.mentions(
      f.key || ' ' || case jsonb_typeof(f.value) when 'string' then f.value #>> '{}' else crm.json_text(f.value) end,
      p_traces
    ) is not true
  ) end;
end
$$;
comment on function crm.without_mentions(jsonb, crm.traces) is 'An object without the fields that mention the person.';

create function crm.traces_of(p_names text[], p_phones text[]) returns crm.traces
language plpgsql immutable set search_path = '' as $$
begin
  return (
    array(
      select distinct crm.words(n.name) from (select crm.url_decoded(u.name) from unnest(p_names) u (name)) n (name)
      where crm.words(n.name) is not null
    ),
    -- The last eight digits, which do not depend on country code, area code and ninth digit.
    array(
      select distinct right(crm.digits(p.phone), 8) from unnest(p_phones) p (phone) where length(crm.digits(p.phone)) >= 8
    )
  );
end
$$;
comment on function crm.traces_of(text[], text[]) is
  'The traces of a person, without repetitions. p_names: names and e-mail addresses.';

create function crm.with_lead(p_traces crm.traces, p_lead jsonb) returns crm.traces
language plpgsql immutable set search_path = '' as $$
declare
  v_lead crm.traces;
begin
  if p_lead is null then return p_traces; end if;
  v_lead := crm.traces_of(array[crm.lead_name(p_lead), p_lead ->> 'email'], array[p_lead ->> 'phone']);
  return (p_traces.words || v_lead.words, p_traces.numbers || v_lead.numbers)::crm.traces;
end
$$;
comment on function crm.with_lead(crm.traces, jsonb) is
  'Returns p_traces with the traces of a lead that the person sent. Used only for the texts of the lead''s own deal, '
  'because searching a thousand deals for the traces of a thousand leads would take a million searches.';

create function crm.single_names(p_names text[]) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select distinct ' ' || w.word || ' '
    from unnest(p_names) n (name)
    cross join lateral regexp_split_to_table(btrim(crm.words(crm.url_decoded(n.name))), ' ') w (word)
    where char_length(w.word) >= 3 and w.word not in ('das', 'dos')
  );
end
$$;
comment on function crm.single_names(text[]) is
  'Each word of three letters or more in these names, in the form of crm.words, except the particles "das" and "dos".';

-- Erasing a person (LGPD, art. 18 VI): the personal fields of the contact, and their copies elsewhere, are replaced for
-- good. Each function takes at most some hundred records. It first waits for transactions that are changing these
-- records, and returns how many records it changed. docs/decisions/0019-merge-archive-erase.md says what is erased.

create table crm.texts_naming (
  workspace_id uuid not null,
  contact_id uuid not null,
  object text not null,
  id uuid not null,
  fields text[] not null default '{}',
  digest bytea,
  primary key (workspace_id, contact_id, object, id)
);
comment on table crm.texts_naming is
  'Records that still named a person when the contact was erased. A later call can clear and count only these records, '
  'because the names for a new search are gone.';
comment on column crm.texts_naming.fields is
  'For a deal of the contact: the fields of its origin (crm.origin_fields) that contain any word of the person''s '
  'name. A call with `texts` clears them.';
comment on column crm.texts_naming.digest is
  'SHA-256 of the record''s texts. If the texts now have another digest, they have changed, and the name may be gone.';
call crm.protect('crm.texts_naming');

create function crm.erase_activities(
  p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, out changed bigint
)
language plpgsql set search_path = '' as $$
begin
  perform from crm.activities a where a.workspace_id = p_workspace_id and a.id = any (p_ids) order by a.id for update;
  update crm.activities a
  set (title, description, location, meeting_url) = (e.title, e.description, e.location, e.meeting_url)
  from (
    select
      i.id,
      case when p_texts or crm.mentions(i.title, t.traces) then crm.activity_label(i.type) else i.title end as title,
      case when not p_texts then i.description end as description,
      case when not (p_texts or crm.mentions(i.location, t.traces)) then i.location end as location,
      case when not (p_texts or crm.mentions(i.meeting_url, t.traces)) then i.meeting_url end as meeting_url
    from crm.activities i
    left join crm.deals d on d.workspace_id = p_workspace_id and d.id = i.deal_id
    cross join lateral (select crm.with_lead(p_traces, d.lead) as traces) t
    where i.workspace_id = p_workspace_id and i.id = any (p_ids)
  ) e
  where a.workspace_id = p_workspace_id and a.id = e.id
    and (a.title, a.description, a.location, a.meeting_url)
      is distinct from (e.title, e.description, e.location, e.meeting_url);
  get diagnostics changed = row_count;
end
$$;
comment on function crm.erase_activities(uuid, uuid[], crm.traces, boolean) is
  'Replaces a title, and clears a location or meeting_url, if it mentions the person. With p_texts, replaces or clears '
  'all texts of the activities.';

create function crm.erase_proposals(
  p_workspace_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, out changed bigint
)
language plpgsql set search_path = '' as $$
begin
  perform from crm.proposals p where p.workspace_id = p_workspace_id and p.id = any (p_ids) order by p.id for update;
  update crm.proposals p
  set (title, rejection_reason) = (e.title, e.rejection_reason)
  from (
    select
      i.id,
      case when p_texts or crm.mentions(i.title, crm.with_lead(p_traces, d.lead)) then 'Proposta' else i.title end as title,
      case when not p_texts then i.rejection_reason end as rejection_reason
    from crm.proposals i
    join crm.deals d on d.workspace_id = p_workspace_id and d.id = i.deal_id
    where i.workspace_id = p_workspace_id and i.id = any (p_ids)
  ) e
  where p.workspace_id = p_workspace_id and p.id = e.id
    and (p.title, p.rejection_reason) is distinct from (e.title, e.rejection_reason);
  get diagnostics changed = row_count;
end
$$;
comment on function crm.erase_proposals(uuid, uuid[], crm.traces, boolean) is
  'Replaces the titles that mention the person. With p_texts, replaces the titles of all these proposals and clears '
  'the reasons for rejection.';

create type crm.deal_traces as (deal_id uuid, traces crm.traces, origin_traces crm.traces);
comment on type crm.deal_traces is
  'What identifies a person in a deal''s texts (traces), and in its source, utm and external_id (origin_traces).';

create function crm.deal_traces_of(d crm.deals, p_traces crm.traces, p_names text[]) returns crm.deal_traces
language plpgsql immutable set search_path = '' as $$
declare
  v_traces crm.traces := crm.with_lead(p_traces, d.lead);
begin
  return (
    d.id,
    v_traces,
    case
      when p_names is null then v_traces
      else (v_traces.words || crm.single_names(p_names || crm.lead_name(d.lead)), v_traces.numbers)::crm.traces
    end
  );
end
$$;
comment on function crm.deal_traces_of(crm.deals, crm.traces, text[]) is
  'The traces of a person in a deal. p_names: the person''s names. Each word of a name is a trace in source, utm and '
  'external_id, because in Genoveva''s own deal "indicação de Genoveva" names her. If p_names is null, the words are '
  'not added.';

create function crm.has_name(p_id text, p_traces crm.traces) returns boolean
language sql immutable set search_path = '' as $$
  select crm.mentions(p_id, p_traces) or exists (
    select from unnest(p_traces.words) w (words)
    where length(w.words) >= 6
      and position(replace(w.words, ' ', '') in replace(crm.words(crm.url_decoded(p_id)), ' ', '')) > 0
  )
$$;
comment on function crm.has_name(text, crm.traces) is
  'Whether an external id contains a trace of a person. A trace of four letters or more may also be part of a word, '
  'because programs write "form-QUARESMA7".';

create function crm.origin_fields(d crm.deals, p_traces crm.traces, p_texts boolean) returns text[]
language sql immutable set search_path = '' as $$
  select array_remove(array[
    case when crm.mentions(d.source, p_traces) then 'source' end,
    case when crm.mentions(d.external_id, p_traces) or p_texts and crm.has_name(d.external_id, p_traces)
      then 'external_id'
    end
  ], null) || array(
    select 'utm.' || u.key from jsonb_object_keys(d.utm) u (key)
    where not crm.without_mentions(d.utm, p_traces) ? u.key
  )
$$;
comment on function crm.origin_fields(crm.deals, crm.traces, boolean) is
  'The fields of a deal''s origin that mention the person: source, external_id, utm.<key>. With p_texts, also an '
  'external_id in which the name is only part of a word.';

create function crm.erase_deals(
  p_workspace_id uuid, p_contact_id uuid, p_ids uuid[], p_traces crm.traces, p_texts boolean, p_names text[],
  out deals bigint, out lead_receipts bigint
)
language plpgsql set search_path = '' as $$
declare
  v_deals crm.deal_traces[];
begin
  perform from crm.deals d where d.workspace_id = p_workspace_id and d.id = any (p_ids) order by d.id for update;
  v_deals := array(
    select crm.deal_traces_of(d, p_traces, p_names) from crm.deals d
    where d.workspace_id = p_workspace_id and d.id = any (p_ids)
  );
  -- After the external_id of a receipt is replaced, the same lead sent again counts as new. An external_id that names
  -- the person and that the deal no longer has is replaced even without p_texts, because a later call would not find
  -- it.
  update crm.lead_receipts r set external_id = 'apagado ' || gen_random_uuid()
  from unnest(v_deals) t
  join crm.deals d on d.workspace_id = p_workspace_id and d.id = t.deal_id
  where r.workspace_id = p_workspace_id and r.external_id = any (array[d.external_id, d.lead ->> 'external_id'])
    and (
      crm.mentions(r.external_id, t.traces)
      or (p_texts or r.external_id is distinct from d.external_id)
        and crm.has_name(r.external_id, t.origin_traces)
      or p_texts and r.external_id = d.external_id and exists (
        select from crm.texts_naming k
        where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = 'deal' and k.id = d.id
          and 'external_id' = any (k.fields)
      )
    );
  get diagnostics lead_receipts = row_count;
  update crm.deals d
  set (title, source, external_id, loss_note, utm, custom_fields, tags, lead) = (
    e.title, e.source, e.external_id, e.loss_note, e.utm, e.custom_fields, e.tags, null
  )
  from (
    select
      o.id,
      case when p_texts or crm.mentions(o.title, t.traces) then 'Contato apagado' else o.title end as title,
      case when not 'source' = any (n.fields) then o.source end as source,
      case when not 'external_id' = any (n.fields) then o.external_id end as external_id,
      case when not p_texts then o.loss_note end as loss_note,
      o.utm - array(select substr(f.field, 5) from unnest(n.fields) f (field) where starts_with(f.field, 'utm.')) as utm,
      case when not p_texts then crm.without_mentions(o.custom_fields, t.traces) end as custom_fields,
      nullif(array(
        select g.tag from unnest(o.tags) with ordinality g (tag, position)
        where not crm.mentions(g.tag, t.traces) and not (p_texts and crm.has_name(g.tag, t.origin_traces))
        order by g.position
      ), '{}') as tags
    from unnest(v_deals) t
    join crm.deals o on o.workspace_id = p_workspace_id and o.id = t.deal_id
    left join crm.texts_naming k
      on k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = 'deal' and k.id = o.id
    cross join lateral (
      select case
        when p_texts then crm.origin_fields(o, t.origin_traces, true) || coalesce(k.fields, '{}')
        else crm.origin_fields(o, t.traces, false)
      end as fields
    ) n
  ) e
  where d.workspace_id = p_workspace_id and d.id = e.id
    -- Skip deals without traces, because their updated_at must not change.
    and (d.title, d.source, d.external_id, d.loss_note, d.utm, d.custom_fields, d.tags, d.lead)
      is distinct from (e.title, e.source, e.external_id, e.loss_note, e.utm, e.custom_fields, e.tags, null::jsonb);
  get diagnostics deals = row_count;
  update crm.deal_contacts k
  set role = null
  from unnest(v_deals) t
  where k.workspace_id = p_workspace_id and k.deal_id = t.deal_id
    and crm.mentions(k.role, case when p_texts then t.origin_traces else t.traces end);
  if p_texts then
    delete from crm.texts_naming k
    where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = 'deal' and k.id = any (p_ids);
  else
    insert into crm.texts_naming (workspace_id, contact_id, object, id, fields)
    select p_workspace_id, p_contact_id, 'deal', d.id, n.fields
    from unnest(v_deals) t
    join crm.deals d on d.workspace_id = p_workspace_id and d.id = t.deal_id
    cross join lateral (select crm.origin_fields(d, t.origin_traces, true) as fields) n
    where n.fields <> '{}'
    on conflict (workspace_id, contact_id, object, id) do update set fields = excluded.fields;
  end if;
  -- Update the searched text now instead of in the job, because it contains the person's words.
  perform crm.keep_texts(p_workspace_id, 'deal', p_ids);
end
$$;
comment on function crm.erase_deals(uuid, uuid, uuid[], crm.traces, boolean, text[]) is
  'Clears the leads that the person sent. Replaces texts that mention the person in the short fields of deals, in the '
  'deals'' receipts and in the roles of their contacts. With p_texts, also clears the free texts about the deals, '
  'their custom fields, and each source, external_id, tag or utm value that contains a word of the names. Without '
  'p_texts, crm.texts_naming remembers which source, external_id and utm values contain such a word.';

create function crm.erase_deal_contacts(p_workspace_id uuid, p_contact_id uuid) returns uuid[]
language plpgsql set search_path = '' as $$
declare
  v_ids uuid[] := array(
    select k.deal_id from crm.deal_contacts k
    where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id limit 100
  );
begin
  -- Wait for calls that are removing the contact from one of these deals: such a call holds the deal's lock.
  perform from crm.deals d where d.workspace_id = p_workspace_id and d.id = any (v_ids) order by d.id for no key update;
  delete from crm.deal_contacts k
  where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.deal_id = any (v_ids);
  return v_ids;
end
$$;
comment on function crm.erase_deal_contacts(uuid, uuid) is
  'Removes a contact and its role from at most 100 deals, and returns the deals'' ids. A main contact stays in its '
  'deal without a role.';

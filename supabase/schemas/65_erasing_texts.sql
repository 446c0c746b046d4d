-- Finding texts that still name a person after the contact was erased. No index of words covers notes and free fields,
-- so every record is read, some hundred at a time.

create function crm.texts_of(p_workspace_id uuid, p_object text, p_ids uuid[]) returns table (id uuid, texts text[])
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
begin
  case p_object
    when 'contact' then
      return query
      select c.id, array[
        c.name, c.email, c.phone, c.phone2, c.whatsapp, c.job_title, c.instagram, c.linkedin, c.notes, c.external_id,
        crm.json_text(c.custom_fields), array_to_string(c.tags, E'\n')
      ]
      from crm.contacts c where c.workspace_id = p_workspace_id and c.id = any (p_ids);
    when 'company' then
      return query
      select c.id, array[
        c.name, c.legal_name, c.email, c.phone, c.domain, c.website, c.linkedin, c.instagram, c.external_id, c.notes,
        crm.json_text(c.address), crm.json_text(c.custom_fields),
        array_to_string(c.tags, E'\n')
      ]
      from crm.companies c where c.workspace_id = p_workspace_id and c.id = any (p_ids);
    when 'deal' then
      return query
      select d.id, array[
        d.title, d.source, d.external_id, d.loss_note, crm.json_text(d.utm), crm.json_text(d.custom_fields),
        crm.json_text(d.lead), array_to_string(d.tags, E'\n'),
        (
          select string_agg(k.role, E'\n' order by k.contact_id) from crm.deal_contacts k
          where k.workspace_id = p_workspace_id and k.deal_id = d.id
        )
      ]
      from crm.deals d where d.workspace_id = p_workspace_id and d.id = any (p_ids);
    when 'activity' then
      return query
      select a.id, array[a.title, a.description, a.location, a.meeting_url]
      from crm.activities a where a.workspace_id = p_workspace_id and a.id = any (p_ids);
    when 'note' then
      return query
      select n.id, array[n.body::text] from crm.notes n where n.workspace_id = p_workspace_id and n.id = any (p_ids);
    when 'proposal' then
      return query
      select p.id, array[p.title, p.rejection_reason]
      from crm.proposals p where p.workspace_id = p_workspace_id and p.id = any (p_ids);
  end case;
end
$$;
comment on function crm.texts_of(uuid, text, uuid[]) is 'The texts that clients and the application write in records.';

create function crm.find_naming(
  p_workspace_id uuid, p_contact_id uuid, p_object text, p_after uuid, p_traces crm.traces, out last_id uuid,
  out work bigint, out counted bigint
)
language plpgsql set search_path = '' as $$
declare
  -- How many records are remembered: no more than people can correct by hand, even if a name occurs in nearly every
  -- record.
  c_most constant integer := 1000;
  v_table text := crm.table_of(p_object);
  v_ids uuid[];
  v_remembered integer;
begin
  execute format(
    'select array(select t.id from crm.%I t where t.workspace_id = $1 and t.id > $2 order by t.id limit 200)', v_table
  ) into v_ids using p_workspace_id, p_after;
  last_id := v_ids[200];
  select count(*) into v_remembered from (
    select from crm.texts_naming k where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id limit c_most
  ) r;
  with read as (
    select t.id, t.texts, array_to_string(t.texts, E'\n') as text from crm.texts_of(p_workspace_id, p_object, v_ids) t
  ), naming as (
    select r.id, sha256(convert_to(r.text, 'UTF8')) as digest
    from read r
    -- First search all texts of a record together, which is faster. Then search each alone, because the digits of two
    -- fields together must not count as a phone number. A record with a % skips the first search, because a %XX in one
    -- text that is not UTF-8 would keep all texts from being decoded.
    where (position('%' in r.text) > 0 or crm.mentions(r.text, p_traces))
        and exists (select from unnest(r.texts) t (text) where crm.mentions(t.text, p_traces))
      or exists (
        select from crm.texts_naming k
        where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = p_object and k.id = r.id
          and k.fields <> '{}'
      )
  ), kept as (
    insert into crm.texts_naming as k (workspace_id, contact_id, object, id, digest)
    select p_workspace_id, p_contact_id, p_object, n.id, n.digest
    from (select n.*, row_number() over (order by n.id) as nth from naming n) n
    where n.nth <= c_most - v_remembered
    on conflict (workspace_id, contact_id, object, id) do update set digest = excluded.digest
  )
  select (select count(*) + sum(length(r.text)) / 1000 from read r), (select count(*) from naming) into work, counted;
  work := coalesce(work, 0);
end
$$;
comment on function crm.find_naming(uuid, uuid, text, uuid, crm.traces) is
  'Searches the next 200 records of a kind for a person, counts those that name the person, and remembers the first '
  'thousand. last_id is null after the last record.';

create function crm.recount_naming(p_workspace_id uuid, p_contact_id uuid) returns bigint
language plpgsql set search_path = '' as $$
declare
  v_kind record;
  v_found bigint := 0;
  v_same uuid[];
begin
  for v_kind in
    select k.object, array_agg(k.id) as ids from crm.texts_naming k
    where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id
    group by k.object
  loop
    v_same := array(
      select t.id
      from crm.texts_of(p_workspace_id, v_kind.object, v_kind.ids) t
      join crm.texts_naming k
        on k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = v_kind.object and k.id = t.id
      where k.digest = sha256(convert_to(array_to_string(t.texts, E'\n'), 'UTF8'))
    );
    delete from crm.texts_naming k
    where k.workspace_id = p_workspace_id and k.contact_id = p_contact_id and k.object = v_kind.object
      and k.id <> all (v_same) and k.fields = '{}';
    v_found := v_found + cardinality(v_same);
  end loop;
  return v_found;
end
$$;
comment on function crm.recount_naming(uuid, uuid) is
  'How many of the remembered records still have the texts that named the person. Forgets the others without `fields`.';

create function crm.naming_json(p_workspace_id uuid, p_contact_id uuid, p_count bigint, p_is_minimum boolean) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'count', p_count,
    'is_minimum', p_is_minimum,
    'records', (
      select coalesce(jsonb_agg(jsonb_build_object('object', k.object, 'id', k.id) order by k.object, k.id), '[]')
      from (
        select n.object, n.id from crm.texts_naming n
        where n.workspace_id = p_workspace_id and n.contact_id = p_contact_id and n.digest is not null
        order by n.object, n.id limit 20
      ) k
    )
  );
end
$$;
comment on function crm.naming_json(uuid, uuid, bigint, boolean) is
  'How many records still name an erased person, and the first twenty. p_is_minimum: there may be more.';

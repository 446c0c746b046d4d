-- Erasing stored replies (Idempotency-Key). They are read some hundred at a time: a workspace may have hundreds of
-- thousands, and a reply may have a megabyte.

create function crm.batch_without_mentions(p_reply json, p_traces crm.traces) returns json
language plpgsql immutable set search_path = '' as $$
begin
  return json_build_object(
    'results', (
      select json_agg(
        case
          -- Errors from the edge function name invalid fields as they were sent, including the keys of custom_fields.
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
  'The reply to a batch. If the name of an invalid field mentions the person, the error names only the item instead. '
  'Messages need no check, because they quote nothing that was sent.';

create function crm.keys_mentioning(p_keys text[], p_traces crm.traces) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  -- Search all keys as one text first: searching them one by one takes three times as long, and few keys mention
  -- anybody.
  if crm.mentions(
    -- Decode each key alone, because one that is not UTF-8 would keep all others from being decoded. Replace each %
    -- that remains by a space, so that crm.mentions decodes nothing a second time.
    (
      select string_agg(
        case when position('%' in k.key) = 0 then k.key else translate(crm.url_decoded(k.key), '%', ' ') end, ' '
      )
      from unnest(p_keys) k (key)
    ),
    p_traces
  ) then
    return array(select k.key from unnest(p_keys) k (key) where crm.mentions(k.key, p_traces));
  end if;
  return '{}';
end
$$;
comment on function crm.keys_mentioning(text[], crm.traces) is 'The Idempotency-Keys that mention a person.';

create function crm.ids_of_person(p_workspace_id uuid, p_ids uuid[], p_contact_ids uuid[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_object_agg(f.id, null), '{}')
  from (
    select c.id from crm.contacts c
    where c.workspace_id = p_workspace_id and c.id = any (p_ids) and c.id = any (p_contact_ids)
    union all
    select d.id from crm.deals d
    where d.workspace_id = p_workspace_id and d.id = any (p_ids)
      and (d.contact_id = any (p_contact_ids) or d.lead_contact_id = any (p_contact_ids))
    union all
    select a.id from crm.activities a
    join crm.deals d on d.workspace_id = a.workspace_id and d.id = a.deal_id
    where a.workspace_id = p_workspace_id and a.id = any (p_ids)
      and (a.contact_id = any (p_contact_ids) or d.contact_id = any (p_contact_ids))
    union all
    select n.id from crm.notes n
    join crm.deals d on d.workspace_id = n.workspace_id and d.id = n.deal_id
    where n.workspace_id = p_workspace_id and n.id = any (p_ids) and d.contact_id = any (p_contact_ids)
  ) f
$$;
comment on function crm.ids_of_person(uuid, uuid[], uuid[]) is
  'Those of p_ids that are ids of these contacts or of their deals, activities or notes, as the keys of an object.';

create function crm.record_now(p_workspace_id uuid, p_id uuid, p_in_detail boolean) returns json
language sql stable set search_path = '' as $$
  select coalesce(
    (select crm.contact_json(c) from crm.contacts c where c.workspace_id = p_workspace_id and c.id = p_id),
    (
      select case when p_in_detail then crm.deal_detail_json(d) else crm.deal_json(d) end
      from crm.deals d where d.workspace_id = p_workspace_id and d.id = p_id
    ),
    (select crm.activity_json(a) from crm.activities a where a.workspace_id = p_workspace_id and a.id = p_id),
    (select crm.note_json(n) from crm.notes n where n.workspace_id = p_workspace_id and n.id = p_id)
  )
$$;
comment on function crm.record_now(uuid, uuid, boolean) is
  'The contact, deal, activity or note with this id as it is now. p_in_detail: a deal as GET /:id shows it.';

create function crm.batch_with_records_now(p_workspace_id uuid, p_reply json, p_contact_ids uuid[]) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_objects jsonb := crm.ids_of_person(
    p_workspace_id,
    array(
      select (r #>> '{record,id}')::uuid from json_array_elements(p_reply -> 'results') r
      where r -> 'record' is not null
    ),
    p_contact_ids
  );
begin
  if v_objects = '{}' then return p_reply; end if;
  return json_build_object(
    'results', (
      select json_agg(
        case
          when v_objects ? (r.result #>> '{record,id}') then r.result::jsonb || jsonb_build_object(
            'record', crm.record_now(p_workspace_id, (r.result #>> '{record,id}')::uuid, true)
          )
          else r.result::jsonb
        end
        order by r.n
      )
      from json_array_elements(p_reply -> 'results') with ordinality r (result, n)
    ),
    'summary', p_reply -> 'summary'
  );
end
$$;
comment on function crm.batch_with_records_now(uuid, json, uuid[]) is
  'The reply to a batch that read records, with the records of these contacts as they are now.';

create function crm.erase_replies(
  p_workspace_id uuid, p_after text, p_contact_ids uuid[], p_traces crm.traces, out last_key text,
  out bytes bigint, out changed bigint
)
language plpgsql set search_path = ''
-- Uses the index even while the statistics do not know that a workspace has many replies.
set enable_seqscan = off as $$
declare
  v_keys text[];
  v_ids uuid[];
  -- An object, because looking up a key in it is fast in every plan; an array is hashed in some plans only.
  v_objects jsonb;
  -- Only longer traces: a short name is a word in many keys, and the key of another record must not be deleted.
  v_long crm.traces := (
    array(select w.words from unnest(p_traces.words) w (words) where length(w.words) >= 6 limit 50),
    (p_traces.numbers)[1:50]
  );
  v_mentioning text[];
  v_rows bigint;
begin
  -- Take 256 KB of replies, at least one. Postgres knows the length of a text without reading it.
  with next as (
    select i.key, octet_length(i.body) as bytes from crm.idempotency_keys i
    where i.workspace_id = p_workspace_id and i.key > p_after
    order by i.key limit 200
  )
  select array_agg(n.key order by n.key), max(n.key), sum(n.bytes) into v_keys, last_key, bytes
  from (select x.*, sum(x.bytes) over (order by x.key) - x.bytes as before from next x) n
  where n.before < 262144;
  changed := 0;
  if last_key is null then return; end if;
  -- The first id in a reply is that of its record; in the reply to a lead, that of the deal.
  v_ids := array(
    select f.id::uuid
    from (
      select case
        when starts_with(i.body, '{"id":"') then substr(i.body, 8, 36)
        else substring(left(i.body, 1000) from '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}')
      end as id
      from crm.idempotency_keys i
      where i.workspace_id = p_workspace_id and i.key = any (v_keys)
    ) f
    where f.id is not null
  );
  v_objects := crm.ids_of_person(p_workspace_id, v_ids, p_contact_ids);
  v_mentioning := crm.keys_mentioning(v_keys, v_long);
  delete from crm.idempotency_keys i
  where i.workspace_id = p_workspace_id and i.key = any (v_keys) and (
    i.key = any (v_mentioning)
    or (
      v_objects ? case
        when starts_with(i.body, '{"id":"') then substr(i.body, 8, 36)
        else substring(left(i.body, 1000) from '[0-9a-f]{8}-[0-9a-f-]{27}')
      end
      and crm.mentions(i.key, p_traces)
    )
  );
  get diagnostics changed = row_count;
  -- Give repeated requests the record as it is now. A record's JSON begins with {"id":"<uuid>".
  update crm.idempotency_keys i
  set body = n.body
  from (
    select r.key, (case
      when r.added is null then crm.record_now(p_workspace_id, r.id, false)
      else crm.with_fields(crm.record_now(p_workspace_id, r.id, false), r.added)
    end)::text as body
    from (
      select k.key, substr(k.body, 8, 36)::uuid as id, (
        -- What a creation or an upsert adds to the record: ids and names of fields.
        select json_object_agg(f.key, f.value) from json_each(k.body::json) f
        where f.key in ('created', 'matched_by', 'differences', 'possible_duplicates')
      ) as added
      from crm.idempotency_keys k
      where k.workspace_id = p_workspace_id and k.key = any (v_keys) and v_objects ? substr(k.body, 8, 36)
    ) r
  ) n
  where i.workspace_id = p_workspace_id and i.key = n.key and i.body <> n.body;
  get diagnostics v_rows = row_count;
  changed := changed + v_rows;
  update crm.idempotency_keys i
  set body = n.body
  from (
    select k.key, crm.batch_with_records_now(p_workspace_id, k.body::json, p_contact_ids)::text as body
    from crm.idempotency_keys k
    where k.workspace_id = p_workspace_id and k.key = any (v_keys) and starts_with(k.body, '{"results"')
      and position('"record"' in k.body) > 0
  ) n
  where i.workspace_id = p_workspace_id and i.key = n.key and i.body <> n.body;
  get diagnostics v_rows = row_count;
  changed := changed + v_rows;
  update crm.idempotency_keys i
  set body = crm.batch_without_mentions(i.body::json, v_long)::text
  where i.workspace_id = p_workspace_id and i.key = any (v_keys) and starts_with(i.body, '{"results"')
    -- Check this before the reply is parsed, which takes long: most replies contain no error.
    and position('"details"' in i.body) > 0
    and exists (
      select from jsonb_path_query(i.body::jsonb, '$.results[*].error.details[*].field') f (field)
      where crm.mentions(f.field #>> '{}', v_long)
    );
  get diagnostics v_rows = row_count;
  changed := changed + v_rows;
end
$$;
comment on function crm.erase_replies(uuid, text, uuid[], crm.traces) is
  'Reads the next stored replies (200, or 256 KB). Replaces a reply that shows a record of the person by the record as '
  'it is now. Deletes a reply whose key mentions the person: by a trace of four characters or more, or by any trace if '
  'the reply shows such a record. Removes mentions from the errors in replies to batches (crm.batch_without_mentions). '
  'last_key is null after the last reply. Together the calls read all replies of 24 hours, because an index for this '
  'would slow down every creation.';

-- Texts that still name a person after the contact was erased. No index of words covers notes and free fields, so all
-- are read, some hundred at a time.

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

create function crm.json_text(p_fields jsonb) returns text
language sql immutable set search_path = ''
-- JSON writes a line break as \n, whose n would become part of the next word.
as $$ select regexp_replace(p_fields::text, '\\[nrtbf]', ' ', 'g') $$;
comment on function crm.json_text(jsonb) is 'The text of an object or list, in which words can be searched.';

create function crm.find_naming(
  p_workspace_id uuid, p_contact_id uuid, p_object text, p_after uuid, p_traces crm.traces, out last_id uuid,
  out work bigint, out counted bigint
)
language plpgsql set search_path = '' as $$
declare
  -- How many records are remembered: as many as people can correct by hand. Some names are in nearly every record.
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
    -- Search all texts of a record together first, then each alone, because the digits of two fields together must not
    -- count as a phone number. A record with a % skips the first search: if the %XX in one of its texts were not UTF-8,
    -- none would be decoded.
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
  'How many of the remembered records still have the texts that named the person. Forgets the other records.';

create function crm.naming_json(p_workspace_id uuid, p_contact_id uuid, p_count bigint, p_is_minimum boolean) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
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
  )
$$;
comment on function crm.naming_json(uuid, uuid, bigint, boolean) is
  'How many records still name an erased person, and the first twenty of them.';

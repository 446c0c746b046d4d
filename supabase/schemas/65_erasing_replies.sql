-- Erasing stored replies (Idempotency-Key). Each call of crm.erase_replies reads at most 200 replies or 256 KB: a
-- workspace may have hundreds of thousands of replies, and a reply may be a megabyte long.

create function crm.keys_mentioning(p_keys text[], p_traces crm.traces) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  -- Search all keys as one text first. Searching them one by one takes three times as long, and few keys mention
  -- anybody.
  if crm.mentions(
    -- Decode each key alone, because a key that is not UTF-8 would keep the others from being decoded. Replace each %
    -- that remains by a space, so that crm.mentions decodes no key a second time.
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
  'Returns an object. Its keys are the ids in p_ids that belong to these contacts, or to their deals, activities or '
  'notes.';

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

create function crm.batch_without_person(
  p_workspace_id uuid, p_reply json, p_contact_ids uuid[], p_traces crm.traces
) returns json
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
  if v_objects = '{}' and not exists (
    select from jsonb_path_query(p_reply::jsonb, '$.results[*].error.details[*].field') f (field)
    where crm.mentions(f.field #>> '{}', p_traces)
  ) then
    return p_reply;
  end if;
  return json_build_object(
    'results', (
      select json_agg(
        case
          when v_objects ? (r.result #>> '{record,id}') then r.result || jsonb_build_object(
            'record', crm.record_now(p_workspace_id, (r.result #>> '{record,id}')::uuid, true)
          )
          -- Only an error from the edge function has a message. Its details name invalid fields as they were sent,
          -- including the keys of custom_fields.
          when r.result #> '{error,message}' is not null and jsonb_typeof(r.result #> '{error,details}') = 'array'
          then jsonb_set(r.result, '{error,details}', (
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
          else r.result
        end
        order by r.n
      )
      from jsonb_array_elements((p_reply -> 'results')::jsonb) with ordinality r (result, n)
    ),
    'summary', p_reply -> 'summary'
  );
end
$$;
comment on function crm.batch_without_person(uuid, json, uuid[], crm.traces) is
  'The reply to a batch, with the records of these contacts that it read as they are now. If the name of an invalid '
  'field mentions the person, the error names only the item instead. Messages need no check, because they quote '
  'nothing that was sent.';

create function crm.erase_replies(
  p_workspace_id uuid, p_after text, p_contact_ids uuid[], p_traces crm.traces, out last_key text,
  out bytes bigint, out changed bigint
)
language plpgsql set search_path = ''
-- With this setting, Postgres uses the index even if its statistics do not show yet that a workspace has many replies.
set enable_seqscan = off as $$
declare
  v_keys text[];
  v_ids uuid[];
  -- An object, because looking up a key in an object is fast in every plan. An array is hashed only in some plans.
  v_objects jsonb;
  -- Only longer traces, because a short name occurs as a word in many keys, and the replies of other people must stay.
  v_long crm.traces := (
    array(select w.words from unnest(p_traces.words) w (words) where length(w.words) >= 6 limit 50),
    (p_traces.numbers)[1:50]
  );
  v_mentioning text[];
  v_rows bigint;
begin
  -- Take 256 KB of replies, but at least one reply. Postgres knows the length of a reply without reading its text.
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
  -- The first id in a reply is the id of its record; in the reply to a lead, it is the id of the deal.
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
  -- Give repeated requests the record as it is now. The JSON of a record begins with its id: {"id":"<uuid>".
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
    select k.key, crm.batch_without_person(p_workspace_id, k.body::json, p_contact_ids, v_long)::text as body
    from crm.idempotency_keys k
    where k.workspace_id = p_workspace_id and k.key = any (v_keys) and starts_with(k.body, '{"results"')
      -- Check this first, because parsing a reply takes long, and most replies contain neither.
      and (position('"record"' in k.body) > 0 or position('"details"' in k.body) > 0)
  ) n
  where i.workspace_id = p_workspace_id and i.key = n.key and i.body <> n.body;
  get diagnostics v_rows = row_count;
  changed := changed + v_rows;
end
$$;
comment on function crm.erase_replies(uuid, text, uuid[], crm.traces) is
  'Reads the next stored replies (200, or 256 KB). Replaces a reply that shows a record of the person by the record as '
  'it is now. Deletes a reply if its key contains a trace of four characters or more; for a reply that shows a record '
  'of the person, any trace is enough. Removes the person from replies to batches (crm.batch_without_person). '
  'last_key is null after the last reply. Together the calls read all replies of 24 hours, because an index for this '
  'would slow down every creation.';

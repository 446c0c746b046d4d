-- The search of the console: by words in keys, webhooks and records, or by a whole id. See
-- docs/decisions/0013-search.md.

create function crm.found_by_id(p_workspace_id uuid, p_id uuid)
returns table (type text, id uuid, name text, detail text, parent_id uuid)
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
begin
  return query
    select 'key', k.id, k.name::text, k.prefix::text, null::uuid
    from crm.api_keys k
    where k.workspace_id = p_workspace_id and k.id = p_id and k.client_id is null
    union all
    select 'webhook', s.id, coalesce(s.name, s.target_url), s.target_url, null
    from crm.webhook_subscriptions s
    where s.workspace_id = p_workspace_id and s.id = p_id
    union all
    select o.type, p_id, o.name, null, null
    from (
      select t.type, crm.object_name(p_workspace_id, t.type, p_id) as name
      from unnest('{deal, contact, company, activity, note, proposal}'::text[]) t (type)
    ) o
    where o.name is not null
    union all
    select 'event', e.id, e.event::text, crm.object_name(p_workspace_id, t.object_type, e.object_id), e.object_id
    from crm.events e
    join crm.event_types t on t.event = e.event
    where e.workspace_id = p_workspace_id and e.id = p_id
    union all
    select 'delivery', d.id, e.event::text, coalesce(s.name, s.target_url), s.id
    from crm.webhook_deliveries d
    join crm.webhook_subscriptions s on s.workspace_id = d.workspace_id and s.id = d.subscription_id
    join crm.events e on e.workspace_id = d.workspace_id and e.id = d.event_id
    where d.workspace_id = p_workspace_id and d.id = p_id;
end
$$;
comment on function crm.found_by_id(uuid, uuid) is
  'What has this id in a workspace: a key, webhook, record, event or delivery. parent_id: the record of an event, the '
  'webhook of a delivery.';

create function crm.found_by_words(p_workspace_id uuid, p_q text)
returns table (type text, id uuid, name text, detail text, parent_id uuid)
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' set jit = off as $$
declare
  v_q text := crm.fold(p_q);
  v_words text[] := regexp_split_to_array(v_q, '\s+');
begin
  return query
    select r.type, r.id, r.name, r.detail, null::uuid
    from (
      select f.*, row_number() over (partition by f.type order by f.rank, f.works desc, f.id desc) as place
      from (
        select w.type, w.id, w.name, w.detail, w.works, crm.name_rank(w.name, v_q) as rank
        from (
          -- Only the newest, because a workspace may have tens of thousands of revoked keys and deleted webhooks.
          (
            select 'key' as type, k.id, k.name::text, k.prefix::text as detail, crm.is_working(k) as works
            from crm.api_keys k
            where k.workspace_id = p_workspace_id and k.client_id is null
            order by k.id desc limit 1000
          )
          union all
          (
            select 'webhook', s.id, coalesce(s.name, s.target_url), s.target_url, s.is_active
            from crm.webhook_subscriptions s
            where s.workspace_id = p_workspace_id
            order by s.is_active desc, s.created_at desc, s.id desc limit 1000
          )
        ) w
        where not exists (
          select from unnest(v_words) q (word) where strpos(crm.fold(concat_ws(E'\n', w.name, w.detail)), q.word) = 0
        )
        union all
        select f.type, f.id, f.name, coalesce(
          (select c.name from crm.companies c where c.workspace_id = p_workspace_id and c.id = f.company_id),
          f.email, f.phone
        ), true, f.rank
        from crm.find_records(p_q, 50, '{company, contact, deal}', true) f
      ) f
    ) r
    where r.place <= 5
    order by array_position('{key, webhook, deal, contact, company}'::text[], r.type), r.place;
end
$$;
comment on function crm.found_by_words(uuid, text) is
  'Up to five matches each among the keys, webhooks, deals, contacts and companies that have all the words, best '
  'matches first. Of equally good matches, keys and webhooks that work come first. Finds records as api.search_list '
  'does, keys by name and prefix, webhooks by name and URL. Searches only the newest 1,000 keys and 1,000 webhooks, '
  'active webhooks first.';

create function app.workspace_search(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.within_workspace(crm.check_args(p_args, '{workspace_id, q}'));
  v_workspace_id uuid := (v_args ->> 'workspace_id')::uuid;
  v_q text := v_args ->> 'q';
  v_found json;
begin
  if v_q ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    select json_agg(f) into v_found from crm.found_by_id(v_workspace_id, v_q::uuid) f;
  end if;
  -- Without a match, search for q as a word, because a record may have a UUID as its id in another system.
  if v_found is null then
    select coalesce(json_agg(f), '[]') into v_found from crm.found_by_words(v_workspace_id, v_q) f;
  end if;
  return json_build_object('data', v_found);
end
$$;
comment on function app.workspace_search(jsonb) is
  'Finds keys, webhooks, deals, contacts and companies by words, or whatever has the id q (crm.found_by_id). Returns '
  'data: type, id, name, detail, parent_id. Arguments: workspace_id, q (1 to 100 characters). Codes: validation_error, '
  'not_found.';

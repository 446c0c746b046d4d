-- Questions about several kinds of records at once.

-- What happened with a company or a contact, newest first: its deals with their moves, activities and notes. All ids
-- begin with the time of creation, so one order and one cursor serve entries of all kinds.

create function crm.timeline(p_deals uuid[], p_contact_id uuid, p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- api.change_summary explains these settings. The conditions compare the deal and the id as one row value, which only
-- one index can serve (as in api.<name>_list).
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_scopes jsonb := crm.own_key() #> '{key,scopes}';
  v_limit integer := p_args ->> 'limit';
  v_before uuid := coalesce(p_args ->> 'cursor', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_entries json[];
  v_ids uuid[];
  v_next_id uuid;
  v_found integer;
begin
  with entry as (
    select e.* from (
      select d.id, 'deal' as type, d.id as deal_id, null::uuid as from_id, null::uuid as to_id
      from crm.deals d
      where v_scopes ? 'deals:read' and d.workspace_id = v_workspace_id and d.id = any (p_deals) and d.id < v_before
      union all
      select a.id, 'activity', a.deal_id, null, null
      from unnest(p_deals) x (id)
      cross join lateral (
        select t.id, t.deal_id from crm.activities t
        where t.workspace_id = v_workspace_id and (t.deal_id, t.id) < (x.id, v_before) and t.deal_id >= x.id
        order by t.deal_id desc, t.id desc limit v_limit + 1
      ) a
      where v_scopes ? 'activities:read'
      union all
      (
        select t.id, 'activity', t.deal_id, null, null from crm.activities t
        where p_contact_id is not null and v_scopes ? 'activities:read' and t.workspace_id = v_workspace_id
          and (t.contact_id, t.id) < (p_contact_id, v_before) and t.contact_id >= p_contact_id
          and not t.deal_id = any (p_deals)
        order by t.contact_id desc, t.id desc limit v_limit + 1
      )
      union all
      select n.id, 'note', n.deal_id, null, null
      from unnest(p_deals) x (id)
      cross join lateral (
        select t.id, t.deal_id from crm.notes t
        where t.workspace_id = v_workspace_id and (t.deal_id, t.id) < (x.id, v_before) and t.deal_id >= x.id
        order by t.deal_id desc, t.id desc limit v_limit + 1
      ) n
      where v_scopes ? 'notes:read'
      union all
      -- Only for the newest 20 deals, because looking up each deal reads the partitions of 90 days.
      select m.id, 'stage_change', m.deal_id, m.from_id, m.to_id
      from (
        -- The stage that a deal entered is stored in the event of the deal's next move, as the stage that the deal
        -- left.
        select l.id, x.id as deal_id, l.from_id, lead(l.from_id) over (partition by x.id order by l.id) as to_id
        from unnest(p_deals[:20]) x (id)
        cross join lateral (
          select t.id, t.event, t.is_test, (t.facts ->> 'previous_stage_id')::uuid as from_id from crm.events t
          where t.workspace_id = v_workspace_id and t.object_id = x.id
          order by t.position desc, t.id desc limit 1000
        ) l
        where v_scopes ? 'deals:read' and l.event = 'deal.stage_changed' and not l.is_test
      ) m
      where m.id < v_before
    ) e
    order by e.id desc limit v_limit + 1
  ),
  shown as (
    select e.id, json_build_object(
      'id', e.id, 'type', e.type, 'occurred_at', crm.iso(crm.uuid_v7_time(e.id)),
      'deal', json_build_object(
        'id', d.id, 'name', d.title,
        'status', case when v_scopes ? 'deals:read' then d.status end,
        'value', case when v_scopes ? 'deals:read' then d.value end
      ),
      'activity', (
        select crm.activity_json(t) from crm.activities t
        where e.type = 'activity' and t.workspace_id = v_workspace_id and t.id = e.id
      ),
      'note', (
        select crm.note_json(t) from crm.notes t
        where e.type = 'note' and t.workspace_id = v_workspace_id and t.id = e.id
      ),
      'from_stage', (select s.name from crm.stages s where s.workspace_id = v_workspace_id and s.id = e.from_id),
      'to_stage', (
        select s.name from crm.stages s
        where e.type = 'stage_change' and s.workspace_id = v_workspace_id and s.id = coalesce(e.to_id, d.stage_id)
      )
    ) as json
    from entry e
    join crm.deals d on d.workspace_id = v_workspace_id and d.id = e.deal_id
  ),
  sized as (
    select s.*, sum(pg_column_size(s.json)) over (order by s.id desc) as bytes,
      row_number() over (order by s.id desc) as n
    from shown s
  )
  select array_agg(s.json order by s.id desc), array_agg(s.id order by s.id desc), (select count(*) from entry)
  into v_entries, v_ids, v_found
  from sized s
  where (s.n = 1 or s.bytes <= crm.max_page_bytes()) and s.n <= v_limit;
  if v_found > cardinality(v_ids) then v_next_id := v_ids[cardinality(v_ids)]; end if;
  return crm.page(v_entries, v_next_id);
end
$$;
comment on function crm.timeline(uuid[], uuid, jsonb) is
  'A page of what happened with these deals, and of the contact''s activities, newest first. Leaves out the kinds of '
  'entries that the key has no scope to read. Without deals:read, shows only the id and the name of a deal. Shows '
  'moves to another stage only for the newest 20 deals, the last 90 days and the newest 1,000 events of a deal.';

create function api.company_timeline(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_id uuid := p_args ->> 'id';
begin
  perform api.company_get(p_args);
  return crm.timeline(crm.newest_deals('company_id', v_id, 250), null, p_args);
end
$$;
comment on function api.company_timeline(jsonb) is
  'The timeline of a company, latest entry first: the entries of its 250 newest deals. Raises not_found, merged.';

create function crm.deals_of_contact(p_contact_id uuid, p_most integer) returns uuid[]
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
begin
  return array(
    select d.id
    from (
      select m.id from unnest(crm.newest_deals('contact_id', p_contact_id, p_most)) m (id)
      union
      (
        select k.deal_id from crm.deal_contacts k
        -- Compared as one row value, which only one index can serve (as in api.<name>_list).
        where k.workspace_id = crm.current_workspace_id() and k.contact_id >= p_contact_id
          and (k.contact_id, k.deal_id) < (p_contact_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
        order by k.contact_id desc, k.deal_id desc limit p_most
      )
    ) d
    order by d.id desc limit p_most
  );
end
$$;
comment on function crm.deals_of_contact(uuid, integer) is
  'The ids of the newest p_most deals that have the contact as their main contact or as an additional contact.';

create function api.contact_timeline(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_id uuid := p_args ->> 'id';
begin
  perform api.contact_get(p_args);
  return crm.timeline(crm.deals_of_contact(v_id, 250), v_id, p_args);
end
$$;
comment on function api.contact_timeline(jsonb) is
  'The timeline of a contact, latest entry first: the entries of the contact''s 250 newest deals '
  '(crm.deals_of_contact), and the contact''s activities in other deals. Raises not_found, merged.';

create type crm.found as (
  type text, id uuid, name text, email text, phone text, company_id uuid, status text, value numeric, rank integer
);
comment on type crm.found is
  'A record that a search found. rank: crm.name_rank; 3 if the record was found only through its company.';

create function crm.name_rank(p_name text, p_q text) returns integer
language sql immutable parallel safe
as $$ select case when crm.fold(p_name) = p_q then 0 when starts_with(crm.fold(p_name), p_q) then 1 else 2 end $$;
comment on function crm.name_rank(text, text) is
  'How well a name fits the folded words of a search. 0: equals them; 1: begins with them; 2: otherwise.';

create function crm.find_records(p_q text, p_limit integer, p_types text[], p_by_company boolean) returns setof crm.found
language plpgsql stable set search_path = ''
-- crm.list_by explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_words jsonb := jsonb_build_object('q', p_q, 'limit', p_limit);
  v_q text := crm.fold(btrim(p_q));
  v_companies uuid[] := '{}';
  v_contacts uuid[] := '{}';
  v_deals uuid[] := '{}';
  c_first constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  if p_by_company then
    -- First the companies with this very name, which may be older than all that the search finds.
    v_companies := array(
      select c.id from crm.companies c
      where c.workspace_id = v_workspace_id and c.name_key = crm.name_key(p_q) and c.archived_at is null
      order by c.id desc limit p_limit
    );
    v_companies := v_companies || array(
      select k.id
      from crm.search_page('company', v_words, c_last, c_first, p_kept => true) s
      cross join lateral unnest(s.ids) with ordinality k (id, position)
      where k.id <> all (v_companies) order by k.position
    );
  end if;
  if 'contact' = any (p_types) then
    v_contacts := (select s.ids from crm.search_page('contact', v_words, c_last, c_first, p_kept => true) s);
  end if;
  if 'deal' = any (p_types) then
    v_deals := (select s.ids from crm.search_page('deal', v_words, c_last, c_first, p_kept => true) s);
  end if;
  v_companies := v_companies[:p_limit];
  return query
    select f.type, f.id, f.name, f.email, f.phone, f.company_id, f.status, f.value,
      case when f.is_direct then crm.name_rank(f.name, v_q) else 3 end
    from (
      select 'company' as type, c.id, c.name::text, c.email::text, c.phone::text, null::uuid as company_id,
        null::text as status, null::numeric as value, true as is_direct
      from crm.companies c
      where 'company' = any (p_types) and c.workspace_id = v_workspace_id and c.id = any (v_companies)
      union all
      select 'contact', c.id, c.name, c.email, c.phone, c.company_id, null, null, c.id = any (v_contacts)
      from crm.contacts c
      where c.workspace_id = v_workspace_id and c.id = any (v_contacts[:p_limit] || array(
        select of.id from unnest(v_companies[:10]) x (id)
        cross join lateral (
          select t.id from crm.contacts t
          where t.workspace_id = v_workspace_id and (t.company_id, t.id) < (x.id, c_last) and t.company_id >= x.id
            and t.company_id is not null and t.archived_at is null
          order by t.company_id desc, t.id desc limit 10
        ) of
        where 'contact' = any (p_types)
      ))
      union all
      select 'deal', d.id, d.title, null, null, d.company_id, d.status, d.value, d.id = any (v_deals)
      from crm.deals d
      where d.workspace_id = v_workspace_id and d.id = any (v_deals[:p_limit] || array(
        select of.id from unnest(v_companies[:10]) x (id)
        cross join lateral (
          select t.id from crm.deals t
          where t.workspace_id = v_workspace_id and (t.company_id, t.id) < (x.id, c_last) and t.company_id >= x.id
            and t.archived_at is null
          order by t.company_id desc, t.id desc limit 10
        ) of
        where 'deal' = any (p_types)
      ))
    ) f;
end
$$;
comment on function crm.find_records(text, integer, text[], boolean) is
  'The current workspace''s records of these types (company, contact, deal) with all the words, p_limit of each: the '
  'companies with this very name, then the newest. p_by_company: finds companies, and also the ten newest contacts and '
  'deals of each of the first ten companies found.';

create function api.search_list(p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- crm.list_by explains these settings.
set plan_cache_mode = 'force_generic_plan' set jit = off as $$
declare
  v_scopes jsonb := crm.own_key() #> '{key,scopes}';
  v_types jsonb := coalesce(p_args -> 'types', '["company", "contact", "deal"]');
  v_limit integer := p_args ->> 'limit';
begin
  return (
    select json_build_object('data', coalesce(json_agg(r.json), '[]'))
    from (
      select json_build_object(
        'type', f.type, 'id', f.id, 'name', f.name, 'email', f.email, 'phone', f.phone,
        'company', (
          select json_build_object('id', c.id, 'name', c.name) from crm.companies c
          where v_scopes ? 'companies:read' and c.workspace_id = crm.current_workspace_id() and c.id = f.company_id
        ),
        'status', f.status, 'value', f.value
      ) as json
      from crm.find_records(
        p_args ->> 'q', v_limit,
        array(
          select t.type
          from (values ('company', 'companies:read'), ('contact', 'contacts:read'), ('deal', 'deals:read')) t (type, scope)
          where v_types ? t.type and v_scopes ? t.scope
        ),
        v_scopes ? 'companies:read'
      ) f
      order by f.rank, f.id desc limit v_limit
    ) r
  );
end
$$;
comment on function api.search_list(jsonb) is
  'Companies, contacts and deals with all the words, best matches first, then the newest contacts and deals of the '
  'first ten companies found. Leaves out the types that the key has no scope to read.';

create function crm.duplicates(p_record text, p_column text, p_args jsonb) returns json
language plpgsql stable set search_path = ''
-- crm.list_by explains these settings.
set plan_cache_mode = 'force_generic_plan' set enable_sort = off set jit = off as $$
declare
  c_most constant integer := 2000;
  v_limit integer := p_args ->> 'limit';
  v_table text := crm.table_of(p_record);
  v_kind text := p_record || ' duplicates';
  v_after text;
  v_values text[];
  v_records json[];
  v_last text;
  v_groups json[];
  v_ends text[];
  v_next text;
  v_next_id uuid;
  v_cursor uuid;
begin
  if p_args ? 'cursor' then
    -- A cursor stores the id of the next page's first record, not its value, so that no erasure must search cursors for
    -- e-mail addresses. The client has not seen this record, so it has hardly changed its value.
    execute format(
      'select t.%I::text from crm.list_cursors c join crm.%I t on t.workspace_id = c.workspace_id and t.id = c.id'
      ' where c.workspace_id = $1 and c.cursor = $2 and c.record = $3 and c.sort = $4',
      p_column, v_table
    ) into v_after using crm.current_workspace_id(), (p_args ->> 'cursor')::uuid, v_kind, p_column;
    if v_after is null then
      perform api.fail(
        'invalid_cursor', array['cursor'],
        'Deve ser o meta.next_cursor de uma resposta desta lista com o mesmo by, das últimas 24 horas; se é, o registro '
        'em que a página começaria mudou: recomece sem cursor'
      );
    end if;
  end if;
  execute format(
    'select array_agg(w.value), array_agg(w.record) from ('
    'select t.%1$I::text as value, json_build_object(''id'', t.id, ''name'', t.name) as record from crm.%2$I t'
    ' where t.workspace_id = $1 and t.%1$I <> '''' and t.archived_at is null%3$s'
    ' order by t.%1$I, t.id limit $2) w',
    p_column, v_table, case when v_after is not null then format(' and t.%I >= %L', p_column, v_after) end
  ) into v_values, v_records using crm.current_workspace_id(), c_most + 1;
  -- Unread records may have the last value too, so leave that value to the next page. But if all records read have the
  -- same value, show it now, because the next page would read the same records.
  if cardinality(v_values) > c_most and v_values[1] <> v_values[c_most + 1] then v_last := v_values[c_most + 1]; end if;
  with grouped as (
    select v.value, min(v.position) as at, count(*) as count, (array_agg(v.record order by v.position))[:10] as records
    from unnest(v_values, v_records) with ordinality v (value, record, position)
    where v.value is distinct from v_last
    group by v.value
  ),
  shown as (
    select g.*, row_number() over (order by g.at) as n from grouped g where g.count > 1
  )
  select
    (
      select array_agg(json_build_object('value', s.value, 'count', s.count, 'records', s.records) order by s.at)
      from shown s where s.n <= v_limit + 1
    ),
    (select array_agg(s.value order by s.at) from shown s where s.n <= v_limit + 1),
    (select g.value from grouped g order by g.at desc limit 1)
  into v_groups, v_ends, v_next;
  if cardinality(v_groups) > v_limit then
    v_next := v_ends[v_limit];
  elsif coalesce(cardinality(v_values), 0) <= c_most then
    v_next := null;
  end if;
  if v_next is not null then
    execute format(
      'select t.id from crm.%1$I t where t.workspace_id = $1 and t.%2$I > $2 and t.archived_at is null'
      ' order by t.%2$I, t.id limit 1',
      v_table, p_column
    ) into v_next_id using crm.current_workspace_id(), v_next;
    if v_next_id is not null then v_cursor := crm.keep_cursor(v_kind, p_column, null, v_next_id); end if;
  end if;
  return crm.page(v_groups[:v_limit], v_cursor);
end
$$;
comment on function crm.duplicates(text, text, jsonb) is
  'A page of groups of unarchived records with the same value in a column, in the order of the column''s index. Reads '
  'at most 2,000 records, so a page may be short or empty although there is a next page. Raises invalid_cursor.';

create function api.contact_duplicates(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return crm.duplicates(
    'contact', case p_args ->> 'by' when 'email' then 'email' when 'phone' then 'phone_e164' end, p_args
  );
end
$$;
comment on function api.contact_duplicates(jsonb) is
  'Groups of unarchived contacts with the same e-mail address or phone number. Raises invalid_cursor.';

create function api.company_duplicates(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return crm.duplicates(
    'company',
    case p_args ->> 'by' when 'name' then 'name_key' when 'tax_id' then 'tax_id' when 'domain' then 'domain' end, p_args
  );
end
$$;
comment on function api.company_duplicates(jsonb) is
  'Groups of unarchived companies with the same name, tax id or domain. Raises invalid_cursor.';

-- Written by deno task records.

create function crm.list_filters(p_record text)
returns table (kind text, name text, target text, given text, sql text)
language sql immutable as $$
  select f.kind, f.name, f.target, f.given, f.sql
  from (
    values
      ('activity', 'list', null, 'crm.activities', null, null),
      ('activity', 'equality', 'deal_id', 'deal_id', null, '%L::uuid'),
      ('activity', 'equality', 'contact_id', 'contact_id', null, '%L::uuid'),
      ('activity', 'equality', 'owner_id', 'owner_id', null, '%L::uuid'),
      ('activity', 'several', 'type', 'type', null, '%L::text'),
      ('activity', 'several', 'status', 'status', null, '%L::text'),
      ('activity', 'deal', 'company_id', 'deal_id', null, 'company_id'),
      ('activity', 'range', 'is_overdue', 'due_at', 'true', 't.status = ''pendente'' and t.due_at < now()'),
      ('activity', 'condition', 'is_overdue', null, 'false', '(t.status <> ''pendente'' or t.due_at is null or t.due_at >= now())'),
      ('activity', '<', 'due_before', 'due_at', null, '%L::timestamptz'),
      ('activity', '>=', 'due_after', 'due_at', null, '%L::timestamptz'),
      ('activity', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('activity', 'sort', 'created_at', 'id', null, 'uuid'),
      ('activity', 'sort', 'updated_at', 'updated_at', null, 'timestamptz'),
      ('activity', 'sort', 'due_at', 'due_at', null, 'timestamptz'),
      ('company', 'list', null, 'crm.companies', null, 'crm.company_text(t)'),
      ('company', 'equality', 'name', 'name_key', null, 'coalesce(crm.name_key(%L), '''')'),
      ('company', 'equality', 'tax_id', 'tax_id', null, '%L::text'),
      ('company', 'equality', 'domain', 'domain', null, '%L::text'),
      ('company', 'equality', 'owner_id', 'owner_id', null, '%L::uuid'),
      ('company', 'unique', 'external_id', 'external_id', null, '%L::text'),
      ('company', 'shown', 'archived', null, 'false', 't.archived_at is null'),
      ('company', 'hidden', 'archived', null, 'true', 't.archived_at is not null'),
      ('company', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('company', 'sort', 'created_at', 'id', null, 'uuid'),
      ('company', 'sort', 'updated_at', 'updated_at', null, 'timestamptz'),
      ('contact', 'list', null, 'crm.contacts', null, 'crm.contact_text(t)'),
      ('contact', 'equality', 'email', 'email', null, '%L::text'),
      ('contact', 'equality', 'phone', 'phone_e164', null, 'coalesce(crm.e164(%L), '''')'),
      ('contact', 'equality', 'company_id', 'company_id', null, '%L::uuid'),
      ('contact', 'unique', 'external_id', 'external_id', null, '%L::text'),
      ('contact', 'shown', 'archived', null, 'false', 't.archived_at is null'),
      ('contact', 'hidden', 'archived', null, 'true', 't.archived_at is not null'),
      ('contact', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('contact', 'sort', 'created_at', 'id', null, 'uuid'),
      ('contact', 'sort', 'updated_at', 'updated_at', null, 'timestamptz'),
      ('deal', 'list', null, 'crm.deals', null, 'crm.deal_text(t)'),
      ('deal', 'several', 'status', 'status', null, '%L::text'),
      ('deal', 'equality', 'pipeline_id', 'pipeline_id', null, '%L::uuid'),
      ('deal', 'equality', 'stage_id', 'stage_id', null, '%L::uuid'),
      ('deal', 'equality', 'contact_id', 'contact_id', null, '%L::uuid'),
      ('deal', 'equality', 'company_id', 'company_id', null, '%L::uuid'),
      ('deal', 'equality', 'owner_id', 'owner_id', null, '%L::uuid'),
      ('deal', 'equality', 'external_id', 'external_id', null, '%L::text'),
      ('deal', 'shown', 'archived', null, 'false', 't.archived_at is null'),
      ('deal', 'hidden', 'archived', null, 'true', 't.archived_at is not null'),
      ('deal', '<', 'inactive_since', 'moved_at', null, '%L::timestamptz'),
      ('deal', '>=', 'closed_since', 'closed_at', null, '%L::timestamptz'),
      ('deal', '<', 'closed_until', 'closed_at', null, '%L::timestamptz'),
      ('deal', '>=', 'expected_close_since', 'expected_close_date', null, '%L::date'),
      ('deal', '<', 'expected_close_until', 'expected_close_date', null, '%L::date'),
      ('deal', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('deal', 'sort', 'created_at', 'id', null, 'uuid'),
      ('deal', 'sort', 'updated_at', 'updated_at', null, 'timestamptz'),
      ('deal', 'sort', 'value', 'value', null, 'numeric'),
      ('deal', 'sort', 'moved_at', 'moved_at', null, 'timestamptz'),
      ('deal', 'sort', 'expected_close_date', 'expected_close_date', null, 'date'),
      ('note', 'list', null, 'crm.notes', null, null),
      ('note', 'required', 'deal_id', 'deal_id', null, '%L::uuid'),
      ('note', 'several', 'kind', 'kind', null, '%L::text'),
      ('note', 'deal', 'company_id', 'deal_id', null, 'company_id'),
      ('note', 'deal', 'contact_id', 'deal_id', null, 'contact_id'),
      ('note', '>=', 'updated_since', 'updated_at', null, '%L::timestamptz'),
      ('note', 'sort', 'created_at', 'id', null, 'uuid'),
      ('note', 'sort', 'updated_at', 'updated_at', null, 'timestamptz')
  ) f (record, kind, name, target, given, sql)
  where f.record = p_record
$$;
comment on function crm.list_filters(text) is
  'How a record can be listed. Kind list: target is the table, sql the searched text. Kind sort: the list can be '
  'sorted by the column target, and sql is its type. Every other row is a filter. If given is a value, sql is the '
  'condition on row t when the call sends this value. If given is null, the column target is compared with sql, in '
  'which %L is the value sent. Kind range: an index has the column target. Kind shown: the condition also holds if '
  'the filter is absent. Kind hidden: few rows match. Kind deal: the column sql of the row''s deal must equal the '
  'value.';

create function crm.kept_walk(
  p_record text, p_args jsonb, p_before uuid, p_from uuid, p_rows integer, p_ids uuid[],
  out walked uuid[], out matches uuid[]
)
language plpgsql stable set search_path = '' as $$
declare
  v_since timestamptz := coalesce((p_args ->> 'updated_since')::timestamptz, '-infinity');
begin
  case p_record
    when 'activity' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since)
      into walked, matches
      from (
        (
          select t.id, t.updated_at from crm.activities t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id() and t.id < p_before and t.id >= p_from
          order by t.id desc limit p_rows
        )
        union all
        (
          select t.id, t.updated_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.activities t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'company' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since and t.archived_at is null)
      into walked, matches
      from (
        (
          select t.id, t.updated_at, t.archived_at from crm.companies t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id() and t.id < p_before and t.id >= p_from
          order by t.id desc limit p_rows
        )
        union all
        (
          select t.id, t.updated_at, t.archived_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'contact' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since and t.archived_at is null)
      into walked, matches
      from (
        (
          select t.id, t.updated_at, t.archived_at from crm.contacts t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id() and t.id < p_before and t.id >= p_from
          order by t.id desc limit p_rows
        )
        union all
        (
          select t.id, t.updated_at, t.archived_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.contacts t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'deal' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since and t.archived_at is null)
      into walked, matches
      from (
        (
          select t.id, t.updated_at, t.archived_at from crm.deals t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id() and t.id < p_before and t.id >= p_from
          order by t.id desc limit p_rows
        )
        union all
        (
          select t.id, t.updated_at, t.archived_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
    when 'note' then
      select array_agg(t.id), array_agg(t.id) filter (where t.updated_at >= v_since)
      into walked, matches
      from (
        (
          select t.id, t.updated_at from crm.notes t
          where p_ids is null
            and t.workspace_id = crm.current_workspace_id() and (t.deal_id, t.id) < ((p_args ->> 'deal_id')::uuid, p_before)
            and t.deal_id >= (p_args ->> 'deal_id')::uuid and t.deal_id = any (array[(p_args ->> 'deal_id')::uuid])
            and t.id < p_before and t.id >= p_from
          order by t.deal_id desc, t.id desc limit p_rows
        )
        union all
        (
          select t.id, t.updated_at from unnest(p_ids) with ordinality chosen (id, position)
          join crm.notes t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
          order by chosen.position
        )
      ) t;
  end case;
end
$$;
comment on function crm.kept_walk(text, jsonb, uuid, uuid, integer, uuid[]) is
  'Reads the newest rows of a list, or the rows of p_ids in their order. matches has the ids that the list shows '
  'without a filter, or with only updated_since.';

create function crm.updated_ids(p_record text, p_args jsonb, p_most integer) returns uuid[]
language plpgsql stable set search_path = '' as $$
declare
  v_since timestamptz := p_args ->> 'updated_since';
begin
  case p_record
    when 'activity' then
      return array(
        select t.id from crm.activities t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc limit p_most
      );
    when 'company' then
      return array(
        select t.id from crm.companies t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc limit p_most
      );
    when 'contact' then
      return array(
        select t.id from crm.contacts t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc limit p_most
      );
    when 'deal' then
      return array(
        select t.id from crm.deals t
        where t.workspace_id = crm.current_workspace_id() and t.updated_at >= v_since
        order by t.updated_at desc limit p_most
      );
    when 'note' then
      return array(
        select t.id from crm.notes t
        where t.workspace_id = crm.current_workspace_id() and t.deal_id = (p_args ->> 'deal_id')::uuid and t.updated_at >= v_since
        order by t.updated_at desc limit p_most
      );
  end case;
end
$$;
comment on function crm.updated_ids(text, jsonb, integer) is
  'The ids of a list''s rows that changed since updated_since, last changed first.';

create function crm.rest_of_page(
  p_record text, p_args jsonb, p_filters jsonb, p_before uuid, p_from uuid, inout ids uuid[], inout records json[],
  inout is_complete boolean, out next_id uuid
)
language plpgsql stable set search_path = '' as $$
declare
  v_limit integer := p_args ->> 'limit';
  v_listed uuid[];
  v_ids uuid[];
  v_records json[];
begin
  if not is_complete then
    -- A record without JSON is either long or hidden.
    p_before := ids[v_limit + 1];
    select w.matches into v_listed from crm.kept_walk(p_record, '{}', null, null, null, array(
      select r.id from unnest(ids, records) r (id, record) where r.record is null
    )) w;
    select array_agg(r.id order by r.position), array_agg(r.record order by r.position), count(r.record) = count(*)
    into ids, records, is_complete
    from unnest(ids, records) with ordinality r (id, record, position)
    where r.record is not null or r.id = any (v_listed);
    v_limit := v_limit - coalesce(cardinality(ids), 0);
    if p_before is null or v_limit < 0 then return; end if;
  end if;
  if p_args ? 'q' then
    select page.ids, page.next_id into v_ids, next_id from crm.search_page(
      p_record, p_args || jsonb_build_object('limit', v_limit), p_before, p_from, p_kept => p_filters - 'q' = '{}'
    ) page;
  else
    select page.ids, page.next_id into v_ids, next_id from crm.list_by(
      p_record, p_args || jsonb_build_object('limit', v_limit), p_before, p_from,
      p_kept => p_filters - 'updated_since' = '{}'
    ) page;
  end if;
  case p_record
    when 'activity' then
      v_records := array(
        select crm.activity_json_if_short(t) from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
        join crm.activities t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        order by chosen.position
      );
    when 'company' then
      v_records := array(
        select crm.company_json_if_short(t) from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
        join crm.companies t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        order by chosen.position
      );
    when 'contact' then
      v_records := array(
        select crm.contact_json_if_short(t) from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
        join crm.contacts t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        order by chosen.position
      );
    when 'deal' then
      v_records := array(
        select crm.deal_json_if_short(t) from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
        join crm.deals t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        order by chosen.position
      );
    when 'note' then
      v_records := array(
        select crm.note_json_if_short(t) from unnest(v_ids[:v_limit]) with ordinality chosen (id, position)
        join crm.notes t on t.workspace_id = crm.current_workspace_id() and t.id = chosen.id
        order by chosen.position
      );
  end case;
  is_complete := coalesce(is_complete, true) and num_nulls(variadic v_records) = 0;
  ids := ids || v_ids;
  records := records || v_records;
end
$$;
comment on function crm.rest_of_page(text, jsonb, jsonb, uuid, uuid, uuid[], json[], boolean) is
  'Completes a page whose statement found hidden or long records: drops the hidden ones, and finds as many later '
  'records. If ids is null, finds the whole page, for filters that have no statement of their own.';

create function crm.bounded_records(p_record text, p_ids uuid[], p_records json[]) returns json[]
language plpgsql stable set search_path = '' as $$
declare
  v_record json;
  v_records json[];
  v_bytes integer := 0;
begin
  for v_position in 1 .. cardinality(p_ids) loop
    v_record := p_records[v_position];
    if v_record is null then
      case p_record
        when 'activity' then
          select crm.activity_json(t) into v_record from crm.activities t
          where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
        when 'company' then
          select crm.company_json(t) into v_record from crm.companies t
          where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
        when 'contact' then
          select crm.contact_json(t) into v_record from crm.contacts t
          where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
        when 'deal' then
          select crm.deal_json(t) into v_record from crm.deals t
          where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
        when 'note' then
          select crm.note_json(t) into v_record from crm.notes t
          where t.workspace_id = crm.current_workspace_id() and t.id = p_ids[v_position];
      end case;
    end if;
    v_bytes := v_bytes + pg_column_size(v_record);
    -- Show the first record however long it is: otherwise the next page would begin with it again.
    exit when v_bytes > crm.max_page_bytes() and v_position > 1;
    v_records := v_records || v_record;
  end loop;
  return v_records;
end
$$;
comment on function crm.bounded_records(text, uuid[], json[]) is
  'The first records of a page, as many as its maximum of bytes allows. Builds those that are null in p_records.';

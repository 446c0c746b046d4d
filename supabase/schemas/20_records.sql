-- Functions that all verbs share: pages, references, partial updates.

create type api.page_meta as (next_cursor uuid, has_more boolean);
comment on type api.page_meta is 'The cursor of the next page, and whether there is one.';

create type api.page as (data json[], meta api.page_meta);
comment on type api.page is 'A page of a list (spec 4.0); `data` is an array of records.';

create function crm.max_page_bytes() returns integer
language sql immutable parallel safe
as $$ select 500000 $$;
comment on function crm.max_page_bytes() is
  'The size in bytes of JSON at which a page ends, even if the page has fewer records than its limit. 200 records of '
  'maximum length would have 20 MB.';

create function crm.page(p_records json[], p_next_id uuid) returns json
language sql stable
-- Must stay one expression, so that Postgres inlines it: passing the records to a function would copy the whole page.
as $$
  select to_json(row(coalesce(p_records, '{}'), row(p_next_id, p_next_id is not null)::api.page_meta)::api.page)
$$;
comment on function crm.page(json[], uuid) is
  'Builds a page of a list (spec 4.0). p_next_id is the cursor of the next page; null if there is no next page.';

create function crm.synced_page(p_records json[], p_next_id uuid) returns json
language sql stable
-- updated_at is the time when the writing transaction began, but others see the change only when that transaction ends,
-- within 15 seconds. So synced_until is 60 seconds ago: a change that is not visible yet has a later updated_at, and
-- the client's next run gets it. Only the first page has synced_until, so that the next run also gets changes made
-- while the client reads later pages.
as $$
  select json_build_object('data', coalesce(p_records, '{}'), 'meta', json_build_object(
    'next_cursor', p_next_id, 'has_more', p_next_id is not null,
    'synced_until', crm.iso(now() - interval '60 seconds')
  ))
$$;
comment on function crm.synced_page(json[], uuid) is
  'crm.page for the first page by updated_since. Adds synced_until (60 seconds ago), which a client sends as '
  'updated_since in its next run. The two runs together miss no change by a transaction shorter than 60 seconds.';

create function crm.table_of(p_object_type text) returns text
language sql immutable
as $$
  select case p_object_type when 'company' then 'companies' when 'activity' then 'activities' else p_object_type || 's' end
$$;
comment on function crm.table_of(text) is
  'The table for a kind of record, such as companies for company. It is also the resource in the scopes for that kind.';

create function crm.require_record(p_record json) returns json
language plpgsql immutable set search_path = '' as $$
begin
  if p_record is null then perform api.fail('not_found'); end if;
  return p_record;
end
$$;
comment on function crm.require_record(json) is 'Returns the record; raises not_found if it is null.';

create function crm.changes(p_object_type text, p_current jsonb, p_args jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  p_args := crm.checked_values(p_object_type, p_args, p_current);
  -- A null owner_id means the default owner. Replace it here, so that nothing changes if the record already has that
  -- owner. For activities, crm.with_activity_defaults replaces the null.
  if p_object_type <> 'activity' and p_args -> 'owner_id' = 'null' then
    p_args := jsonb_set(p_args, '{owner_id}', to_jsonb(crm.owner_or_default(null)));
  end if;
  return (
    select coalesce(jsonb_object_agg(a.key, a.value), '{}')
    from jsonb_each(p_args) a
    where a.key not in ('id', 'if_match') and p_current -> a.key is distinct from a.value
  );
end
$$;
comment on function crm.changes(text, jsonb, jsonb) is
  'The arguments of a PATCH that differ from the record. Unchanged references are left out and not checked again, '
  'because a client may send back what it read. Raises the codes of crm.checked_values.';

create function crm.version(p_record json) returns text
language plpgsql immutable set search_path = '' as $$
declare
  v_text text := regexp_replace(p_record::text, ',"is_overdue":(true|false)', '');
begin
  return left(encode(sha256(convert_to(v_text, 'UTF8')), 'hex'), 16);
end
$$;
comment on function crm.version(json) is
  'The version of a record, for ETag, computed from its public JSON without is_overdue, which changes with the clock.';

create function crm.lock_matches(variadic p_values jsonb[]) returns void
language plpgsql set search_path = ''
-- A generic plan, because planning again for each number of values would take twice as long as the locks.
set plan_cache_mode = 'force_generic_plan' as $$
begin
  if current_setting('app.matches_locked', true) = 'true' then return; end if;
  perform pg_advisory_xact_lock_shared(crm.lock_number('matches ' || crm.current_workspace_id()));
  -- Sorted, so that two calls that share two of these values cannot deadlock.
  perform pg_advisory_xact_lock(k.number)
  from (
    select crm.lock_number('match ' || crm.current_workspace_id() || ' ' || v.key || ' ' || v.value) as number
    from unnest(p_values) p (values), jsonb_each_text(p.values) v
    where v.value is not null
    order by number
  ) k;
end
$$;
comment on function crm.lock_matches(jsonb[]) is
  'Locks these values until the transaction ends. Without the lock, two calls could both find no record with a value, '
  'and both create one. Each key names the kind of value, such as `contact email`. Null values lock nothing.';

create function crm.lock_all_matches() returns void
language plpgsql set search_path = '' as $$
begin
  perform pg_advisory_xact_lock(crm.lock_number('matches ' || crm.current_workspace_id()));
  perform set_config('app.matches_locked', 'true', true);
end
$$;
comment on function crm.lock_all_matches() is
  'Locks all values of the workspace with one lock, instead of crm.lock_matches. A batch would need hundreds of '
  'locks, and Postgres has room for only a few thousand for all workspaces together.';

create function crm.owner_or_default(p_owner_id uuid) returns uuid
language plpgsql stable set search_path = '' as $$
declare
  v_owner_id uuid := coalesce(p_owner_id, crm.default_owner());
begin
  if v_owner_id is null then perform api.fail('no_owner_available'); end if;
  return v_owner_id;
end
$$;
comment on function crm.owner_or_default(uuid) is
  'The owner named by the call, otherwise the default owner; raises no_owner_available if there is none (spec 4.2).';

create function crm.with_fields(p_record json, p_fields json) returns json
language sql immutable parallel safe
-- Joined as text, because jsonb does not keep the order of fields.
as $$ select (left(p_record::text, -1) || ',' || substr(p_fields::text, 2))::json $$;
comment on function crm.with_fields(json, json) is
  'Appends fields to the public JSON of a record. Both arguments must be non-empty objects from to_json or '
  'json_build_object, without spaces around their braces.';

create function crm.with_possible_duplicates(p_reply json, p_ids text) returns json
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  return case
    when p_ids is null or p_ids = '' then p_reply
    else crm.with_fields(p_reply, json_build_object('X-Possible-Duplicate', p_ids))
  end;
end
$$;
comment on function crm.with_possible_duplicates(json, text) is
  'Adds a last field to the reply to a creation: the ids of similar records, separated by commas. The edge function '
  'sends that field as a header, also when it repeats a stored reply.';

create function crm.creation_json(p_args jsonb, p_record json, p_alike uuid[]) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_ids uuid[];
begin
  -- Most records resemble no other record.
  if p_alike = '{}' and p_args ->> 'prefer' is null then return p_record; end if;
  v_ids := array(select distinct a from unnest(p_alike) a order by a limit 5);
  if p_args ->> 'prefer' = 'representation' then
    p_record := crm.with_fields(p_record, json_build_object('possible_duplicates', v_ids));
  end if;
  return crm.with_possible_duplicates(p_record, array_to_string(v_ids, ', '));
end
$$;
comment on function crm.creation_json(jsonb, json, uuid[]) is
  'The reply to a creation: the record or its id, and the ids of similar records, at most the five oldest.';

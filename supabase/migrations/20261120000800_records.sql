-- Functions that the verbs of every record share: lists, references, partial updates.

create type api.page_meta as (next_cursor uuid, has_more boolean);
comment on type api.page_meta is 'The cursor of the next page, and whether there is one.';

create type api.page as (data json, meta api.page_meta);
comment on type api.page is 'A page of a list (spec 4.0); `data` is an array of records.';

create function crm.max_page_bytes() returns integer
language sql immutable parallel safe
as $$ select 2000000 $$;
comment on function crm.max_page_bytes() is
  'The bytes of JSON at which a page ends before its limit, because 200 records of the greatest length are 20 MB.';

create function crm.page(p_records json[], p_next_id uuid) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  return to_json(row(
    coalesce(array_to_json(p_records), '[]'),
    row(p_next_id, p_next_id is not null)::api.page_meta
  )::api.page);
end
$$;
comment on function crm.page(json[], uuid) is
  'Builds a page of a list (spec 4.0). p_next_id is where the next page continues; null: there is none.';

create function crm.require_record(p_record json) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_record is null then
    perform api.fail('not_found');
  end if;
  return p_record;
end
$$;
comment on function crm.require_record(json) is 'Returns the record; raises not_found if it is null.';

-- written by deno task records: references
create function crm.check_references(p_args jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_field text;
  v_id uuid;
  v_exists boolean;
  v_missing text[] := '{}';
begin
  foreach v_field in array array['company_id', 'contact_id', 'deal_id', 'loss_reason_id', 'owner_id', 'stage_id'] loop
    v_id := p_args ->> v_field;
    continue when v_id is null;
    case v_field
      when 'company_id' then
        v_exists := exists (
          select from crm.companies t where t.workspace_id = v_workspace_id and t.id = v_id
        );
      when 'contact_id' then
        v_exists := exists (
          select from crm.contacts t where t.workspace_id = v_workspace_id and t.id = v_id
        );
      when 'deal_id' then
        v_exists := exists (
          select from crm.deals t where t.workspace_id = v_workspace_id and t.id = v_id
        );
      when 'loss_reason_id' then
        v_exists := exists (
          select from crm.loss_reasons t where t.workspace_id = v_workspace_id and t.id = v_id and t.is_active
        );
      when 'owner_id' then
        v_exists := exists (
          select from crm.members t where t.workspace_id = v_workspace_id and t.id = v_id and t.is_active
        );
      when 'stage_id' then
        v_exists := exists (
          select from crm.stages t where t.workspace_id = v_workspace_id and t.id = v_id
        );
    end case;
    if not v_exists then
      v_missing := v_missing || v_field;
    end if;
  end loop;
  if v_missing <> '{}' then
    perform api.fail('invalid_reference', v_missing);
  end if;
end
$$;
comment on function crm.check_references(jsonb) is
  'Raises invalid_reference with every field whose record is not of the workspace, or is not active.';
-- end of what is written

create function crm.changes(p_current jsonb, p_args jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(a.key, a.value), '{}')
    from jsonb_each(p_args) a
    where a.key <> 'id' and p_current -> a.key is distinct from a.value
  );
end
$$;
comment on function crm.changes(jsonb, jsonb) is
  'The arguments of a PATCH that differ from the record. A client may send back what it read: a reference that does '
  'not change is not checked again.';

create function crm.owner_or_default(p_owner_id uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_owner_id uuid := coalesce(p_owner_id, crm.default_owner());
begin
  if v_owner_id is null then
    perform api.fail('no_owner_available');
  end if;
  return v_owner_id;
end
$$;
comment on function crm.owner_or_default(uuid) is
  'The owner that the call names, otherwise the default one; raises no_owner_available if there is none (spec 4.2).';

create function crm.with_fields(p_record json, p_fields json) returns json
language sql immutable parallel safe
-- Joined as text, because jsonb does not keep the order of the fields.
as $$ select (left(p_record::text, -1) || ',' || substr(p_fields::text, 2))::json $$;
comment on function crm.with_fields(json, json) is
  'Appends fields to the public JSON of a record. Both arguments must be non-empty objects from to_json or '
  'json_build_object, without space around their braces.';

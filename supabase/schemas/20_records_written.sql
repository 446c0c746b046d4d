-- Written by deno task records.

create type crm.event_type as enum (
  'deal.stage_changed', 'deal.won', 'deal.lost', 'deal.stale', 'activity.created', 'activity.overdue',
  'proposal.viewed', 'deal.created', 'contact.created', 'lead.received', 'proposal.accepted', 'proposal.rejected',
  'contact.updated', 'company.created', 'company.updated', 'deal.updated', 'deal.reopened', 'deal.contact_added',
  'deal.contact_removed', 'activity.updated', 'activity.completed', 'note.created', 'contact.merged', 'contact.erased'
);
comment on type crm.event_type is 'The event catalogue of spec 6.1.';

create table crm.event_types (
  event crm.event_type primary key,
  object_type text not null,
  is_change boolean not null
);
comment on table crm.event_types is 'The type of object of each event (spec 6.2).';
comment on column crm.event_types.is_change is
  'Whether the change log shows the event. The log shows one event for each change, but no event that repeats a change '
  'and none that time causes.';
alter table crm.event_types enable row level security, force row level security;
create policy "Every caller reads the catalogue" on crm.event_types for select to crm_api, crm_app using (true);
insert into crm.event_types (event, object_type, is_change) values
  ('deal.stage_changed', 'deal', false), ('deal.won', 'deal', false), ('deal.lost', 'deal', false),
  ('deal.stale', 'deal', false), ('activity.created', 'activity', true), ('activity.overdue', 'activity', false),
  ('proposal.viewed', 'proposal', true), ('deal.created', 'deal', true), ('contact.created', 'contact', true),
  ('lead.received', 'deal', false), ('proposal.accepted', 'proposal', true), ('proposal.rejected', 'proposal', true),
  ('contact.updated', 'contact', true), ('company.created', 'company', true), ('company.updated', 'company', true),
  ('deal.updated', 'deal', true), ('deal.reopened', 'deal', false), ('deal.contact_added', 'deal', true),
  ('deal.contact_removed', 'deal', true), ('activity.updated', 'activity', true),
  ('activity.completed', 'activity', false), ('note.created', 'note', true), ('contact.merged', 'contact', true),
  ('contact.erased', 'contact', true);

create function crm.require_references(p_args jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid;
  v_field text;
  v_id uuid;
  v_missing text[] := '{}';
begin
  -- Skip the loop for most creations, which refer to no record.
  if not p_args ?| '{company_id,contact_id,deal_id,loss_reason_id,owner_id,stage_id}' then return p_args; end if;
  v_workspace_id := crm.current_workspace_id();
  foreach v_field in array array['company_id', 'contact_id', 'deal_id', 'loss_reason_id', 'owner_id', 'stage_id'] loop
    v_id := p_args ->> v_field;
    continue when v_id is null;
    case v_field
      when 'company_id' then
        perform from crm.companies t
        where t.workspace_id = v_workspace_id and t.id = v_id and t.merged_into_id is null
        for key share;
      when 'contact_id' then
        perform from crm.contacts t
        where t.workspace_id = v_workspace_id and t.id = v_id and t.merged_into_id is null and t.erased_at is null
        for key share;
      when 'deal_id' then
        perform from crm.deals t where t.workspace_id = v_workspace_id and t.id = v_id;
      when 'loss_reason_id' then
        perform from crm.loss_reasons t where t.workspace_id = v_workspace_id and t.id = v_id and t.is_active;
      when 'owner_id' then
        perform from crm.members t where t.workspace_id = v_workspace_id and t.id = v_id and t.is_active;
      when 'stage_id' then
        perform from crm.stages t where t.workspace_id = v_workspace_id and t.id = v_id;
    end case;
    if not found then v_missing := v_missing || v_field; end if;
  end loop;
  if v_missing <> '{}' then perform api.fail('invalid_reference', v_missing); end if;
  return p_args;
end
$$;
comment on function crm.require_references(jsonb) is
  'Returns the arguments; raises invalid_reference with every field whose record is outside the workspace, inactive, '
  'merged or erased. Locks contacts and companies until the transaction ends, as their foreign keys would do later.';

create function crm.expanded(p_records json[], p_names jsonb) returns json[]
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_scopes jsonb := case when p_names ?| '{deal,contact,company}' then crm.own_key() #> '{key,scopes}' end;
begin
  return (
    select array_agg(crm.with_fields(r.record, ('{' || concat_ws(',',
      case when p_names ? 'deal' then '"deal" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.title)::text from crm.deals t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'deal_id')::uuid and v_scopes ? 'deals:read'
      ), 'null') end,
      case when p_names ? 'contact' then '"contact" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.contacts t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'contact_id')::uuid and v_scopes ? 'contacts:read'
      ), 'null') end,
      case when p_names ? 'owner' then '"owner" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.members t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'owner_id')::uuid
      ), 'null') end,
      case when p_names ? 'created_by' then '"created_by" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.members t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'created_by_id')::uuid
      ), 'null') end,
      case when p_names ? 'company' then '"company" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.companies t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'company_id')::uuid and v_scopes ? 'companies:read'
      ), 'null') end,
      case when p_names ? 'pipeline' then '"pipeline" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.pipelines t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'pipeline_id')::uuid
      ), 'null') end,
      case when p_names ? 'stage' then '"stage" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name, 'type', t.type)::text from crm.stages t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'stage_id')::uuid
      ), 'null') end,
      case when p_names ? 'loss_reason' then '"loss_reason" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.loss_reasons t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'loss_reason_id')::uuid
      ), 'null') end,
      case when p_names ? 'author' then '"author" : ' || coalesce((
        select json_build_object('id', t.id, 'name', t.name)::text from crm.members t
        where t.workspace_id = v_workspace_id and t.id = (j.fields ->> 'author_id')::uuid
      ), 'null') end
    ) || '}')::json) order by r.position)
    from unnest(p_records) with ordinality r (record, position)
    -- Without the offset, the planner would copy the cast to each name, and Postgres would parse the record each time.
    cross join lateral (select r.record::jsonb as fields offset 0) j
  );
end
$$;
comment on function crm.expanded(json[], jsonb) is
  'Adds to each record what p_names lists: for owner, the id and name of the record in owner_id; null if the key may '
  'not read that kind of record. p_names has at least one name.';

create function crm.expanded(p_record json, p_names jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_array_length(p_names) > 0 then return (crm.expanded(array[p_record], p_names))[1]; end if;
  return p_record;
end
$$;
comment on function crm.expanded(json, jsonb) is 'Adds the named records to one record; p_names may be null or empty.';

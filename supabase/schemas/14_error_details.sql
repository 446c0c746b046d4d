-- Details of errors, so that a caller can correct the call from the reply alone. They are computed only after a verb
-- has failed, so they cost successful calls nothing.

create function crm.kind_of(p_id uuid) returns text
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
begin
  return (
    select k.kind
    from (
      select 'contact' as kind from crm.contacts t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'company' from crm.companies t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'deal' from crm.deals t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'activity' from crm.activities t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'note' from crm.notes t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'owner' from crm.members t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'pipeline' from crm.pipelines t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'stage' from crm.stages t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'loss_reason' from crm.loss_reasons t where t.workspace_id = v_workspace_id and t.id = p_id
      union all
      select 'webhook' from crm.webhook_subscriptions t where t.workspace_id = v_workspace_id and t.id = p_id
    ) k
    limit 1
  );
end
$$;
comment on function crm.kind_of(uuid) is
  'The kind of the record with this id in the caller''s workspace; null if there is no such record.';

create function crm.choices(p_field text, p_verb text, p_args jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  c_most constant integer := 20;
  v_workspace_id uuid := crm.current_workspace_id();
  -- The pipeline whose stages are offered. Null for a filter by stage alone, which offers the stages of all pipelines.
  v_pipeline_id uuid := case when p_field = 'stage_id' then coalesce(
    (
      select p.id from crm.pipelines p
      where p.workspace_id = v_workspace_id and p.id = (p_args ->> 'pipeline_id')::uuid and p.is_active
    ),
    (
      select d.pipeline_id from crm.deals d
      where d.workspace_id = v_workspace_id and d.id = (p_args ->> 'id')::uuid
    ),
    (
      select d.pipeline_id from crm.deals d
      where d.workspace_id = v_workspace_id and d.external_id = p_args ->> 'external_id' and p_verb = 'deal_upsert'
      limit 1
    ),
    (
      select p.id from crm.pipelines p
      where p.workspace_id = v_workspace_id and p.is_default
        and p_verb not in ('deal_list', 'deal_summary', 'webhook_create', 'webhook_update')
    )
  ) end;
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_strip_nulls(jsonb_build_object('id', c.id, 'name', c.name, 'type', c.type))
        order by c.pipeline_id, c.position, c.id
      ),
      '[]'
    )
    from (
      select t.id, t.name::text, null::text as type, null::uuid as pipeline_id, 0 as position
      from crm.members t
      where p_field in ('owner_id', 'to_owner_id') and t.workspace_id = v_workspace_id and t.is_active
      union all
      select t.id, t.name, null, null, 0 from crm.loss_reasons t
      where p_field = 'loss_reason_id' and t.workspace_id = v_workspace_id and t.is_active
      union all
      select t.id, t.name, null, null, 0 from crm.pipelines t
      where p_field = 'pipeline_id' and t.workspace_id = v_workspace_id and t.is_active
      union all
      select t.id, t.name, t.type, t.pipeline_id, t.position from crm.stages t
      join crm.pipelines p on p.workspace_id = t.workspace_id and p.id = t.pipeline_id and p.is_active
      where p_field = 'stage_id' and t.workspace_id = v_workspace_id and t.is_active
        and t.pipeline_id = coalesce(v_pipeline_id, t.pipeline_id)
      limit c_most + 1
    ) c
    having count(*) <= c_most and p_field in ('owner_id', 'to_owner_id', 'loss_reason_id', 'pipeline_id', 'stage_id')
  );
end
$$;
comment on function crm.choices(text, text, jsonb) is
  'The values that a call may send in a field: active members, loss reasons or pipelines, or the active stages of the '
  'call''s pipeline with their types. Empty if the workspace has none. Null for any other field, or if there are more '
  'than 20 values.';

create function crm.unusable_detail(p_kind text, p_id uuid) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
begin
  if p_kind in ('owner', 'loss_reason') then return '{"message": "Está inativo"}'; end if;
  return coalesce(
    (
      select case
        when u.merged_into_id is not null then jsonb_build_object('id', u.merged_into_id, 'code', 'merged')
        when u.is_erased then '{"code": "record_erased"}'
      end
      from (
        select t.merged_into_id, t.erased_at is not null as is_erased from crm.contacts t
        where p_kind = 'contact' and t.workspace_id = v_workspace_id and t.id = p_id
        union all
        select t.merged_into_id, false from crm.companies t
        where p_kind = 'company' and t.workspace_id = v_workspace_id and t.id = p_id
      ) u
    ),
    '{}'
  );
end
$$;
comment on function crm.unusable_detail(text, uuid) is
  'Why a record of the caller''s workspace cannot be referred to, as fields of an error detail: it was merged into '
  '`id`, it was erased, or it is inactive. Empty for any other record. Callers pass no active member or loss reason.';

create function crm.explain(p_code text, p_details json, p_verb text, p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  -- The kind of record that the verb is about.
  v_own text := regexp_replace(split_part(p_verb, '_', 1), '^(subscription|delivery)$', 'webhook');
  v_told text := coalesce(current_setting('app.choices_told', true), '');
  v_detail jsonb;
  v_details jsonb[];
  v_field text;
  v_kind text;
  v_choices jsonb;
begin
  if p_code not in ('not_found', 'invalid_reference', 'pipeline_not_found', 'stage_not_found') then
    return p_details;
  end if;
  for v_detail in
    select d.detail
    from jsonb_array_elements(coalesce(p_details::jsonb, '[{"field": "id", "message": null, "id": null}]')) d (detail)
  loop
    v_field := v_detail ->> 'field';
    v_kind := case when (p_args ->> v_field) ~ '^[0-9a-fA-F-]{36}$' then crm.kind_of((p_args ->> v_field)::uuid) end;
    if v_kind is distinct from (case
      when v_field in ('id', 'merge_id') then v_own
      else regexp_replace(left(v_field, -3), '^(from|to)_', '')
    end) then
      v_detail := v_detail || jsonb_strip_nulls(jsonb_build_object('kind', v_kind));
    elsif p_code = 'invalid_reference' then
      v_detail := v_detail || crm.unusable_detail(v_kind, (p_args ->> v_field)::uuid);
    end if;
    -- Each field's choices appear only once in a reply, because a batch could repeat them a hundred times.
    v_field := regexp_replace(v_field, '^filters\.', '');
    v_choices := case when position(v_field in v_told) = 0 then crm.choices(v_field, p_verb, p_args) end;
    if v_choices is not null then
      v_told := concat_ws(' ', v_told, v_field);
      v_detail := v_detail || jsonb_build_object('choices', v_choices);
    end if;
    v_details := v_details || v_detail;
  end loop;
  perform set_config('app.choices_told', v_told, true);
  -- An error without details is about the call's id. It gets details only if that id belongs to another kind of record.
  return case when p_details is not null or v_details[1] ? 'kind' then array_to_json(v_details) end;
end
$$;
comment on function crm.explain(text, json, text, jsonb) is
  'The details of an error. Adds `kind` if an id belongs to another kind of record, why a record cannot be referred to '
  '(crm.unusable_detail), and `choices` if the field has at most 20 possible values.';

create function crm.require_known_filters(p_args jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_unknown text[];
begin
  if not p_args ?| '{owner_id,pipeline_id,stage_id}' then return; end if;
  v_unknown := array_remove(
    array[
      case when p_args ? 'owner_id' and not exists (
        select from crm.members t where t.workspace_id = v_workspace_id and t.id = (p_args ->> 'owner_id')::uuid
      ) then 'owner_id' end,
      case when p_args ? 'pipeline_id' and not exists (
        select from crm.pipelines t where t.workspace_id = v_workspace_id and t.id = (p_args ->> 'pipeline_id')::uuid
      ) then 'pipeline_id' end,
      case when p_args ? 'stage_id' and not exists (
        select from crm.stages t where t.workspace_id = v_workspace_id and t.id = (p_args ->> 'stage_id')::uuid
      ) then 'stage_id' end
    ],
    null
  );
  if v_unknown <> '{}' then perform api.fail('invalid_reference', v_unknown); end if;
end
$$;
comment on function crm.require_known_filters(jsonb) is
  'Raises invalid_reference for a filter by an owner, pipeline or stage that the workspace never had. Inactive owners, '
  'pipelines and stages are accepted, so that their records can be listed. Without `sort`, lists and sums call this '
  'function only if they found nothing.';

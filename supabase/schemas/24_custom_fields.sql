-- The verbs for the definitions of custom fields (23_values.sql).

create type api.custom_field as (
  id uuid, object_type text, key text, label text, type text, choices text[], archived_at text, created_at text,
  updated_at text
);
comment on type api.custom_field is 'A defined custom field: its public fields, in order.';

create function crm.custom_field_json(d crm.custom_fields) returns json
language sql stable as $$
  select to_json(row(
    d.id, d.object_type, d.key, d.label, d.type, d.choices, crm.iso(d.archived_at), crm.iso(d.created_at),
    crm.iso(d.updated_at)
  )::api.custom_field)
$$;
comment on function crm.custom_field_json(crm.custom_fields) is 'A definition as public JSON.';

create function crm.lock_custom_fields() returns void
language plpgsql set search_path = ''
as $$ begin perform pg_advisory_xact_lock(crm.lock_number('custom fields ' || crm.current_workspace_id())); end $$;
comment on function crm.lock_custom_fields() is
  'Makes calls that change definitions of the workspace wait for each other until the transaction ends. So two '
  'simultaneous calls cannot exceed the maximum.';

create function crm.custom_field_lock(p_id uuid) returns crm.custom_fields
language plpgsql set search_path = '' as $$
declare
  d crm.custom_fields;
begin
  perform crm.lock_custom_fields();
  select f.* into d from crm.custom_fields f where f.workspace_id = crm.current_workspace_id() and f.id = p_id;
  if not found then perform api.fail('not_found'); end if;
  return d;
end
$$;
comment on function crm.custom_field_lock(uuid) is
  'Locks the workspace''s definitions until the transaction ends; returns the definition with this id. Raises '
  'not_found.';

create function crm.custom_field_room(p_object_type text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if (
    select count(*) >= 50 from crm.custom_fields f
    where f.workspace_id = crm.current_workspace_id() and f.object_type = p_object_type and f.archived_at is null
  ) then
    perform api.fail(
      'validation_error', array['object_type'],
      'Já há 50 campos em uso deste tipo de registro, o máximo; arquive um antes'
    );
  end if;
end
$$;
comment on function crm.custom_field_room(text) is
  'Raises validation_error if the workspace already uses 50 fields for this kind of record, the maximum.';

create function api.custom_field_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return json_build_object('data', (
    select coalesce(json_agg(crm.custom_field_json(f) order by f.object_type, f.id), '[]')
    from crm.custom_fields f
    where f.workspace_id = crm.current_workspace_id()
  ));
end
$$;
comment on function api.custom_field_list(jsonb) is 'Lists the definitions by kind of record, including archived ones.';

create function api.custom_field_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  d crm.custom_fields;
begin
  perform crm.lock_custom_fields();
  select f.* into d from crm.custom_fields f
  where f.workspace_id = crm.current_workspace_id() and f.object_type = p_args ->> 'object_type'
    and f.key = p_args ->> 'key';
  if found then
    perform api.fail('validation_error', array['key'], case when d.archived_at is null
      then 'Já há um campo com esta chave; altere-o com PATCH /api-v1-workspace/custom-fields/' || d.id
      else 'Um campo arquivado tem esta chave; volte a usá-lo com POST /api-v1-workspace/custom-fields/' || d.id || '/restore'
    end);
  end if;
  perform crm.custom_field_room(p_args ->> 'object_type');
  insert into crm.custom_fields (workspace_id, object_type, key, label, type, choices)
  values (
    crm.current_workspace_id(), p_args ->> 'object_type', p_args ->> 'key', coalesce(p_args ->> 'label', p_args ->> 'key'),
    p_args ->> 'type', case when p_args ? 'choices' then array(select jsonb_array_elements_text(p_args -> 'choices')) end
  )
  returning * into d;
  return crm.custom_field_json(d);
end
$$;
comment on function api.custom_field_create(jsonb) is
  'Defines a custom field and returns it. Raises validation_error if a field (even an archived one) has the key, or if '
  '50 fields of this kind of record are in use.';

create function api.custom_field_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  d crm.custom_fields := crm.custom_field_lock((p_args ->> 'id')::uuid);
  v_label text := coalesce(p_args ->> 'label', d.label);
  v_choices text[] := d.choices;
begin
  if p_args ? 'choices' and d.choices is null then
    perform api.fail('validation_error', array['choices'], format('Um campo do tipo %s não tem opções', d.type));
  end if;
  if p_args ? 'choices' then v_choices := array(select jsonb_array_elements_text(p_args -> 'choices')); end if;
  -- A PATCH that changes nothing must not change updated_at.
  if (v_label, v_choices) is distinct from (d.label, d.choices) then
    update crm.custom_fields f set label = v_label, choices = v_choices
    where f.workspace_id = d.workspace_id and f.id = d.id
    returning * into d;
  end if;
  return crm.custom_field_json(d);
end
$$;
comment on function api.custom_field_update(jsonb) is
  'Changes the label or choices of a custom field; records keep their values. Raises not_found, validation_error.';

create function api.custom_field_archive(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  d crm.custom_fields := crm.custom_field_lock((p_args ->> 'id')::uuid);
begin
  if d.archived_at is null then
    update crm.custom_fields f set archived_at = now() where f.workspace_id = d.workspace_id and f.id = d.id
    returning * into d;
  end if;
  return crm.custom_field_json(d);
end
$$;
comment on function api.custom_field_archive(jsonb) is
  'Takes a definition out of use, so that its key counts as undefined. Records keep their values. Raises not_found.';

create function api.custom_field_restore(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  d crm.custom_fields := crm.custom_field_lock((p_args ->> 'id')::uuid);
begin
  if d.archived_at is not null then
    perform crm.custom_field_room(d.object_type);
    -- The values were not indexed while the field was archived: index them all.
    update crm.custom_fields f set archived_at = null, index_below = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    where f.workspace_id = d.workspace_id and f.id = d.id
    returning * into d;
  end if;
  return crm.custom_field_json(d);
end
$$;
comment on function api.custom_field_restore(jsonb) is
  'Puts an archived definition back into use. Raises not_found, and validation_error if 50 fields are in use.';

create function crm.within_workspace(p_args jsonb) returns jsonb
language plpgsql set search_path = '' as $$
begin
  perform crm.require_workspace(p_args);
  perform set_config('app.workspace_id', p_args ->> 'workspace_id', true);
  return p_args;
end
$$;
comment on function crm.within_workspace(jsonb) is
  'Makes the workspace in the arguments the current one until the transaction ends, so that a verb of schema app can '
  'call verbs of schema api. Returns the arguments. Raises not_found for an unknown workspace.';

create function crm.custom_field_action(p_action text, p_field json) returns json
language plpgsql set search_path = '' as $$
begin
  perform crm.record_action(
    crm.current_workspace_id(), p_action, 'custom_field', (p_field ->> 'id')::uuid, p_field ->> 'label', '{}'
  );
  return p_field;
end
$$;
comment on function crm.custom_field_action(text, json) is
  'Records an action on a definition in the audit log, and returns the definition.';

create function app.custom_field_list(p_args jsonb) returns json
language plpgsql set search_path = ''
as $$ begin return api.custom_field_list(crm.within_workspace(crm.check_args(p_args, '{workspace_id}'))); end $$;
comment on function app.custom_field_list(jsonb) is
  'Calls api.custom_field_list; raises its codes. Arguments: workspace_id. Codes: validation_error, not_found.';

create function app.custom_field_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  return crm.custom_field_action('custom_field_created', api.custom_field_create(crm.within_workspace(crm.check_args(
    p_args, '{workspace_id, object_type, key, type}', '{label, choices}'
  ))));
end
$$;
comment on function app.custom_field_create(jsonb) is
  'Calls api.custom_field_create; raises its codes. Arguments: workspace_id, object_type, key, type, label, choices. '
  'Codes: validation_error, not_found.';

create function app.custom_field_update(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  return crm.custom_field_action('custom_field_updated', api.custom_field_update(crm.within_workspace(crm.check_args(
    p_args, '{workspace_id, id}', '{label, choices}'
  ))));
end
$$;
comment on function app.custom_field_update(jsonb) is
  'Calls api.custom_field_update; raises its codes. Arguments: workspace_id, id, label, choices. Codes: '
  'validation_error, not_found.';

create function app.custom_field_archive(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  return crm.custom_field_action(
    'custom_field_archived', api.custom_field_archive(crm.within_workspace(crm.check_args(p_args, '{workspace_id, id}')))
  );
end
$$;
comment on function app.custom_field_archive(jsonb) is
  'Calls api.custom_field_archive; raises its codes. Arguments: workspace_id, id. Codes: validation_error, not_found.';

create function app.custom_field_restore(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
begin
  return crm.custom_field_action(
    'custom_field_restored', api.custom_field_restore(crm.within_workspace(crm.check_args(p_args, '{workspace_id, id}')))
  );
end
$$;
comment on function app.custom_field_restore(jsonb) is
  'Calls api.custom_field_restore; raises its codes. Arguments: workspace_id, id. Codes: validation_error, not_found.';

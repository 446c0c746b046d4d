-- The console's import of contacts from a file. It runs the API's batch for a member.

create function crm.import_company(p_name text, p_tax_id text) returns uuid
language plpgsql set search_path = '' as $$
declare
  v_args constant jsonb := jsonb_build_object('match_by', 'tax_id', 'tax_id', p_tax_id);
  v_id uuid;
begin
  if p_tax_id is not null then
    v_id := coalesce((crm.company_match(v_args))[1], (
      select s.id
      from unnest(crm.company_match(v_args, true)) with ordinality m (id, position)
      cross join lateral crm.company_survivor(m.id) s
      where s.archived_at is null
      order by m.position limit 1
    ));
    if v_id is not null then return v_id; end if;
  end if;
  v_id := crm.lead_company(crm.name_key(p_name));
  -- Companies with the same name but different tax ids are different companies.
  if exists (
    select from crm.companies c
    where c.workspace_id = crm.current_workspace_id() and c.id = v_id and c.tax_id <> p_tax_id
  ) then
    return null;
  end if;
  return v_id;
end
$$;
comment on function crm.import_company(text, text) is
  'The company for a line of the file: the oldest unarchived company with the line''s tax id, or else the unarchived '
  'company into which a company with this tax id was merged, or else the company that crm.lead_company finds by name, '
  'unless that company has another tax id. Null if there is no such company.';

create function crm.import_company_key(p_args jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case when p_args ->> 'company' is not null then
    -- No name begins with a line break.
    coalesce(E'\n' || (p_args ->> 'company_tax_id'), crm.name_key(p_args ->> 'company'))
  end;
end
$$;
comment on function crm.import_company_key(jsonb) is
  'What the lines of one company have in common: its tax id, or else its name. Null for a line without a company.';

create function crm.import_items(p_items jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_line record;
  v_id uuid;
  v_new jsonb := '[]';
  -- The position in v_new of each company to create, by its key and by its name.
  v_places jsonb := '{}';
  v_results jsonb := '{}';
  v_created jsonb;
begin
  -- Lines with a tax id come first, so that a line with only a name uses the company that a line with the tax id
  -- creates.
  for v_line in
    select distinct on (l.tax_id is null, l.key) l.*
    from (
      select
        i.item #>> '{args,company}' as name, i.item #>> '{args,company_tax_id}' as tax_id,
        crm.import_company_key(i.item -> 'args') as key, i.position
      from jsonb_array_elements(p_items) with ordinality i (item, position)
    ) l
    where l.key is not null
    order by l.tax_id is null, l.key, l.position
  loop
    v_id := crm.import_company(v_line.name, v_line.tax_id);
    if v_id is not null then
      v_results := v_results || jsonb_build_object(v_line.key, jsonb_build_object('id', v_id));
    elsif v_line.tax_id is not null or not v_places ? v_line.key then
      v_places := v_places || jsonb_build_object(
        v_line.key, jsonb_array_length(v_new), crm.name_key(v_line.name), jsonb_array_length(v_new)
      );
      v_new := v_new || jsonb_build_object(
        'op', 'create', 'args', jsonb_build_object('name', v_line.name, 'tax_id', v_line.tax_id)
      );
    end if;
  end loop;
  if v_new <> '[]' then
    v_created := crm.run_verb('company_batch', jsonb_build_object('items', v_new))::jsonb -> 'results';
    v_results := (
      select jsonb_object_agg(p.key, v_created -> p.value::integer) from jsonb_each_text(v_places) p
    ) || v_results;
  end if;
  return (
    select jsonb_agg(
      case
        when c.result ? 'error' then jsonb_build_object('error', c.result -> 'error')
        when i.item ? 'args' then jsonb_set(
          i.item, '{args}',
          (i.item -> 'args') - '{company,company_tax_id}'::text[]
            || case when c.result is null then '{}' else jsonb_build_object('company_id', c.result -> 'id') end
        )
        else i.item
      end
      order by i.position
    )
    from jsonb_array_elements(p_items) with ordinality i (item, position)
    cross join lateral (select v_results -> crm.import_company_key(i.item -> 'args') as result) c
  );
end
$$;
comment on function crm.import_items(jsonb) is
  'The items of an import with company_id in place of the company''s name and tax id. Creates the companies that do not '
  'exist. If a company cannot be created, the items with this company get the error.';

create function crm.import_values(p_ids uuid[]) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_object_agg(t.id, jsonb_build_object(
      'name', t.name, 'email', t.email, 'phone', t.phone, 'phone2', t.phone2, 'whatsapp', t.whatsapp,
      'job_title', t.job_title, 'instagram', t.instagram, 'linkedin', t.linkedin, 'notes', t.notes,
      'external_id', t.external_id, 'tags', array_to_string(t.tags, ', '),
      'company', (
        select c.name from crm.companies c where c.workspace_id = t.workspace_id and c.id = t.company_id
      )
    ) || coalesce(
      (
        select jsonb_object_agg('custom_fields.' || f.key, f.value) from jsonb_each_text(t.custom_fields) f
      ),
      '{}'
    )), '{}')
    from crm.contacts t
    where t.workspace_id = crm.current_workspace_id() and t.id = any (p_ids)
  );
end
$$;
comment on function crm.import_values(uuid[]) is
  'The contacts'' values in the fields that an import may change, as texts, by the contact''s id.';

create function crm.import_contacts(p_items jsonb, p_is_atomic boolean, p_is_dry boolean) returns json
language plpgsql security definer set search_path = '' as $$
declare
  v_reply jsonb;
  v_ids uuid[];
  v_before jsonb;
  v_after jsonb;
begin
  -- Lock before looking for companies, so that two imports or leads do not create the same company.
  perform crm.lock_all_matches();
  begin
    v_reply := crm.run_verb('contact_batch', jsonb_build_object(
      'items', crm.import_items(p_items), 'atomic', p_is_atomic
    ));
    if not p_is_dry then return v_reply::json; end if;
    v_ids := array(
      select (r ->> 'id')::uuid from jsonb_array_elements(v_reply -> 'results') r where r ->> 'status' = '200'
    );
    v_after := crm.import_values(v_ids);
    -- Undo the batch. The variables keep its results.
    raise exception using errcode = 'CRM02';
  exception
    when sqlstate 'CRM02' then
      v_before := crm.import_values(v_ids);
  end;
  return json_build_object(
    'results', (
      select json_agg(
        case r.result ->> 'status'
          -- Without the id, because the dry run creates no contact.
          when '201' then r.result - 'id'
          when '200' then r.result || jsonb_build_object('changes', (
            select coalesce(jsonb_agg(
              jsonb_build_object(
                'field', f.name, 'from', left(b.value ->> f.name, 200), 'to', left(a.value ->> f.name, 200)
              )
              order by f.name
            ), '[]')
            from jsonb_object_keys(b.value || a.value) f (name)
            where b.value ->> f.name is distinct from a.value ->> f.name
          ))
          else r.result
        end
        order by r.position
      )
      from jsonb_array_elements(v_reply -> 'results') with ordinality r (result, position)
      cross join lateral (select coalesce(v_before -> (r.result ->> 'id'), '{}') as value) b
      cross join lateral (select coalesce(v_after -> (r.result ->> 'id'), '{}') as value) a
    ),
    'summary', v_reply -> 'summary'
  );
end
$$;
comment on function crm.import_contacts(jsonb, boolean, boolean) is
  'Runs an import as crm_api, by the verbs of the API, in the caller''s workspace and with the member as the actor. If '
  'p_is_dry, undoes the import and shows for each existing contact the fields that would change, with the '
  'first 200 characters of their values. Security definer, because crm_app writes no records. crm_app may execute this '
  'function and no other verb of the API.';

create function app.contact_import(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_args jsonb := crm.within_workspace(crm.check_args(p_args, '{workspace_id, items}', '{atomic, dry_run}'));
begin
  return crm.import_contacts(
    v_args -> 'items', coalesce((v_args ->> 'atomic')::boolean, false), coalesce((v_args ->> 'dry_run')::boolean, false)
  );
end
$$;
comment on function app.contact_import(jsonb) is
  'Imports up to 100 contacts as api.contact_batch does, each with the name of its company '
  '(crm.import_items), and returns its reply. With dry_run nothing is written, and each contact that exists '
  'has changes: field, from, to. Arguments: workspace_id, items, atomic, dry_run. Codes: validation_error, not_found.';

-- The contacts of a deal: the main contact is crm.deals.contact_id, and each other contact has a row in
-- crm.deal_contacts. The main contact has a row only if it was given a role, or was added before it became the main
-- contact. See docs/decisions/0019-merge-archive-erase.md.

create domain crm.contact_role as text check (char_length(value) between 1 and 60);
comment on domain crm.contact_role is 'What a contact does in a deal, such as `decisor`: 1 to 60 characters.';

create table crm.deal_contacts (
  workspace_id uuid not null,
  deal_id uuid not null,
  contact_id uuid not null,
  role crm.contact_role,
  created_at timestamptz not null default now(),
  primary key (workspace_id, deal_id, contact_id),
  foreign key (workspace_id, deal_id) references crm.deals (workspace_id, id) on delete cascade,
  foreign key (workspace_id, contact_id) references crm.contacts (workspace_id, id)
);
comment on table crm.deal_contacts is
  'The contacts that were added to a deal, with their roles. A contact that becomes the main contact keeps its row, so '
  'that the contact stays in the deal when the main contact changes again.';
create index deal_contacts_contact on crm.deal_contacts (workspace_id, contact_id, deal_id);
call crm.protect('crm.deal_contacts');
create trigger set_moved_at after insert on crm.deal_contacts for each row execute function crm.set_moved_at();

create function crm.deal_contacts_json(p_deal crm.deals) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_shows_name boolean := crm.has_scope('contacts:read');
begin
  return (
    select coalesce(
      json_agg(
        json_build_object(
          'contact_id', p.contact_id,
          'name', (
            select c.name from crm.contacts c
            where v_shows_name and c.workspace_id = p_deal.workspace_id and c.id = p.contact_id
          ),
          'role', p.role, 'is_main', p.is_main, 'added_at', crm.iso(p.created_at)
        )
        order by p.is_main desc, p.created_at, p.contact_id
      ),
      '[]'
    )
    from (
      select k.contact_id, k.role, k.contact_id is not distinct from p_deal.contact_id as is_main, k.created_at
      from crm.deal_contacts k
      where k.workspace_id = p_deal.workspace_id and k.deal_id = p_deal.id
      union all
      select p_deal.contact_id, null, true, null
      where p_deal.contact_id is not null and not exists (
        select from crm.deal_contacts k
        where k.workspace_id = p_deal.workspace_id and k.deal_id = p_deal.id and k.contact_id = p_deal.contact_id
      )
    ) p
  );
end
$$;
comment on function crm.deal_contacts_json(crm.deals) is
  'The contacts of a deal: first the main contact, then the others in the order in which they were added. Shows names '
  'only if the key may read contacts.';

create function api.deal_contact_list(p_args jsonb) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_deal crm.deals;
begin
  select * into v_deal from crm.deals d
  where d.workspace_id = crm.current_workspace_id() and d.id = (p_args ->> 'id')::uuid;
  if not found then perform api.fail('not_found'); end if;
  return json_build_object('data', crm.deal_contacts_json(v_deal));
end
$$;
comment on function api.deal_contact_list(jsonb) is 'Lists the contacts of a deal. Raises not_found.';

create function api.deal_contact_add(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  c_most constant integer := 50;
  v_workspace_id uuid := crm.current_workspace_id();
  v_deal_id uuid := p_args ->> 'id';
  v_contact_id uuid := p_args ->> 'contact_id';
  v_role text := p_args ->> 'role';
  v_deal crm.deals;
  v_is_main boolean;
  v_count integer;
  v_row crm.deal_contacts;
begin
  if not exists (select from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_deal_id) then
    perform api.fail('not_found');
  end if;
  -- Lock the contact before the deal, as a merge does, so that the call and the merge cannot deadlock.
  perform crm.require_references(p_args);
  v_deal := crm.deal_lock(v_deal_id);
  v_is_main := v_deal.contact_id is not distinct from v_contact_id;
  select * into v_row from crm.deal_contacts k
  where k.workspace_id = v_workspace_id and k.deal_id = v_deal_id and k.contact_id = v_contact_id;
  if v_row.contact_id is not null then
    if p_args ? 'role' and v_row.role is distinct from v_role then
      update crm.deal_contacts k set role = v_role
      where k.workspace_id = v_workspace_id and k.deal_id = v_deal_id and k.contact_id = v_contact_id;
    end if;
    perform api.mark_found();
  elsif v_is_main and v_role is null then
    perform api.mark_found();
  else
    select count(*) into v_count from crm.deal_contacts k
    where k.workspace_id = v_workspace_id and k.deal_id = v_deal_id
      and k.contact_id is distinct from v_deal.contact_id;
    -- The main contact's row has a limit too: it stays when the main contact changes, so rows would add up.
    if v_count >= c_most + v_is_main::integer then
      perform api.fail(
        'validation_error', array['contact_id'],
        'O negócio já tem 50 contatos além do principal; antes tire um, com '
          'DELETE /api-v1-deals/:id/contacts/:contact_id'
      );
    end if;
    insert into crm.deal_contacts (workspace_id, deal_id, contact_id, role)
    values (v_workspace_id, v_deal_id, v_contact_id, v_role);
    if v_is_main then perform api.mark_found(); end if;
  end if;
  return (
    select c.value from json_array_elements(crm.deal_contacts_json(v_deal)) c
    where (c.value ->> 'contact_id')::uuid = v_contact_id
  );
end
$$;
comment on function api.deal_contact_add(jsonb) is
  'Adds a contact to a deal and returns the contact. If the deal already has the contact, changes the role if a role '
  'is sent. The main contact gets a row only for its role. Raises not_found, invalid_reference, and validation_error '
  'if the deal has 50 contacts besides the main contact.';

create function crm.remove_deal_contact(p_deal_id uuid, p_contact_id uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  delete from crm.deal_contacts k
  where k.workspace_id = crm.current_workspace_id() and k.deal_id = p_deal_id and k.contact_id = p_contact_id;
  return found;
end
$$;
comment on function crm.remove_deal_contact(uuid, uuid) is
  'Removes a contact from a deal of the current workspace, and returns whether the deal had the contact. Security '
  'definer, because the roles of verbs may not delete rows.';

create function api.deal_contact_remove(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_deal crm.deals := crm.deal_lock((p_args ->> 'id')::uuid);
  v_contact_id uuid := p_args ->> 'contact_id';
  v_merged_into_id uuid;
begin
  if v_deal.contact_id = v_contact_id then
    perform api.fail(
      'validation_error', array['contact_id'],
      format('É o contato principal; para trocá-lo, envie outro contact_id a PATCH /api-v1-deals/%s', v_deal.id)
    );
  elsif crm.remove_deal_contact(v_deal.id, v_contact_id) then
    return null;
  end if;
  select c.merged_into_id into v_merged_into_id from crm.contacts c
  where c.workspace_id = v_deal.workspace_id and c.id = v_contact_id;
  if not found then
    perform api.fail('not_found', array['contact_id'], 'Nenhum contato do workspace tem este id');
  elsif v_merged_into_id is not null then
    perform api.fail('record_merged', array['contact_id'], null, array[v_merged_into_id]);
  end if;
  return null;
end
$$;
comment on function api.deal_contact_remove(jsonb) is
  'Removes a contact from a deal; does nothing if the deal does not have the contact. Raises not_found for an unknown '
  'deal or contact, record_merged, and validation_error for the main contact, which a PATCH of contact_id replaces.';

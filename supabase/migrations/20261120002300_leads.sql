-- POST leads (spec 4.1): one call that creates or reuses a company, a contact and a deal.

create table crm.lead_receipts (
  workspace_id uuid not null,
  external_id text not null check (char_length(external_id) between 1 and 255),
  deal_id uuid not null,
  contact_id uuid not null,
  company_id uuid,
  created_at timestamptz not null default now(),
  primary key (workspace_id, external_id),
  foreign key (workspace_id, deal_id) references crm.deals (workspace_id, id),
  foreign key (workspace_id, contact_id) references crm.contacts (workspace_id, id),
  foreign key (workspace_id, company_id) references crm.companies (workspace_id, id)
);
comment on table crm.lead_receipts is
  'The ids that an external_id was first answered with, stored for good: the same lead sent again gets the same ids, '
  'whatever happened to the deal.';
call crm.protect('crm.lead_receipts');

create function crm.lead_json(p_deal crm.deals, p_contact_id uuid, p_company_id uuid) returns json
language sql stable
as $$
  select json_build_object(
    'deal_id', p_deal.id,
    'contact_id', p_contact_id,
    'company_id', p_company_id,
    'workspace_id', p_deal.workspace_id,
    'status', p_deal.status,
    'pipeline_id', p_deal.pipeline_id,
    'stage_id', p_deal.stage_id,
    'owner_id', p_deal.owner_id,
    'created_at', crm.iso(p_deal.created_at)
  )
$$;
comment on function crm.lead_json(crm.deals, uuid, uuid) is 'Public JSON of a lead (spec 2.4, `lead`).';

create function crm.lead_name(p_lead jsonb) returns text
language sql immutable parallel safe
as $$ select btrim((p_lead ->> 'first_name') || ' ' || coalesce(p_lead ->> 'last_name', '')) $$;
comment on function crm.lead_name(jsonb) is 'The whole name that a lead was sent with.';

create function crm.lead_lock(p_args jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform crm.lock_matches(jsonb_build_object(
    'deal external_id', p_args -> 'external_id',
    'contact email', p_args -> 'email',
    'contact phone', crm.e164(p_args ->> 'phone'),
    'company name', crm.name_key(p_args ->> 'company_name')
  ));
end
$$;
comment on function crm.lead_lock(jsonb) is
  'Serializes leads that could create the same record: by external_id, e-mail, phone and company name.';

create function crm.find_or_create_company(p_name text, p_owner_id uuid, out id uuid, out created boolean)
language plpgsql
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_merged crm.companies;
  v_survivor crm.companies;
begin
  created := false;
  if p_name is null then
    return;
  end if;
  select c.id into find_or_create_company.id from crm.companies c
  where c.workspace_id = v_workspace_id and c.name_key = crm.name_key(p_name) and c.archived_at is null
  order by c.id
  limit 1;
  if found then
    return;
  end if;
  for v_merged in
    select * from crm.companies c
    where c.workspace_id = v_workspace_id and c.name_key = crm.name_key(p_name) and c.merged_into_id is not null
    order by c.id
    limit 100
  loop
    v_survivor := crm.company_survivor(v_merged.merged_into_id);
    if v_survivor.archived_at is null then
      id := v_survivor.id;
      return;
    end if;
  end loop;
  insert into crm.companies as c (workspace_id, name, owner_id)
  values (v_workspace_id, p_name, p_owner_id)
  returning c.id into find_or_create_company.id;
  created := true;
end
$$;
comment on function crm.find_or_create_company(text, uuid) is
  'Returns the oldest company of that name (ignoring case and surrounding space) that is not archived, otherwise the one '
  'into which a company of that name was merged, or a new one; null without a name.';

create function crm.name_words(p_name text) returns text
language sql immutable parallel safe
as $$
  select regexp_replace(crm.fold(btrim(p_name)), '\s+', ' ', 'g') || ' '
$$;
comment on function crm.name_words(text) is
  'The words of a name for comparison, each followed by a space: lower case, without accents. "José  Lima" is '
  '"jose lima ".';

create function crm.is_of_person(p_email text, p_words text, c crm.contacts) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  -- Two addresses behind one phone are two people, and so are two first names. Either name may have words that the other
  -- leaves out: "Ana" and "Ana Paula Souza" are one, "Maria José" and "Maria Clara" are two.
  return (c.email is null or p_email is null) and (
    starts_with(crm.name_words(c.name), p_words) or starts_with(p_words, crm.name_words(c.name))
  );
end
$$;
comment on function crm.is_of_person(text, text, crm.contacts) is
  'Whether a contact with the phone of a lead may be the person who sent it, given the lead''s e-mail and the words of its '
  'first name (crm.name_words).';

create function crm.lead_contact(p_lead jsonb, out contact crm.contacts, out matched_by text)
language plpgsql
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_email text := p_lead ->> 'email';
  v_phone text := crm.e164(p_lead ->> 'phone');
  v_words text;
  v_merged crm.contacts;
begin
  -- Most leads are of somebody new. One statement finds that out, where those below are four.
  if not exists (select from crm.contacts c where c.workspace_id = v_workspace_id and c.email = v_email)
    and not exists (select from crm.contacts c where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone)
  then
    return;
  end if;
  if v_email is not null then
    matched_by := 'email';
    select c.* into contact from crm.contacts c
    where c.workspace_id = v_workspace_id and c.email = v_email and c.archived_at is null
    order by c.id
    limit 1;
    if found then
      return;
    end if;
    for v_merged in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.email = v_email and c.merged_into_id is not null
      order by c.id
      limit 100
    loop
      contact := crm.contact_survivor(v_merged.merged_into_id);
      if contact.archived_at is null then
        return;
      end if;
    end loop;
  end if;
  if v_phone is not null then
    matched_by := 'phone';
    v_words := crm.name_words(p_lead ->> 'first_name');
    -- A phone that a hundred contacts have is a switchboard or a made-up number, and names nobody.
    for contact in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone and c.archived_at is null
      order by c.id
      limit 100
    loop
      if crm.is_of_person(v_email, v_words, contact) then
        return;
      end if;
    end loop;
    for v_merged in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone and c.merged_into_id is not null
      order by c.id
      limit 100
    loop
      continue when not crm.is_of_person(v_email, v_words, v_merged);
      contact := crm.contact_survivor(v_merged.merged_into_id);
      -- The one that stays may have an address of its own, which contradicts that of the lead.
      if contact.archived_at is null and (contact.email is null or v_email is null) then
        return;
      end if;
    end loop;
  end if;
  contact := null;
  matched_by := null;
end
$$;
comment on function crm.lead_contact(jsonb) is
  'The contact that a lead is about, and what it was found by: the oldest with its e-mail, otherwise the oldest with its '
  'phone and first name whose e-mail is not another one, among those not archived; where there is none, the one into '
  'which such a contact was merged, locked until the transaction ends. Null if there is none. Looks at 100 contacts of a '
  'phone.';

create function crm.lead_differences(p_lead jsonb, c crm.contacts, p_company_id uuid) returns text[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_words text := ' ' || crm.name_words(c.name);
  v_last text := ' ' || crm.name_words(nullif(p_lead ->> 'last_name', ''));
begin
  return array_remove(array[
    case when not starts_with(v_words, ' ' || crm.name_words(p_lead ->> 'first_name')) then 'first_name' end,
    case when right(v_words, length(v_last)) <> v_last then 'last_name' end,
    case when c.email is distinct from coalesce(p_lead ->> 'email', c.email) then 'email' end,
    case when c.phone_e164 is distinct from coalesce(crm.e164(p_lead ->> 'phone'), c.phone_e164) then 'phone' end,
    case when c.company_id is distinct from coalesce(p_company_id, c.company_id) then 'company_name' end
  ], null);
end
$$;
comment on function crm.lead_differences(jsonb, crm.contacts, uuid) is
  'The fields of a lead whose value its contact does not have, in the order of spec 2.3. Names are compared as '
  'crm.name_words, phones as crm.e164; the company by its id.';

create function crm.find_or_create_contact(
  p_lead jsonb,
  p_company_id uuid,
  p_owner_id uuid,
  out id uuid,
  out created boolean,
  out matched_by text,
  out differences text[]
)
language plpgsql
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_email text := p_lead ->> 'email';
  v_phone text := p_lead ->> 'phone';
  v_found record := crm.lead_contact(p_lead);
  v_contact crm.contacts := v_found.contact;
begin
  created := v_contact.id is null;
  differences := '{}';
  if created then
    insert into crm.contacts as c (workspace_id, name, email, phone, company_id, owner_id)
    values (v_workspace_id, crm.lead_name(p_lead), v_email, v_phone, p_company_id, p_owner_id)
    returning c.id into find_or_create_contact.id;
    return;
  end if;

  id := v_contact.id;
  matched_by := v_found.matched_by;
  -- Only empty fields are filled in, and never the e-mail: who was found by it has it, or was merged into who has another
  -- one or none, and a phone proves no address.
  -- Without one, no update: updated_at must not change.
  if (v_contact.phone is null and v_phone is not null) or (v_contact.company_id is null and p_company_id is not null) then
    update crm.contacts c
    set phone = coalesce(c.phone, v_phone), company_id = coalesce(c.company_id, p_company_id)
    where c.workspace_id = v_workspace_id and c.id = v_contact.id
    returning c.* into v_contact;
  end if;
  differences := crm.lead_differences(p_lead, v_contact, p_company_id);
end
$$;
comment on function crm.find_or_create_contact(jsonb, uuid, uuid) is
  'Returns the contact of a lead, found (crm.lead_contact) or new, with what it was found by and in what it differs '
  'from the lead (crm.lead_differences).';

create function crm.lead_result(
  p_deal crm.deals,
  p_contact_id uuid,
  p_company_id uuid,
  p_idempotent boolean,
  p_company_created boolean default false,
  p_contact_created boolean default false,
  p_matched_by text default null,
  p_differences text[] default '{}'
) returns json
language sql stable
as $$
  select json_build_object(
    'lead', crm.lead_json(p_deal, p_contact_id, p_company_id),
    'idempotent', p_idempotent,
    'created', json_build_object(
      'company', p_company_created, 'contact', p_contact_created, 'deal', not p_idempotent
    ),
    'matched_by', p_matched_by,
    'differences', p_differences
  )
$$;
comment on function crm.lead_result(crm.deals, uuid, uuid, boolean, boolean, boolean, text, text[]) is
  'The reply of POST leads (spec 2.4). By default nothing was created and nothing compared, as in the answer to a known '
  'external_id.';

create function api.lead_create(p_args jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_external_id text := p_args ->> 'external_id';
  v_receipt crm.lead_receipts;
  v_deal crm.deals;
  v_target record;
  v_owner_id uuid;
  v_company record;
  v_contact record;
begin
  perform crm.lead_lock(p_args);

  if v_external_id is not null then
    select * into v_receipt from crm.lead_receipts r
    where r.workspace_id = v_workspace_id and r.external_id = v_external_id;
    if found then
      perform api.mark_replayed();
      select * into v_deal from crm.deals d
      where d.workspace_id = v_workspace_id and d.id = v_receipt.deal_id;
      return crm.lead_result(v_deal, v_receipt.contact_id, v_receipt.company_id, true);
    end if;
  end if;

  v_target := crm.choose_stage((p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid);
  v_owner_id := coalesce(
    case when p_args ? 'owner_id' then crm.active_member((p_args ->> 'owner_id')::uuid) end,
    crm.default_owner()
  );
  if v_owner_id is null then
    perform api.fail('owner_unresolved');
  end if;

  v_company := crm.find_or_create_company(p_args ->> 'company_name', v_owner_id);
  v_contact := crm.find_or_create_contact(p_args, v_company.id, v_owner_id);
  insert into crm.deals (
    workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
    source, utm, custom_fields, external_id, lead
  )
  values (
    v_workspace_id, crm.lead_name(p_args), (p_args ->> 'value')::numeric, (p_args ->> 'recurring_value')::numeric,
    v_target.pipeline_id, v_target.stage_id, v_contact.id, v_company.id, v_owner_id,
    p_args ->> 'source', p_args -> 'utm', p_args -> 'custom_fields', v_external_id, p_args
  )
  returning * into v_deal;

  if v_external_id is not null then
    insert into crm.lead_receipts (workspace_id, external_id, deal_id, contact_id, company_id)
    values (v_workspace_id, v_external_id, v_deal.id, v_contact.id, v_company.id);
  end if;

  return crm.lead_result(
    v_deal, v_contact.id, v_company.id, false, v_company.created, v_contact.created,
    v_contact.matched_by, v_contact.differences
  );
end
$$;
comment on function api.lead_create(jsonb) is
  'Creates a lead, or returns the result of an earlier call with the same external_id (spec 2.3, 2.4, 4.1). p_args has '
  'what was sent, without nulls; the deal keeps it.';

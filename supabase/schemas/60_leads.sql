-- POST leads (spec 4.1): one call that creates or finds a company, a contact and a deal.

create table crm.lead_receipts (
  workspace_id uuid not null,
  external_id crm.external_id not null,
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
  'The ids in the first reply for an external_id, stored for good, so that a lead that is sent again gets the same '
  'ids.';
call crm.protect('crm.lead_receipts');

create function crm.lead_json(p_deal crm.deals, p_contact_id uuid, p_company_id uuid) returns json
language sql stable as $$
  select json_build_object(
    'deal_id', p_deal.id, 'contact_id', p_contact_id, 'company_id', p_company_id, 'workspace_id', p_deal.workspace_id,
    'status', p_deal.status, 'pipeline_id', p_deal.pipeline_id, 'stage_id', p_deal.stage_id,
    'owner_id', p_deal.owner_id, 'created_at', crm.iso(p_deal.created_at)
  )
$$;
comment on function crm.lead_json(crm.deals, uuid, uuid) is 'Public JSON of a lead (spec 2.4, `lead`).';

create function crm.lead_name(p_lead jsonb) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$ begin return btrim((p_lead ->> 'first_name') || ' ' || coalesce(p_lead ->> 'last_name', '')); end $$;
comment on function crm.lead_name(jsonb) is 'The full name in a lead''s body.';

create function crm.lead_company(p_name_key text) returns uuid
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_id uuid;
  v_merged crm.companies;
  v_survivor crm.companies;
begin
  select c.id into v_id from crm.companies c
  where c.workspace_id = v_workspace_id and c.name_key = p_name_key and c.archived_at is null
  order by c.id limit 1;
  if found then return v_id; end if;
  for v_merged in
    select * from crm.companies c
    where c.workspace_id = v_workspace_id and c.name_key = p_name_key and c.merged_into_id is not null
    order by c.id limit 100
  loop
    v_survivor := crm.company_survivor(v_merged.merged_into_id);
    if v_survivor.archived_at is null then return v_survivor.id; end if;
  end loop;
  return null;
end
$$;
comment on function crm.lead_company(text) is
  'The oldest unarchived company with this crm.name_key. If there is none, the unarchived company into which a company '
  'with this name was merged, locked against merging until the transaction ends. Null if there is neither.';

create function crm.name_words(p_name text) returns text
language sql immutable parallel safe
as $$ select regexp_replace(crm.fold(btrim(p_name)), '\s+', ' ', 'g') || ' ' $$;
comment on function crm.name_words(text) is
  'The words of a name for comparison, each followed by a space: lower case, without accents. "José  Lima" becomes '
  '"jose lima ".';

create function crm.is_of_person(p_email text, p_words text, c crm.contacts) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  -- With the same phone, two e-mails mean two people, and so do two first names. A name that begins with the other name
  -- means one person: "Ana Paula Souza" and "Ana" are one person, "Maria José" and "Maria Clara" are two.
  return (c.email is null or p_email is null) and (
    starts_with(crm.name_words(c.name), p_words) or starts_with(p_words, crm.name_words(c.name))
  );
end
$$;
comment on function crm.is_of_person(text, text, crm.contacts) is
  'Whether a contact that has a lead''s phone may be the person who sent the lead. p_email is the lead''s e-mail; '
  'p_words are the words of its first name (crm.name_words).';

create function crm.lead_contact(p_lead jsonb, out contact crm.contacts, out matched_by text)
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_email text := p_lead ->> 'email';
  v_phone text := crm.e164(p_lead ->> 'phone');
  v_words text;
  v_merged crm.contacts;
begin
  if v_email is not null then
    matched_by := 'email';
    select c.* into contact from crm.contacts c
    where c.workspace_id = v_workspace_id and c.email = v_email and c.archived_at is null
    order by c.id limit 1;
    if found then return; end if;
    for v_merged in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.email = v_email and c.merged_into_id is not null
      order by c.id limit 100
    loop
      contact := crm.contact_survivor(v_merged.merged_into_id);
      if contact.archived_at is null then return; end if;
    end loop;
  end if;
  if v_phone is not null then
    matched_by := 'phone';
    v_words := crm.name_words(p_lead ->> 'first_name');
    -- Read at most 100. If more contacts have this phone, it is made up or belongs to a switchboard, and identifies
    -- nobody.
    for contact in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone and c.archived_at is null
      order by c.id limit 100
    loop
      if crm.is_of_person(v_email, v_words, contact) then return; end if;
    end loop;
    for v_merged in
      select * from crm.contacts c
      where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone and c.merged_into_id is not null
      order by c.id limit 100
    loop
      continue when not crm.is_of_person(v_email, v_words, v_merged);
      contact := crm.contact_survivor(v_merged.merged_into_id);
      -- If the lead and the contact that remained after the merge both have an e-mail, they are two people.
      if contact.archived_at is null and (contact.email is null or v_email is null) then return; end if;
    end loop;
  end if;
  contact := null;
  matched_by := null;
end
$$;
comment on function crm.lead_contact(jsonb) is
  'Finds the contact of a lead by e-mail, or else by phone (only if the first name fits and the lead or the contact '
  'has no e-mail). Takes the oldest unarchived contact, or else the contact into which a match was merged, locked '
  'until the transaction ends. matched_by is the field that found the contact. Null if there is none. Reads at most '
  '100 contacts with the phone, and 100 merged contacts for each field.';

create function crm.lead_differences(p_lead jsonb, c crm.contacts, p_company_id uuid) returns text[]
language plpgsql immutable set search_path = '' as $$
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
  'The fields of a lead that have other values in its contact, in the order of spec 2.3. Names are compared by '
  'crm.name_words, phones by crm.e164, the company by its id.';

create function crm.fill_in_contact(c crm.contacts, p_phone text, p_company_id uuid) returns crm.contacts
language plpgsql set search_path = '' as $$
begin
  -- Never fill in the e-mail: a contact found by e-mail has or had this e-mail, and a contact found by phone may be
  -- another person. If no field is missing, update nothing, because updated_at must not change.
  if (nullif(c.phone, '') is null and p_phone is not null) or (c.company_id is null and p_company_id is not null) then
    update crm.contacts t
    set phone = coalesce(nullif(t.phone, ''), p_phone), company_id = coalesce(t.company_id, p_company_id)
    where t.workspace_id = c.workspace_id and t.id = c.id
    returning t.* into c;
  end if;
  return c;
end
$$;
comment on function crm.fill_in_contact(crm.contacts, text, uuid) is
  'Gives a contact the phone and the company of a lead, each only if the contact has none. Returns the contact.';

create function crm.lead_result(
  p_deal crm.deals, p_contact_id uuid, p_company_id uuid, p_idempotent boolean,
  p_company_created boolean default false, p_contact_created boolean default false,
  p_matched_by text default null, p_differences text[] default '{}'
) returns json
language sql stable as $$
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
  'The reply to POST leads (spec 2.4). The defaults are for a known external_id, when nothing was created or compared.';

create function api.lead_create(p_args jsonb) returns json
language plpgsql set search_path = '' as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_external_id text := p_args ->> 'external_id';
  v_email text := p_args ->> 'email';
  v_phone text := crm.e164(p_args ->> 'phone');
  v_name_key text := crm.name_key(p_args ->> 'company_name');
  v_known record;
  v_owner_id uuid;
  v_company_id uuid;
  v_found record;
  v_contact crm.contacts;
  v_matched_by text;
  v_differences text[] := '{}';
  v_deal crm.deals;
begin
  -- Leads that could create the same record wait for each other.
  perform crm.lock_matches(jsonb_build_object(
    'deal external_id', v_external_id, 'contact email', v_email, 'contact phone', v_phone, 'company name', v_name_key
  ));

  -- Most leads come from new people, so one statement first checks whether the company or the contact may exist.
  -- Further statements search only for those that may.
  select r.deal_id, r.contact_id, r.company_id, s.pipeline_id, s.stage_id,
    exists (
      select from crm.companies c where c.workspace_id = v_workspace_id and c.name_key = v_name_key
    ) as has_company,
    exists (select from crm.contacts c where c.workspace_id = v_workspace_id and c.email = v_email)
      or exists (select from crm.contacts c where c.workspace_id = v_workspace_id and c.phone_e164 = v_phone)
      as has_contact
  into v_known
  from (select) lead
  left join crm.lead_receipts r on r.workspace_id = v_workspace_id and r.external_id = v_external_id
  left join crm.stage_of_new_deal((p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid) s on true;
  if v_known.deal_id is not null then
    perform api.mark_replayed();
    select * into v_deal from crm.deals d where d.workspace_id = v_workspace_id and d.id = v_known.deal_id;
    return crm.lead_result(v_deal, v_known.contact_id, v_known.company_id, true);
  end if;

  -- Checked only now: a lead that is sent again was answered above, and may be older than the definition of a field.
  perform crm.checked_values('deal', p_args);
  if v_known.stage_id is null then
    -- No stage was found: this call raises the error.
    select s.pipeline_id, s.stage_id into v_known.pipeline_id, v_known.stage_id
    from crm.choose_stage((p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid) s;
  end if;
  v_owner_id := coalesce(
    case when p_args ? 'owner_id' then crm.active_member((p_args ->> 'owner_id')::uuid) end,
    crm.default_owner()
  );
  if v_owner_id is null then perform api.fail('owner_unresolved'); end if;
  if v_known.has_company then v_company_id := crm.lead_company(v_name_key); end if;
  if v_known.has_contact then
    v_found := crm.lead_contact(p_args);
    v_contact := v_found.contact;
    v_matched_by := v_found.matched_by;
  end if;

  -- One statement, because each statement has a fixed cost.
  with company as (
    insert into crm.companies (workspace_id, name, owner_id)
    select v_workspace_id, p_args ->> 'company_name', v_owner_id
    where v_name_key is not null and v_company_id is null
    returning id
  ),
  contact as (
    insert into crm.contacts (workspace_id, name, email, phone, company_id, owner_id)
    select v_workspace_id, crm.lead_name(p_args), v_email, p_args ->> 'phone',
      coalesce(v_company_id, (select id from company)), v_owner_id
    where v_contact.id is null
    returning id
  ),
  deal as (
    insert into crm.deals (
      workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
      source, utm, custom_fields, external_id, lead
    )
    select v_workspace_id, crm.lead_name(p_args), (p_args ->> 'value')::numeric, (p_args ->> 'recurring_value')::numeric,
      v_known.pipeline_id, v_known.stage_id, coalesce(v_contact.id, (select id from contact)),
      coalesce(v_company_id, (select id from company)), v_owner_id,
      p_args ->> 'source', p_args -> 'utm', p_args -> 'custom_fields', v_external_id, p_args
    returning *
  ),
  receipt as (
    insert into crm.lead_receipts (workspace_id, external_id, deal_id, contact_id, company_id)
    select d.workspace_id, d.external_id, d.id, d.contact_id, d.company_id from deal d
    where d.external_id is not null
  )
  select * into v_deal from deal;

  if v_contact.id is not null then
    v_contact := crm.fill_in_contact(v_contact, p_args ->> 'phone', v_deal.company_id);
    v_differences := crm.lead_differences(p_args, v_contact, v_deal.company_id);
  end if;
  return crm.lead_result(
    v_deal, v_deal.contact_id, v_deal.company_id, false, v_company_id is null and v_name_key is not null,
    v_contact.id is null, v_matched_by, v_differences
  );
end
$$;
comment on function api.lead_create(jsonb) is
  'Creates a lead, or returns the result of an earlier call with the same external_id (spec 2.3, 2.4, 4.1). p_args is '
  'the body without nulls; the deal keeps it.';

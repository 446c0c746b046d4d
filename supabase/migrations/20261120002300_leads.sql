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

create function crm.lead_lock(p_args jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Locked in order of number, so that two leads which share two of these values cannot deadlock.
  perform pg_advisory_xact_lock(k.number)
  from (
    select distinct crm.lock_number(
      'lead ' || crm.current_workspace_id() || ' ' || v.kind || ' ' || v.value
    ) as number
    from (
      values
        ('external_id', p_args ->> 'external_id'),
        ('email', p_args ->> 'email'),
        ('phone', crm.digits(p_args ->> 'phone')),
        ('company', crm.name_key(p_args ->> 'company_name'))
    ) as v (kind, value)
    where v.value is not null
    order by number
  ) k;
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
begin
  created := false;
  if p_name is null then
    return;
  end if;
  select c.id into find_or_create_company.id from crm.companies c
  where c.workspace_id = v_workspace_id and c.name_key = crm.name_key(p_name)
  order by c.id
  limit 1;
  if found then
    return;
  end if;
  insert into crm.companies as c (workspace_id, name, owner_id)
  values (v_workspace_id, p_name, p_owner_id)
  returning c.id into find_or_create_company.id;
  created := true;
end
$$;
comment on function crm.find_or_create_company(text, uuid) is
  'Returns the oldest company of that name (ignoring case and surrounding space), or a new one; null without a name.';

create function crm.find_or_create_contact(
  p_args jsonb,
  p_company_id uuid,
  p_owner_id uuid,
  out id uuid,
  out created boolean
)
language plpgsql
set search_path = ''
as $$
declare
  v_workspace_id uuid := crm.current_workspace_id();
  v_name text := btrim(concat_ws(' ', p_args ->> 'first_name', nullif(p_args ->> 'last_name', '')));
  v_email text := p_args ->> 'email';
  v_phone text := p_args ->> 'phone';
begin
  created := false;
  select c.id into find_or_create_contact.id from crm.contacts c
  where c.workspace_id = v_workspace_id and c.email = v_email
  order by c.id
  limit 1;
  if not found then
    -- The same phone with a different e-mail is another person behind the same switchboard.
    select c.id into find_or_create_contact.id from crm.contacts c
    where c.workspace_id = v_workspace_id and c.phone_digits = crm.digits(v_phone)
      and (c.email is null or v_email is null)
    order by c.id
    limit 1;
  end if;

  if find_or_create_contact.id is null then
    insert into crm.contacts as c (workspace_id, name, email, phone, company_id, owner_id)
    values (v_workspace_id, v_name, v_email, v_phone, p_company_id, p_owner_id)
    returning c.id into find_or_create_contact.id;
    created := true;
    return;
  end if;

  -- Only empty fields are filled in. Without one, no update: updated_at must not change.
  update crm.contacts c
  set
    email = coalesce(c.email, v_email),
    phone = coalesce(c.phone, v_phone),
    company_id = coalesce(c.company_id, p_company_id)
  where c.workspace_id = v_workspace_id and c.id = find_or_create_contact.id
    and (
      (c.email is null and v_email is not null)
      or (c.phone is null and v_phone is not null)
      or (c.company_id is null and p_company_id is not null)
    );
end
$$;
comment on function crm.find_or_create_contact(jsonb, uuid, uuid) is
  'Returns the contact of a lead: found by e-mail, otherwise by the digits of the phone, otherwise new.';

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

  select * into v_receipt from crm.lead_receipts r
  where r.workspace_id = v_workspace_id and r.external_id = v_external_id;
  if found then
    perform api.mark_replayed();
    select * into v_deal from crm.deals d
    where d.workspace_id = v_workspace_id and d.id = v_receipt.deal_id;
    return json_build_object(
      'lead', crm.lead_json(v_deal, v_receipt.contact_id, v_receipt.company_id),
      'idempotent', true,
      'created', json_build_object('company', false, 'contact', false, 'deal', false)
    );
  end if;

  v_target := crm.choose_stage((p_args ->> 'pipeline_id')::uuid, (p_args ->> 'stage_id')::uuid);
  v_owner_id := coalesce(crm.active_member((p_args ->> 'owner_id')::uuid), crm.default_owner());
  if v_owner_id is null then
    perform api.fail('owner_unresolved');
  end if;

  v_company := crm.find_or_create_company(p_args ->> 'company_name', v_owner_id);
  v_contact := crm.find_or_create_contact(p_args, v_company.id, v_owner_id);
  insert into crm.deals (
    workspace_id, title, value, recurring_value, pipeline_id, stage_id, contact_id, company_id, owner_id,
    source, utm, custom_fields, external_id, from_lead
  )
  select
    v_workspace_id, c.name, (p_args ->> 'value')::numeric, (p_args ->> 'recurring_value')::numeric,
    v_target.pipeline_id, v_target.stage_id, c.id, v_company.id, v_owner_id,
    p_args ->> 'source', nullif(p_args -> 'utm', 'null'), nullif(p_args -> 'custom_fields', 'null'), v_external_id,
    true
  from crm.contacts c
  where c.workspace_id = v_workspace_id and c.id = v_contact.id
  returning * into v_deal;

  if v_external_id is not null then
    insert into crm.lead_receipts (workspace_id, external_id, deal_id, contact_id, company_id)
    values (v_workspace_id, v_external_id, v_deal.id, v_contact.id, v_company.id);
  end if;

  return json_build_object(
    'lead', crm.lead_json(v_deal, v_contact.id, v_company.id),
    'idempotent', false,
    'created', json_build_object('company', v_company.created, 'contact', v_contact.created, 'deal', true)
  );
end
$$;
comment on function api.lead_create(jsonb) is
  'Creates a lead, or returns the result of an earlier call with the same external_id (spec 2.3, 2.4, 4.1).';

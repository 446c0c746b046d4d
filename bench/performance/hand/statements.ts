/** The columns of a contact in a reply. */
export const COLUMNS =
  `id, workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id,
  instagram, linkedin, notes, custom_fields, created_at, updated_at`;

/** Calls a minute for each key: the same limit as the API's. */
export const CALLS_A_MINUTE = 120;

/**
 * Makes a table that counts each key's calls in the current minute. Also makes copies of companies, contacts, deals,
 * pipelines and stages, with constraints and indexes, but without row-level security and triggers.
 */
export const MAKE_TABLES = `
  create schema hand;
  create table hand.call_counts (
    key_id uuid primary key,
    minute timestamptz not null,
    calls integer not null
  ) with (fillfactor = 50);
  create table hand.companies (
    like crm.companies including all,
    foreign key (workspace_id, owner_id) references crm.members (workspace_id, id)
  );
  create table hand.contacts (
    like crm.contacts including all,
    foreign key (workspace_id, company_id) references hand.companies (workspace_id, id),
    foreign key (workspace_id, owner_id) references crm.members (workspace_id, id)
  );
  create table hand.deals (
    like crm.deals including all,
    foreign key (workspace_id, pipeline_id, stage_id) references crm.stages (workspace_id, pipeline_id, id),
    foreign key (workspace_id, contact_id) references hand.contacts (workspace_id, id),
    foreign key (workspace_id, company_id) references hand.companies (workspace_id, id),
    foreign key (workspace_id, owner_id) references crm.members (workspace_id, id)
  );
  insert into hand.companies (workspace_id, id, name, owner_id)
  select workspace_id, id, name, owner_id from crm.companies;
  insert into hand.contacts (workspace_id, id, name, email, phone, owner_id)
  select workspace_id, id, name, email, phone, owner_id from crm.contacts;
  insert into hand.deals (workspace_id, id, title, value, contact_id, owner_id, pipeline_id, stage_id, external_id)
  select workspace_id, id, title, value, contact_id, owner_id, pipeline_id, stage_id, external_id from crm.deals;
  create table hand.pipelines (like crm.pipelines including all);
  create table hand.stages (like crm.stages including all);
  insert into hand.pipelines select * from crm.pipelines;
  insert into hand.stages select * from crm.stages;
  analyze hand.companies, hand.contacts, hand.deals, hand.pipelines, hand.stages;`;

/**
 * The gate: finds the caller by the key's hash ($1) and scope ($2), and counts the call. `counted` has no row for an
 * invalid key, and `allowed` has none for a key over its limit.
 */
const GATE = `
  with caller as (
    select k.workspace_id, k.id, k.member_id
    from crm.key_secrets s
    join crm.api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id
    where s.hash = $1::bytea and (s.expires_at is null or s.expires_at > now())
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) and $2::text = any (k.scopes)
  ),
  counted as (
    insert into hand.call_counts as c (key_id, minute, calls)
    select caller.id, date_trunc('minute', now()), 1 from caller
    on conflict (key_id) do update set
      calls = case when c.minute = excluded.minute then c.calls + 1 else 1 end,
      minute = excluded.minute
    returning c.calls
  ),
  allowed as (
    select caller.workspace_id, caller.member_id from caller, counted where counted.calls <= ${CALLS_A_MINUTE}
  )`;

/**
 * Takes in a lead. Finds or creates the company with this name and the contact with this e-mail, and creates a deal in
 * the first stage of the default pipeline. Takes no locks, so concurrent calls may create duplicates.
 */
export const INSERT_LEAD = `who as materialized (select * from allowed),
  known_company as (
    select c.id from who
    join hand.companies c on c.workspace_id = who.workspace_id and c.name_key = lower($6::text)
    order by c.id limit 1
  ),
  new_company as (
    insert into hand.companies (workspace_id, name, owner_id)
    select who.workspace_id, $6, who.member_id from who where not exists (select from known_company)
    returning id
  ),
  company as (select id from known_company union all select id from new_company),
  known_contact as (
    select c.id from who
    join hand.contacts c on c.workspace_id = who.workspace_id and c.email = $4
    order by c.id limit 1
  ),
  new_contact as (
    insert into hand.contacts (workspace_id, name, email, phone, company_id, owner_id)
    select who.workspace_id, $3, $4, $5, company.id, who.member_id from who, company
    where not exists (select from known_contact)
    returning id
  ),
  contact as (select id from known_contact union all select id from new_contact),
  deal as (
    insert into hand.deals (
      workspace_id, title, value, source, contact_id, company_id, owner_id, pipeline_id, stage_id
    )
    select who.workspace_id, $3, $7, $8, contact.id, company.id, who.member_id, s.pipeline_id, s.id
    from who, contact, company
    cross join lateral (
      select s.pipeline_id, s.id from hand.pipelines p
      join hand.stages s on s.workspace_id = p.workspace_id and s.pipeline_id = p.id and s.is_active
      where p.workspace_id = who.workspace_id and p.is_default
      order by s.position limit 1
    ) s
    returning id, contact_id, company_id
  )`;

const ofContact = COLUMNS.split(",").map((column) => `c.${column.trim()}`).join(", ");

/**
 * The statement of each operation, with the gate. For an unknown key or a missing scope it returns no row. If the key
 * is over its limit, or there is no record, it returns a row with only `calls`.
 */
export const GATED = {
  read: `${GATE}
    select counted.calls, ${ofContact}
    from counted left join (allowed a join hand.contacts c on c.workspace_id = a.workspace_id and c.id = $3) on true`,
  list: `${GATE}
    select counted.calls, ${ofContact}
    from counted left join (
      select c.* from allowed a
      cross join lateral (
        select c.* from hand.contacts c where c.workspace_id = a.workspace_id order by c.id desc limit 50
      ) c
    ) c on true`,
  create: `${GATE},
  contact as (
    insert into hand.contacts (workspace_id, name, email, phone, owner_id)
    select a.workspace_id, $3, $4, $5, a.member_id from allowed a
    returning id
  )
  select counted.calls, contact.id from counted left join contact on true`,
  lead: `${GATE},
  ${INSERT_LEAD}
  select counted.calls, deal.id, deal.contact_id, deal.company_id from counted left join deal on true`,
};

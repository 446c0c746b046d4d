/** The columns with which a contact is shown. */
export const COLUMNS =
  `id, workspace_id, name, email, phone, phone2, whatsapp, job_title, company_id, owner_id,
  instagram, linkedin, notes, custom_fields, created_at, updated_at`;

export const READ_CONTACT = `select ${COLUMNS} from crm.contacts where workspace_id = $1 and id = $2`;

/** As many rows as the API's default page, by the primary key. */
export const LIST_CONTACTS =
  `select ${COLUMNS} from crm.contacts where workspace_id = $1 order by id desc limit 50`;

/**
 * Copies of companies, contacts and deals, with constraints, indexes and the main columns of their rows, but without
 * row-level security and triggers.
 */
export const MAKE_TABLES = `
  create schema bare;
  create table bare.companies (
    like crm.companies including all,
    foreign key (workspace_id, owner_id) references crm.members (workspace_id, id)
  );
  create table bare.contacts (
    like crm.contacts including all,
    foreign key (workspace_id, company_id) references bare.companies (workspace_id, id),
    foreign key (workspace_id, owner_id) references crm.members (workspace_id, id)
  );
  create table bare.deals (
    like crm.deals including all,
    foreign key (workspace_id, pipeline_id, stage_id) references crm.stages (workspace_id, pipeline_id, id),
    foreign key (workspace_id, contact_id) references bare.contacts (workspace_id, id),
    foreign key (workspace_id, company_id) references bare.companies (workspace_id, id),
    foreign key (workspace_id, owner_id) references crm.members (workspace_id, id)
  );
  insert into bare.companies (workspace_id, id, name, owner_id)
  select workspace_id, id, name, owner_id from crm.companies;
  insert into bare.contacts (workspace_id, id, name, email, phone, owner_id)
  select workspace_id, id, name, email, phone, owner_id from crm.contacts;
  insert into bare.deals (workspace_id, id, title, value, contact_id, owner_id, pipeline_id, stage_id, external_id)
  select workspace_id, id, title, value, contact_id, owner_id, pipeline_id, stage_id, external_id from crm.deals;
  analyze bare.companies, bare.contacts, bare.deals;`;

export const INSERT_CONTACT = `insert into bare.contacts (workspace_id, name, email, phone, owner_id)
  values ($1, $2, $3, $4, $5) returning id`;

/** The three rows that a lead creates if it finds no contact and no company. */
export const INSERT_LEAD = `
  with company as (
    insert into bare.companies (workspace_id, name, owner_id) values ($1, $5, $8) returning id
  ),
  contact as (
    insert into bare.contacts (workspace_id, name, email, phone, company_id, owner_id)
    select $1, $2, $3, $4, company.id, $8 from company returning id, company_id
  )
  insert into bare.deals (
    workspace_id, title, value, source, contact_id, company_id, owner_id, pipeline_id, stage_id
  )
  select $1, $2, $6, $7, contact.id, contact.company_id, $8, $9, $10 from contact
  returning id, contact_id, company_id`;

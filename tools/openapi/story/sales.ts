// The story's values for the records that integrators read and write.
import { IDS, MOMENTS as at } from "./ids.ts";

const custom_fields = { segmento: "alimentação" };

/** The bakery that asks for an offer. */
export const company = {
  id: IDS.company,
  workspace_id: IDS.workspace,
  name: "Padaria Sol",
  legal_name: "Padaria Sol Ltda.",
  tax_id: "12ABC34501DE35",
  domain: "padariasol.com.br",
  website: "https://padariasol.com.br",
  email: "contato@padariasol.com.br",
  phone: "+55 19 3234-5678",
  industry: "Alimentação",
  employee_count: 40,
  instagram: "@padariasol",
  address: {
    street: "Rua das Flores",
    number: "100",
    district: "Centro",
    city: "Campinas",
    state: "SP",
    postal_code: "13010-000",
    country: "BR",
  },
  owner_id: IDS.member,
  custom_fields,
  external_id: "erp-207",
  created_at: at.leadArrived,
  updated_at: at.leadArrived,
};

/** Ana, who buys for the bakery. */
export const contact = {
  id: IDS.contact,
  workspace_id: IDS.workspace,
  name: "Ana Souza",
  email: "ana@padariasol.com.br",
  phone: "+55 19 91234-5678",
  whatsapp: "+55 19 91234-5678",
  job_title: "Compradora",
  company_id: IDS.company,
  owner_id: IDS.member,
  custom_fields,
  external_id: "cliente-1042",
  created_at: at.leadArrived,
  updated_at: at.leadArrived,
};

const utm = { source: "google", medium: "cpc", campaign: "primavera" };

/** The deal while it is open: the proposal was sent, and the meeting with Ana is planned. */
export const deal = {
  id: IDS.deal,
  workspace_id: IDS.workspace,
  title: "Padaria Sol: plano anual",
  status: "aberto",
  value: 12500.5,
  recurring_value: 990,
  pipeline_id: IDS.pipeline,
  stage_id: IDS.stages[1],
  contact_id: IDS.contact,
  company_id: IDS.company,
  owner_id: IDS.member,
  expected_close_date: "2026-10-30",
  source: "Formulário do site",
  utm,
  custom_fields,
  external_id: "form-2026-0042",
  stage_changed_at: at.moved,
  last_activity_at: at.meetingPlanned,
  created_at: at.leadArrived,
  updated_at: at.moved,
};

/** The deal just after the lead arrived. */
export const newDeal = {
  stage_id: IDS.stages[0],
  stage_changed_at: at.leadArrived,
  last_activity_at: null,
  updated_at: at.leadArrived,
};

/** What winning the deal changes. */
export const wonDeal = {
  status: "ganho",
  stage_id: IDS.stages[2],
  stage_changed_at: at.closed,
  won_at: at.closed,
  closed_at: at.closed,
  updated_at: at.closed,
};

/** What losing the deal would change. */
export const lostDeal = {
  status: "perdido",
  stage_id: IDS.stages[3],
  stage_changed_at: at.closed,
  loss_reason_id: IDS.lossReason,
  loss_note: "Escolheu outro fornecedor",
  lost_at: at.closed,
  closed_at: at.closed,
  updated_at: at.closed,
};

/** The meeting in which the proposal is presented. */
const activity = {
  id: IDS.activity,
  workspace_id: IDS.workspace,
  deal_id: IDS.deal,
  contact_id: IDS.contact,
  owner_id: IDS.member,
  created_by_id: IDS.member,
  type: "reuniao",
  title: "Apresentar a proposta",
  description: "Levar a amostra",
  due_at: at.meeting,
  duration_minutes: 40,
  is_online_meeting: true,
  meeting_url: "https://meet.example.com/abc",
  status: "pendente",
  is_overdue: false,
  created_at: at.meetingPlanned,
  updated_at: at.meetingPlanned,
};

/** What was said in the first meeting. */
const note = {
  id: IDS.note,
  deal_id: IDS.deal,
  author_id: IDS.member,
  body: "Reunião: apresentação, 30 de setembro, 40 min\nDecisor presente: sim",
  kind: "note",
  source: "integration",
  created_at: at.noted,
  updated_at: at.noted,
};

const proposal = {
  id: IDS.proposal,
  workspace_id: IDS.workspace,
  deal_id: IDS.deal,
  title: "Plano anual",
  value: deal.value,
  recurring_value: deal.recurring_value,
  status: "enviada",
  sent_at: at.proposalSent,
  expires_at: "2026-10-31T23:59:59.000Z",
  created_at: at.proposalMade,
  updated_at: at.proposalSent,
};

/** The funnel of the mill, in order. */
export const stages = [
  ["Prospecção", "pre-venda"],
  ["Proposta", "venda"],
  ["Ganho", "won"],
  ["Perdido", "lost"],
].map(([name, type], index) => ({ id: IDS.stages[index], name, position: index + 1, type, is_active: true }));

/** The only funnel. */
export const pipeline = {
  id: IDS.pipeline,
  workspace_id: IDS.workspace,
  name: "Vendas",
  is_default: true,
  is_active: true,
  created_at: at.signedUp,
  stages,
};

/** The body that the form on the site sent. */
const submission = {
  first_name: "Ana",
  last_name: "Souza",
  email: contact.email,
  phone: contact.phone,
  company_name: company.name,
  external_id: deal.external_id,
  value: deal.value,
  recurring_value: deal.recurring_value,
  source: deal.source,
  utm,
  custom_fields,
};

const lead = {
  deal_id: IDS.deal,
  contact_id: IDS.contact,
  company_id: IDS.company,
  workspace_id: IDS.workspace,
  status: "aberto",
  pipeline_id: IDS.pipeline,
  stage_id: IDS.stages[0],
  owner_id: IDS.member,
  created_at: at.leadArrived,
};

/** Carlos, who decides at the bakery. */
const dealContact = {
  contact_id: IDS.otherContact,
  name: "Carlos Prado",
  role: "decisor",
  is_main: false,
  added_at: at.noted,
};

/** A field of every deal: the size of the customer. */
const customField = {
  object_type: "deal",
  key: "porte",
  label: "Porte",
  type: "choice",
  choices: ["Pequeno", "Grande"],
};

/**
 * The values of each record, by the name of its schema. The values of a body such as `NewDeal` come from the record.
 */
export const SALES = {
  CustomField: { ...customField, id: IDS.customField },
  CustomFieldInUse: customField,
  Company: company,
  Contact: contact,
  ContactErased: { id: IDS.contact },
  Deal: deal,
  DealContact: dealContact,
  DealContactList: {
    data: [
      { contact_id: IDS.contact, name: contact.name, role: null, is_main: true, added_at: null },
      dealContact,
    ],
  },
  Activity: activity,
  Note: note,
  Proposal: proposal,
  // Leaves out expires_at, which would have to be in the future when a test sends the example.
  NewProposal: { title: proposal.title, value: proposal.value, recurring_value: proposal.recurring_value },
  ProposalView: { ...proposal, seller: { name: "Moinho Norte" } },
  Pipeline: pipeline,
  ActivePipeline: {
    ...pipeline,
    stages: stages.map(({ id, name, type }) => ({ id, name, type })),
  },
  Stage: stages[0]!,
  LeadRequest: submission,
  LeadSubmission: submission,
  LeadResult: {
    lead,
    idempotent: false,
    created: { company: true, contact: true, deal: true },
    matched_by: null,
    differences: [],
  },
  LeadReceived: { lead, source: deal.source, utm, external_id: deal.external_id },
  MoveStage: { stage_id: IDS.stages[1] },
};

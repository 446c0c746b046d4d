// first-lead.mjs: node first-lead.mjs
import process from "node:process";
import { Crm } from "@crm-api/sdk";

const crm = new Crm({ key: process.env.CRM_KEY, baseUrl: process.env.CRM_URL });

const { lead, idempotent } = await crm.leads.create({
  first_name: "Ana",
  email: "ana@padariasol.com.br",
  company_name: "Padaria Sol",
  external_id: "site-1042",
});
console.log(idempotent ? "já existia" : "criado", lead.deal_id);

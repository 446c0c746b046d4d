// lists.mjs
import process from "node:process";
import { Crm } from "@crm-api/sdk";

const crm = new Crm({ key: process.env.CRM_KEY, baseUrl: process.env.CRM_URL });

for await (const contact of crm.contacts.list({ q: "padaria" })) {
  console.log(contact.id, contact.name, contact.email);
}

const { data, meta } = await crm.deals.list({ status: ["aberto"], limit: 20 }).page();
console.log(data.length, meta.has_more);

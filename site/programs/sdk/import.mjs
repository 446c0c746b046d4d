// import.mjs
import process from "node:process";
import { Crm } from "@crm-api/sdk";

const crm = new Crm({ key: process.env.CRM_KEY, baseUrl: process.env.CRM_URL });
const rows = [
  { external_id: "c-1", name: "Marina Alves", email: "marina@padariasol.com.br" },
  { external_id: "c-2", name: "João Lima", email: "joao@" },
];

const { results, summary } = await crm.contacts.batch(
  rows.map((data) => ({ op: "upsert", match_by: "external_id", data })),
  { onProgress: ({ done }) => console.log(`${done} of ${rows.length}`) },
);
console.log(summary);
for (const { index, error } of results) {
  if (error) console.error(rows[index]?.external_id, error.code, error.details);
}

// client.ts: npm install openapi-fetch@0.17.0, then node client.ts (Node 22.18 or newer)
import process from "node:process";
import createClient from "openapi-fetch";
import type { paths } from "./crm.ts";

const { CRM_URL = "", CRM_KEY = "" } = process.env;
const crm = createClient<paths>({
  baseUrl: CRM_URL,
  headers: { "X-API-Key": CRM_KEY },
  querySerializer: { array: { style: "form", explode: false } },
});

const { data, error } = await crm.GET("/api-v1-deals", { params: { query: { status: ["aberto", "ganho"] } } });
if (error) throw new Error(`${error.error.code}: ${error.error.message}`);
for (const deal of data.data) console.log(deal.title, deal.status);

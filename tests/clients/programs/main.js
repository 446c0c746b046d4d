import process from "node:process";
import { firstLead } from "./first_lead.js";

const seen = await firstLead({ key: process.env.CRM_KEY, baseUrl: process.env.CRM_URL });
console.log(JSON.stringify({ ...seen, runtime: process.versions.bun ? "bun" : "node" }));

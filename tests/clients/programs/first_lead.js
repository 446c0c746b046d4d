// Uses a lead, a list, an error, a batch and a signature, and prints the results.
import process from "node:process";
import { Crm, CrmError, replyOf, verifyWebhook } from "@crm-api/sdk";

const crm = new Crm({ key: process.env.CRM_KEY, baseUrl: process.env.CRM_URL });
const email = `${crypto.randomUUID()}@exemplo.com.br`;
const result = await crm.leads.create({ first_name: "Ana", email });
const names = [];
for await (const { name } of crm.contacts.list({ email })) names.push(name);
const refused = await crm.contacts.create({ name: "" }).catch((error) => error);
const batch = await crm.notes.batch([
  { op: "create", data: { deal_id: result.lead.deal_id, body: "Olá" } },
]);
console.log(JSON.stringify({
  status: replyOf(result).status,
  names,
  code: refused instanceof CrmError ? refused.code : String(refused),
  created: batch.summary.created,
  event: (await verifySigned("whsec_exemplo")).event,
  runtime: process.versions.bun ? "bun" : "node",
}));

/** Signs a delivery as the service does, and verifies it. */
async function verifySigned(secret) {
  const encoder = new TextEncoder();
  const [timestamp, body] = [String(Math.floor(Date.now() / 1000)), '{"event":"deal.won"}'];
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const digest = await crypto.subtle.sign("HMAC", key, encoder.encode(`${timestamp}.${body}`));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const headers = { "x-service-timestamp": timestamp, "x-service-signature": `sha256=${hex}` };
  return await verifyWebhook(body, headers, [secret]);
}

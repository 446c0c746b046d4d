// Receives webhooks with Hono: checks the signature over the raw bytes, stores the event, answers, then works.
import process from "node:process";
import { CrmError, verifyWebhook } from "@crm-api/sdk";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { openInbox } from "./inbox.js";
import { work } from "./work.js";

const { PORT = "8080", DATABASE = "inbox.db", RETRY_SECONDS = "60" } = process.env;
// Two secrets while one replaces the other. An empty one would be everybody's, so it counts as none.
const secrets = [process.env.CRM_WEBHOOK_SECRET, process.env.CRM_WEBHOOK_SECRET_NEXT].filter(Boolean);
if (secrets.length === 0) {
  console.error("Preencha CRM_WEBHOOK_SECRET no arquivo .env.");
  process.exit(1);
}
const inbox = openInbox(DATABASE, work, Number(RETRY_SECONDS));

const app = new Hono();
app.post("/hooks/crm", bodyLimit({ maxSize: 2_000_000 }), async (c) => {
  // The bytes as they came, because the signature covers them, and JSON that is written again may differ.
  const raw = new Uint8Array(await c.req.arrayBuffer());
  let delivery;
  try {
    delivery = await verifyWebhook(raw, c.req.raw.headers, secrets);
  } catch (error) {
    if (!(error instanceof CrmError)) throw error;
    console.error(`Recusado: ${error.code}`);
    return c.body(null, 401);
  }
  inbox.add(delivery);
  return c.body(null, 204);
});

serve(
  { fetch: app.fetch, port: Number(PORT), hostname: "127.0.0.1" },
  () => console.log(`Receptor em http://127.0.0.1:${PORT}/hooks/crm`),
);

// Receives webhooks with Express: checks the signature over the raw bytes, stores the event, answers, then works.
import process from "node:process";
import { CrmError, verifyWebhook } from "@crm-api/sdk";
import express from "express";
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

const app = express();
app.disable("x-powered-by");
// Express tells strangers the stack of an error otherwise.
app.set("env", "production");
// raw, not json: the signature covers the bytes as they came, and JSON that is written again may differ.
app.post("/hooks/crm", express.raw({ type: () => true, limit: "2mb" }), async (request, response) => {
  let delivery;
  try {
    delivery = await verifyWebhook(request.body ?? "", request.headers, secrets);
  } catch (error) {
    if (!(error instanceof CrmError)) throw error;
    console.error(`Recusado: ${error.code}`);
    return response.sendStatus(401);
  }
  inbox.add(delivery);
  response.sendStatus(204);
});

app.listen(Number(PORT), "127.0.0.1", () => console.log(`Receptor em http://127.0.0.1:${PORT}/hooks/crm`));

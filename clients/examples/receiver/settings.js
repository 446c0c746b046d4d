// What both receivers read from .env.
import process from "node:process";
import { openInbox } from "./inbox.js";
import { work } from "./work.js";

const { PORT = "8080", DATABASE = "inbox.db", RETRY_SECONDS = "60" } = process.env;
export const port = Number(PORT);
// During a rotation both secrets are valid. Anybody can sign with an empty secret, so empty secrets are left out.
export const secrets = [process.env.CRM_WEBHOOK_SECRET, process.env.CRM_WEBHOOK_SECRET_NEXT].filter(Boolean);
if (secrets.length === 0) {
  console.error("Preencha CRM_WEBHOOK_SECRET no arquivo .env.");
  process.exit(1);
}
export const inbox = openInbox(DATABASE, work, Number(RETRY_SECONDS));

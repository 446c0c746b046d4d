// Receives the form, stores the lead, and passes it on to the CRM. The API key never leaves this server.
import { randomUUID } from "node:crypto";
import process from "node:process";
import { Crm } from "@crm-api/sdk";
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { z } from "zod";
import { openOutbox } from "./outbox.js";

const { CRM_URL, CRM_KEY, FORM_ORIGIN, PORT = "8787", OUTBOX = "outbox", RETRY_SECONDS = "30" } = process.env;
if (!CRM_URL || !CRM_KEY || !FORM_ORIGIN) {
  console.error("Preencha CRM_URL, CRM_KEY e FORM_ORIGIN no arquivo .env.");
  process.exit(1);
}
// The SDK does not retry here, because the outbox does, even after a restart.
const crm = new Crm({ baseUrl: CRM_URL, key: CRM_KEY, retries: 0 });
const outbox = await openOutbox(crm, { folder: OUTBOX, retrySeconds: Number(RETRY_SECONDS) });

const text = (max, missing) =>
  z.string(missing).trim().min(1, missing).max(max, `Use no máximo ${max} caracteres.`);
// Campaign fields come from the link. The visitor cannot correct them, so an invalid value is dropped, not refused.
const utm = ["source", "medium", "campaign", "term", "content"]
  .map((key) => [`utm_${key}`, text(255).optional().catch(undefined)]);
const Form = z.object({
  first_name: text(120, "Informe seu nome."),
  last_name: text(120).optional(),
  email: z.email("Confira o e-mail.").optional(),
  phone: text(40).optional(),
  company_name: text(255).optional(),
  message: text(2000).optional(),
  ...Object.fromEntries(utm),
}).refine(({ email, phone }) => email || phone, {
  path: ["email"],
  error: "Informe um e-mail ou um telefone.",
  // Checked even if another field is wrong, so that the visitor sees all errors at once.
  when: () => true,
});
/** Enough for all fields at their longest, in URL encoding with up to 9 bytes for a character. */
const MAX_BYTES = 65_536;
const RECEIVED = { message: "Recebemos seus dados. Em breve entraremos em contato." };

const app = new Hono();
const origins = FORM_ORIGIN.split(",");
app.use("/leads", cors({ origin: origins, allowMethods: ["POST"] }));
app.post("/leads", bodyLimit({ maxSize: MAX_BYTES }), async (c) => {
  // Without JavaScript the browser shows the reply itself, so it gets plain text.
  const answer = (body, status) =>
    c.req.header("Accept")?.includes("text/html") ? c.text(body.message, status) : c.json(body, status);
  // CORS only hides the answer from pages of other sites, so this check refuses their requests.
  if (!origins.includes(c.req.header("Origin"))) return answer({ message: "Origem não permitida." }, 403);

  const { website, submission_id, ...typed } = await c.req.parseBody();
  // People do not see this field. A bot that filled it in is told that it succeeded, so that it does not try again.
  if (website) return answer(RECEIVED, 202);

  const form = Form.safeParse(Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== "")));
  if (!form.success) {
    const errors = Object.fromEntries(form.error.issues.map(({ path, message }) => [path[0], message]));
    return answer({ message: "Confira os campos indicados.", errors }, 422);
  }
  // The page creates the id. If no reply comes and the visitor sends the form again, the CRM creates only one lead.
  const external_id = z.uuid().safeParse(submission_id).data ?? randomUUID();
  const { message, ...lead } = form.data;
  await outbox.keep({
    ...lead,
    external_id,
    source: "site",
    ...(message && { custom_fields: { mensagem: message } }),
  });
  return answer(RECEIVED, 202);
});
app.use("*", serveStatic({ root: "public" }));

// Listens only on this machine: calls from outside must come through the proxy, which limits them.
serve(
  { fetch: app.fetch, port: Number(PORT), hostname: "127.0.0.1" },
  () => console.log(`Formulário em http://localhost:${PORT}`),
);

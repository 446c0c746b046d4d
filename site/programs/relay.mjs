import { randomUUID } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";

const { CRM_URL, CRM_KEY, PORT = "8787" } = process.env;
const FIELDS = ["first_name", "last_name", "email", "phone", "company_name"];
const UTM = [
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
];
const REFUSED = [400, 413, 422];
const LABELS = {
  first_name: "Nome",
  email: "E-mail",
  phone: "Telefone",
  company_name: "Empresa",
};
if (!CRM_URL || !CRM_KEY) {
  throw new Error("Faltam as variáveis de ambiente CRM_URL e CRM_KEY");
}
for (const folder of ["queue", "refused"]) {
  mkdirSync(folder, { recursive: true });
}

function keep(form) {
  const id = /^[0-9a-f-]{36}$/.test(form.get("form_id"))
    ? form.get("form_id")
    : randomUUID();
  const lead = { external_id: `site-${id}`, source: "Site" };
  for (const name of [...FIELDS, ...UTM]) {
    if (form.get(name)?.trim()) lead[name] = form.get(name).trim();
  }
  writeFileSync(`queue/${id}.json`, JSON.stringify(lead));
  return id;
}

async function send(id) {
  try {
    const body = readFileSync(`queue/${id}.json`);
    const response = await fetch(`${CRM_URL}/api-v1-leads`, {
      method: "POST",
      headers: {
        "X-API-Key": CRM_KEY,
        "Content-Type": "application/json",
        "Prefer": "handling=strict",
      },
      body,
      signal: AbortSignal.timeout(10_000),
    });
    const { error } = await response.json().catch(() => ({}));
    const isRefused = REFUSED.includes(response.status);
    if (isRefused) writeFileSync(`refused/${id}.json`, body);
    if (response.ok || isRefused) rmSync(`queue/${id}.json`, { force: true });
    if (response.ok) {
      console.log(`Enviado: ${id}`);
    } else if (isRefused) {
      console.error(
        `Recusado, ver refused/${id}.json: ${JSON.stringify(error)}`,
      );
    } else {
      console.error(
        `Fica na fila: ${id}: ${response.status} ${error?.code ?? ""}`,
      );
    }
    return { status: response.status, details: error?.details ?? [] };
  } catch (error) {
    console.error(
      `Fica na fila: ${id}: ${error.cause?.code ?? error.message}`,
    );
    return { status: 0, details: [] };
  }
}

async function sendQueue() {
  for (const file of readdirSync("queue")) {
    if (!file.endsWith(".json")) continue;
    const { status } = await send(file.replace(".json", ""));
    if ([0, 401, 403, 429, 503].includes(status)) break;
  }
  setTimeout(sendQueue, 30_000);
}

async function answer(body) {
  const form = new URLSearchParams(body);
  if (form.get("website")) return [200, "Obrigado!"];
  const { status, details } = await send(keep(form));
  if (!REFUSED.includes(status)) {
    return [200, "Obrigado! Entraremos em contato."];
  }
  const wrong = details.map(({ field, message }) => `${LABELS[field] ?? field}: ${message}`)
    .join("\n");
  return [422, `Não foi possível enviar. Volte e corrija:\n${wrong}`];
}

createServer((request, response) => {
  const chunks = [];
  let size = 0;
  request.on("data", (chunk) => {
    size += chunk.length;
    if (size > 20_000) request.destroy();
    else chunks.push(chunk);
  });
  request.on("end", async () => {
    const isLead = request.method === "POST" && request.url === "/lead";
    const [status, text] = isLead
      ? await answer(Buffer.concat(chunks).toString())
      : [404, "Não existe"];
    response.writeHead(status, {
      "Content-Type": "text/plain; charset=utf-8",
    }).end(text);
  });
}).listen(
  Number(PORT),
  () => console.log(`Recebendo em http://127.0.0.1:${PORT}/lead`),
);
sendQueue();

/**
 * `deno task demo`: acts as two systems of a customer. The first sends a lead with an API key. The second subscribes to
 * `lead.received` and checks the signature of the webhook (spec 6.4).
 */
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { type ReadyStack, startStackProcess } from "./stack_process.ts";

const DELIVERY_TIMEOUT_MS = 15_000;

interface Delivery {
  headers: Headers;
  raw: Uint8Array;
}

const dataDir = await Deno.makeTempDir({ prefix: "crm-demo-" });
let stack: ReadyStack | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => void end(1));
}
try {
  await runDemo();
  console.log("\nEvery step did what the specification requires.");
  await end(0);
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`);
  await end(1);
}

async function runDemo(): Promise<void> {
  const receiver = listenForDelivery();
  step("A receiver of webhooks listens", receiver.origin);

  // A target that is not in WEBHOOK_DEV_TARGETS must be https and have a public address.
  stack = await startStackProcess(dataDir, { WEBHOOK_DEV_TARGETS: new URL(receiver.origin).host });
  step("A new stack is ready", stack.file.base_url);

  const subscription = await post(stack, "api-v1-webhooks", {
    event_types: ["lead.received"],
    target_url: `${receiver.origin}/crm`,
  });
  step("A subscription to lead.received has its URL", `subscription ${subscription.id}`);

  const sentAt = performance.now();
  const { lead } = await post(stack, "api-v1-leads", {
    first_name: "Ana",
    last_name: "Souza",
    email: "ana@exemplo.com.br",
    company_name: "Padaria Sol",
    value: 1500,
    external_id: "demo-1",
  });
  step("A lead is created", `deal ${lead.deal_id}, contact ${lead.contact_id}`);

  const { headers, raw } = await receiver.delivery();
  step("Its webhook arrives", `${Math.round(performance.now() - sentAt)} ms later`);
  checkSignature(headers, raw, subscription.secret);
  step("The signature is right", `${headers.get("X-Service-Signature")}`);

  const body = JSON.parse(new TextDecoder().decode(raw));
  assertEqual("X-Service-Event", headers.get("X-Service-Event"), "lead.received");
  assertEqual("X-Service-Delivery-Id", headers.get("X-Service-Delivery-Id"), body.delivery_id);
  assertEqual("event", body.event, "lead.received");
  assertEqual("workspace_id", body.workspace_id, lead.workspace_id);
  assertEqual("object_type", body.object_type, "deal");
  assertEqual("object_id", body.object_id, lead.deal_id);
  step("The body is right", `\n${JSON.stringify(body, null, 2)}`);
}

/** Checks the signature as a receiver should: over the raw bytes, before parsing, compared in constant time. */
function checkSignature(headers: Headers, raw: Uint8Array, secret: string): void {
  const timestamp = headers.get("X-Service-Timestamp") ?? "";
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > 60) throw new Error(`X-Service-Timestamp is "${timestamp}"`);
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(raw).digest();
  const received = Buffer.from((headers.get("X-Service-Signature") ?? "").replace(/^sha256=/, ""), "hex");
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
    throw new Error("X-Service-Signature is not the HMAC-SHA256 of the timestamp, a dot and the body");
  }
}

function listenForDelivery(): { origin: string; delivery(): Promise<Delivery> } {
  const { promise, resolve, reject } = Promise.withResolvers<Delivery>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    resolve({ headers: request.headers, raw: new Uint8Array(await request.arrayBuffer()) });
    return new Response(null, { status: 204 });
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    delivery() {
      const seconds = DELIVERY_TIMEOUT_MS / 1000;
      setTimeout(() => reject(new Error(`no webhook arrived in ${seconds} s`)), DELIVERY_TIMEOUT_MS);
      return promise;
    },
  };
}

// deno-lint-ignore no-explicit-any -- the callers check the fields that they use
async function post({ file }: ReadyStack, resource: string, body: unknown): Promise<any> {
  const response = await fetch(`${file.base_url}/${resource}`, {
    method: "POST",
    headers: { "X-API-Key": file.demo_key, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`POST ${resource} answered ${response.status} ${text}`);
  return JSON.parse(text);
}

function assertEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what} is "${actual}", not "${expected}"`);
}

function step(what: string, detail: string): void {
  console.log(`✓ ${what}: ${detail}`);
}

async function end(code: number): Promise<never> {
  await stack?.stop();
  await Deno.remove(dataDir, { recursive: true });
  Deno.exit(code);
}

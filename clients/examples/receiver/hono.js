// Receives webhooks with Hono: checks the signature over the raw bytes, stores the event, and answers.
import { CrmError, verifyWebhook } from "@crm-api/sdk";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { inbox, port, secrets } from "./settings.js";

const app = new Hono();
app.post("/hooks/crm", bodyLimit({ maxSize: 2_000_000 }), async (c) => {
  // Not parsed yet, because the signature covers the received bytes, and re-serialized JSON may differ.
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
  { fetch: app.fetch, port, hostname: "127.0.0.1" },
  () => console.log(`Receptor em http://127.0.0.1:${port}/hooks/crm`),
);

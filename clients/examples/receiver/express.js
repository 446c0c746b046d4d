// Receives webhooks with Express: checks the signature over the raw bytes, stores the event, and answers.
import { CrmError, verifyWebhook } from "@crm-api/sdk";
import express from "express";
import { inbox, port, secrets } from "./settings.js";

const app = express();
app.disable("x-powered-by");
// In any other environment, Express sends the stack trace of an error to the caller.
app.set("env", "production");
// express.raw, not express.json, because the signature covers the received bytes, and re-serialized JSON may differ.
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

app.listen(port, "127.0.0.1", () => console.log(`Receptor em http://127.0.0.1:${port}/hooks/crm`));

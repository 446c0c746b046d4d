// Receives webhooks: deno serve with_sdk.ts, or bun with_sdk.ts, with CRM_WEBHOOK_SECRET in the environment, and
// CRM_WEBHOOK_SECRET_NEXT while one secret replaces the other.
import process from "node:process";
import { CrmError, verifyWebhook } from "@crm-api/sdk";

const secrets = [process.env["CRM_WEBHOOK_SECRET"], process.env["CRM_WEBHOOK_SECRET_NEXT"]];

export default {
  async fetch(request: Request): Promise<Response> {
    try {
      const delivery = await verifyWebhook(await request.text(), request.headers, secrets);
      // Store the delivery here, unless its delivery_id is already stored.
      if (delivery.event === "deal.won") {
        console.log(delivery.delivery_id, delivery.data.title, delivery.data.value);
      }
      return new Response(null, { status: 204 });
    } catch (error) {
      if (error instanceof CrmError) return new Response(null, { status: 401 });
      throw error;
    }
  },
};

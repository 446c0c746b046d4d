// receiver.mjs: CRM_WEBHOOK_SECRET=whsec_… node receiver.mjs
import { createServer } from "node:http";
import process from "node:process";
import { buffer } from "node:stream/consumers";
import { CrmError, verifyWebhook } from "@crm-api/sdk";

const secrets = [process.env.CRM_WEBHOOK_SECRET, process.env.CRM_WEBHOOK_SECRET_NEXT];

const server = createServer(async (request, response) => {
  try {
    const delivery = await verifyWebhook(await buffer(request), request.headers, secrets);
    if (delivery.event === "deal.won") console.log(delivery.data.title, delivery.data.value);
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof CrmError)) console.error(error);
    response.writeHead(error instanceof CrmError ? 401 : 500).end();
  }
});
server.listen(Number(process.env.PORT ?? 8000), "127.0.0.1");

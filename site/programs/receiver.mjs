// receiver.mjs: CRM_WEBHOOK_SECRET=whsec_… node receiver.mjs
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

const TOLERANCE_S = 300;
const secrets = [process.env.CRM_WEBHOOK_SECRET, process.env.CRM_WEBHOOK_SECRET_NEXT].filter(Boolean);
if (secrets.length === 0) throw new Error("CRM_WEBHOOK_SECRET is not set");

function isGenuine(raw, header, secrets) {
  const timestamp = header("X-Service-Timestamp") ?? "";
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const received = ["X-Service-Signature", "X-Service-Signature-Next"].map((name) => Buffer.from(header(name) ?? ""));
  return secrets.some((secret) => {
    const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(raw).digest("hex");
    const expected = Buffer.from(`sha256=${digest}`);
    return received.some((bytes) => bytes.length === expected.length && timingSafeEqual(bytes, expected));
  });
}

const server = createServer(async (request, response) => {
  const raw = await buffer(request);
  const genuine = isGenuine(raw, (name) => request.headers[name.toLowerCase()], secrets);
  if (!genuine) return response.writeHead(401).end();
  const delivery = JSON.parse(raw.toString("utf8"));
  console.log(delivery.delivery_id, delivery.event);
  response.writeHead(204).end();
});
server.listen(Number(process.env.PORT ?? 8000), "127.0.0.1");

// receiver.ts: CRM_WEBHOOK_SECRET=whsec_… deno run --allow-env --allow-net receiver.ts
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_S = 300;
const secrets = ["CRM_WEBHOOK_SECRET", "CRM_WEBHOOK_SECRET_NEXT"].flatMap((name) => Deno.env.get(name) || []);
if (secrets.length === 0) throw new Error("CRM_WEBHOOK_SECRET is not set");

function isGenuine(raw: Uint8Array, header: (name: string) => string | null, secrets: string[]): boolean {
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

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT") ?? 8000) }, async (request) => {
  const raw = new Uint8Array(await request.arrayBuffer());
  if (!isGenuine(raw, (name) => request.headers.get(name), secrets)) return new Response(null, { status: 401 });
  const delivery = JSON.parse(new TextDecoder().decode(raw));
  console.log(delivery.delivery_id, delivery.event);
  return new Response(null, { status: 204 });
});

// Receives webhooks: deno serve without_sdk.ts, or bun without_sdk.ts, with CRM_WEBHOOK_SECRET in the environment, and
// CRM_WEBHOOK_SECRET_NEXT while one secret replaces the other.
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import process from "node:process";

interface Deal {
  id: string;
  title: string;
  value: number | null;
}

interface DealWon {
  event: "deal.won";
  delivery_id: string;
  data: Deal;
}

interface Other {
  event: "deal.lost" | "contact.created";
  delivery_id: string;
  data: unknown;
}

const TOLERANCE_S = 300;
const secrets = [process.env["CRM_WEBHOOK_SECRET"], process.env["CRM_WEBHOOK_SECRET_NEXT"]]
  // Anybody can sign with an empty secret.
  .filter((secret): secret is string => Boolean(secret));
if (secrets.length === 0) throw new Error("CRM_WEBHOOK_SECRET is missing");

function isGenuine(raw: Uint8Array, headers: Headers): boolean {
  const timestamp = headers.get("X-Service-Timestamp") ?? "";
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const signatures = ["X-Service-Signature", "X-Service-Signature-Next"].map((name) =>
    Buffer.from(headers.get(name) ?? "")
  );
  return secrets.some((secret) => {
    const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(raw).digest("hex");
    const expected = Buffer.from(`sha256=${digest}`);
    return signatures.some((signature) =>
      signature.length === expected.length && timingSafeEqual(signature, expected)
    );
  });
}

export default {
  async fetch(request: Request): Promise<Response> {
    const raw = new Uint8Array(await request.arrayBuffer());
    if (!isGenuine(raw, request.headers)) return new Response(null, { status: 401 });
    const delivery: DealWon | Other = JSON.parse(new TextDecoder().decode(raw));
    // Store the delivery here, unless its delivery_id is already stored.
    if (delivery.event === "deal.won") {
      console.log(delivery.delivery_id, delivery.data.title, delivery.data.value);
    }
    return new Response(null, { status: 204 });
  },
};

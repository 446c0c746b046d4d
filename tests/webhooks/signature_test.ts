import assert from "node:assert/strict";
import { signature, signedHeaders } from "../../supabase/functions/webhook-dispatcher/sign.ts";

const body = new TextEncoder().encode('{"nome":"João"}');

Deno.test("The signature is the hex HMAC-SHA256 of `<timestamp>.<raw body>`, keyed with the whole secret (spec 6.4)", () => {
  // Computed by Python: hmac.new(b'whsec_x', '1700000000.{"nome":"João"}'.encode(), 'sha256').hexdigest()
  const expected = "d3b21815487d025ab391349b4597ecb4f8b7a6732f9da7158278b5d3287cfd44";
  assert.equal(signature("whsec_x", 1_700_000_000, body), expected);
});

const delivery = {
  event: "deal.won",
  eventId: "0190a000-0000-7000-8000-000000000001",
  deliveryId: "0190a000-0000-7000-8000-000000000002",
  body,
  timestamp: 1_700_000_000,
  secret: "whsec_x",
  nextSecret: null,
};
const signed = (secret: string) => `sha256=${signature(secret, 1_700_000_000, body)}`;

Deno.test("A delivery has the four headers of the contract, and one with the id of its event (spec 6.3)", () => {
  assert.deepEqual(signedHeaders(delivery), {
    "X-Service-Event": "deal.won",
    "X-Service-Event-Id": "0190a000-0000-7000-8000-000000000001",
    "X-Service-Delivery-Id": "0190a000-0000-7000-8000-000000000002",
    "X-Service-Timestamp": "1700000000",
    "X-Service-Signature": signed("whsec_x"),
  });
});

Deno.test("While a secret is being replaced, the old secret signs as before, and the new secret signs in another header", () => {
  const headers = signedHeaders({ ...delivery, nextSecret: "whsec_y" });
  assert.deepEqual(headers, { ...signedHeaders(delivery), "X-Service-Signature-Next": signed("whsec_y") });
});

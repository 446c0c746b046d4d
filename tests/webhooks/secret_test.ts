import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { uuidV7 } from "../../supabase/functions/_shared/runtime/uuid.ts";
import {
  decryptSecret,
  encryptSecret,
  generateSecret,
} from "../../supabase/functions/_shared/webhooks/secret.ts";
import { withEnvironment } from "../support/environment.ts";

/** Runs `work` with this encryption key in the environment; null for none. */
const withKey = (key: string | null, work: () => Promise<void>) =>
  withEnvironment({ WEBHOOK_ENCRYPTION_KEY: key }, work);

const [SUBSCRIPTION, ANOTHER] = [uuidV7(), uuidV7()];

const randomKey = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");

Deno.test("A signing secret is whsec_ and 32 random bytes", () => {
  assert.match(generateSecret(), /^whsec_[A-Za-z0-9_-]{43}$/);
  assert.notEqual(generateSecret(), generateSecret());
});

Deno.test("A secret is decrypted from its stored form, which differs each time and does not contain the secret", async () => {
  await withKey(randomKey(), async () => {
    const secret = generateSecret();
    const stored = Buffer.from(await encryptSecret(secret, SUBSCRIPTION), "base64");
    assert.equal(await decryptSecret(stored, SUBSCRIPTION), secret);
    assert.equal(stored[0], 2);
    assert.equal(stored.includes(secret), false);
    assert.notEqual(await encryptSecret(secret, SUBSCRIPTION), await encryptSecret(secret, SUBSCRIPTION));
  });
});

Deno.test("A stored secret that was altered, truncated or encrypted with another key cannot be decrypted", async () => {
  let stored = Buffer.alloc(0);
  const refuses = (bytes: Uint8Array, why = /does not decrypt it/) =>
    assert.rejects(() => decryptSecret(bytes, SUBSCRIPTION), why);
  await withKey(randomKey(), async () => {
    stored = Buffer.from(await encryptSecret("whsec_x", SUBSCRIPTION), "base64");
    for (let i = 1; i < stored.length; i++) {
      const altered = Buffer.from(stored);
      altered[i]! ^= 1;
      await refuses(altered);
    }
    for (const length of [1, 13, 28]) await refuses(stored.subarray(0, length));
    await refuses(Buffer.of(9, ...stored.subarray(1)), /version 9 is unknown/);
  });
  await withKey(randomKey(), () => refuses(stored));
});

Deno.test("A stored secret can be decrypted only for its own subscription", async () => {
  await withKey(randomKey(), async () => {
    const stored = Buffer.from(await encryptSecret("whsec_x", SUBSCRIPTION), "base64");
    assert.equal(await decryptSecret(stored, SUBSCRIPTION.toUpperCase()), "whsec_x");
    for (const other of [ANOTHER, ""]) {
      await assert.rejects(decryptSecret(stored, other), /for this subscription/);
    }
  });
});

Deno.test("A missing or invalid WEBHOOK_ENCRYPTION_KEY is an error that says what it must be", async () => {
  for (const key of [null, "", "c2hvcnQ=", "!!!"]) {
    const said = /WEBHOOK_ENCRYPTION_KEY .*must be the base64 of 32/;
    await withKey(key, () => assert.rejects(encryptSecret("x", SUBSCRIPTION), said));
  }
});

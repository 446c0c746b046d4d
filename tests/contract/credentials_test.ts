// Keys and proposal links name the slot of their workspace. Older keys and links, without a slot, still work.
import assert from "node:assert/strict";
import {
  checksum,
  doorCredential,
  hashCredential,
  isKey,
  isLinkToken,
  slotOf,
} from "../../supabase/functions/_shared/contract/credentials.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { call } from "../support/client.ts";
import { test } from "../support/scenario.ts";

const WORKSPACE = "01a2231c-79a6-789b-8a83-c33a73d7880e";

test("A key that was created before slots existed is admitted like a key with a slot", async ({ sql, workspace: { id, key } }) => {
  assert.equal(key.slice(47, 51), slotOf(id));
  assert.equal((await call("GET", "/api-v1-me", { key })).status, 200);
  const start = key.slice(0, 47);
  const old = start + checksum(start);
  await sql`update crm.key_secrets set hash = sha256(${old}::text::bytea) where workspace_id = ${id}`;
  assert.equal((await call("GET", "/api-v1-me", { key: old })).status, 200);
});

Deno.test("A key has 57 characters, or 53 if it was created before slots, and ends in a checksum", () => {
  const key = generateKey(WORKSPACE);
  assert.equal(key.length, 57);
  assert.ok(isKey(key));
  const [start, end] = [key.slice(0, 47), key.slice(51)];
  assert.ok(!isKey(`${start}0000${end}`));
  assert.ok(isKey(start + checksum(start)));
  for (const length of [46, 48, 50, 52]) {
    const other = key.slice(0, length);
    assert.ok(!isKey(other + checksum(other)), `${length + 6} characters`);
  }
});

Deno.test("The door receives the hash of a key or token, followed by the slot that the key or token names", () => {
  const slot = slotOf(WORKSPACE);
  const hex = [...slot].map((digit) => digit.charCodeAt(0).toString(16)).join("");
  const [key, token] = [generateKey(WORKSPACE), "a".repeat(43)];
  assert.equal(doorCredential(key), hashCredential(key) + hex);
  assert.equal(doorCredential(token + slot), hashCredential(token + slot) + hex);
  assert.equal(doorCredential(token), hashCredential(token));
  assert.ok(isLinkToken(token) && isLinkToken(token + slot) && !isLinkToken(token + "ab"));
});

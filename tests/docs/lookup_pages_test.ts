// Follows the pages keys, limits and idempotency, and compares their tables with the service.
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeKey } from "../support/fixtures.ts";
import { baseUrl, databaseUrl } from "../support/stack.ts";
import { openPage } from "./claims.ts";
import { node, shell } from "./guide.ts";
import { openReader, parse } from "./reader.ts";

const ROOT = join(import.meta.dirname!, "../..");

shell.test("The commands of the page keys create a key, replace its value while both values work, and revoke the key", async ({ workspace }) => {
  const page = await openPage("keys", { sh: 7 });
  const [setup, ...steps] = page.blocks.sh;
  const env = { DENO: Deno.execPath(), DATABASE_URL: databaseUrl };
  await using reader = await openReader(baseUrl, workspace.key, env);
  const deno = `deno() { (cd "${ROOT}" && "$DENO" "$@"); }`;
  const printed = await reader.run([deno, setup, ...steps].join("\n"));
  const [value, made, bound, refused, unbound, log, renewed, before, ...ended] = printed;
  assert.match(value!, /^svc_/);
  assert.ok(value!.startsWith(parse(made).key.prefix));
  assert.match(bound!, /may be used from 2001:db8::\/32, 203\.0\.113\.0\/24$/);
  assert.equal(parse(refused).error.code, "insufficient_scope");
  assert.match(unbound!, /may be used from everywhere$/);
  assert.ok(Array.isArray(parse(log).data));
  for (const reply of [made, renewed, before].map(parse)) {
    assert.deepEqual(reply.key.scopes, ["leads:write"]);
    assert.equal(reply.key.id, parse(made).key.id);
  }
  assert.notEqual(parse(made).key.prefix, parse(renewed).key.prefix);
  assert.match(ended[0]!, /revoked at/);
  assert.equal(parse(ended.at(-1)).error.code, "revoked_api_key");
});

node.test("The program of the page limits waits as Retry-After says, and then gets its answer", async ({ sql, workspace, api }) => {
  const page = await openPage("limits", { http: 1, js: 1, sh: 1 });
  // Restores the usual limit, because test workspaces have a higher limit.
  await sql`update crm.workspaces set rate_limit_per_minute = default where id = ${workspace.id}`;
  const { id, key } = await makeKey(sql, workspace.id, { scopes: ["leads:write"] });
  const first = await fetch(`${baseUrl}/api-v1-me`, { headers: { "X-API-Key": key } });
  await first.body?.cancel();
  const shown = page.blocks.http[0]!.trimEnd().split("\n").map((line) => line.split(": "));
  for (const [name, value] of shown) assert.equal(first.headers.get(name!), value);

  // Makes it look as if the 120 calls of a minute had been made 58 seconds ago.
  await sql`
        update crm.rate_limits set hits = array_fill(clock_timestamp() - interval '58 s', array[120])
        where key_id = ${id}`;
  const refused = await fetch(`${baseUrl}/api-v1-me`, { headers: { "X-API-Key": key } });
  await refused.body?.cancel();
  assert.equal(refused.status, 429);
  await using reader = await openReader(baseUrl, key);
  await reader.write("call.mjs", page.blocks.js[0]!);
  const printed = (await reader.run(page.blocks.sh[0]!)).join("\n");
  assert.match(printed, /^200 \{[^]*requests_per_minute: 120/);

  // The page's limits must be those that /api-v1-me returns.
  const { limits } = (await api.get("/api-v1-me")).body;
  assert.deepEqual(limits, {
    requests_per_minute: 120,
    page_size_max: 200,
    batch_items_max: 100,
    body_bytes_max: 256 * 1024,
    batch_body_bytes_max: 1024 * 1024,
  });
  for (const text of [page.pt, page.en]) {
    for (const said of ["**120 ", "| 256 KiB ", "| 1 MiB", " 100 ", " 200 "]) {
      assert.ok(text.includes(said), said);
    }
  }
});

shell.test("The commands of the page idempotency create each record once, and answer as the page says", async ({ sql, workspace, api }) => {
  const page = await openPage("idempotency", { sh: 5 });
  const { key } = await makeKey(sql, workspace.id, { scopes: ["contacts:write", "leads:write"] });
  await using reader = await openReader(baseUrl, key);
  const printed = (await reader.run(page.blocks.sh.join("\n"))).join("\n");
  const replies = printed.split(/^(?=HTTP)/m);
  assert.deepEqual(replies.slice(0, 3).map((reply) => reply.split(" ")[1]), ["201", "200", "422"]);
  assert.match(replies[1]!, /^Idempotent-Replayed: true\r?$/m);
  assert.match(replies[2]!, /"idempotency_conflict"/);
  const [lead, again, created, found] = replies[2]!.split("\n").slice(-4);
  assert.deepEqual([parse(lead).idempotent, parse(again).idempotent], [false, true]);
  assert.deepEqual(parse(again).lead, parse(lead).lead);
  assert.deepEqual([created!.slice(-3), found!.slice(-3)], ["201", "200"]);
  const { data } = (await api.get("/api-v1-contacts")).body;
  const names = data.map(({ name }: { name: string }) => name).sort();
  assert.deepEqual(names, ["Ana", "Ana Souza", "Caio Reis"]);
});

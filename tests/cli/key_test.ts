import assert from "node:assert/strict";
import { checksum, hashCredential } from "../../supabase/functions/_shared/contract/credentials.ts";
import { assertError, client } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { warningsOfScopes } from "../../run/operator/keys.ts";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { assertMistake, crm, json, say } from "./crm.ts";
import { test } from "../support/scenario.ts";

const CREATE = ["key", "create", "--name", "Site"];

test("A key is `svc_`, 256 random bits, the workspace's slot and a checksum; only its hash and first 12 characters are stored (spec 5)", async ({ sql, workspace: { id: workspace } }) => {
  const text = await say(...CREATE, "--workspace", workspace, "--scopes", "leads:write");
  const [, id, key] = /^Key (\S+) created\. Its value is shown only now:\n\n(\S+)\n$/.exec(text) ?? [];
  assert.ok(key);
  assert.match(key, /^svc_[0-9A-Za-z]{47}[0-9A-Za-z]{6}$/);
  assert.equal(key.slice(-6), checksum(key.slice(0, -6)));
  const [row] = await sql`
    select k.prefix, s.prefix as its, encode(s.hash, 'hex') as hash, k::text || s as everything
    from crm.api_keys k join crm.key_secrets s on s.key_id = k.id where k.id = ${id!}`;
  assert.deepEqual([row!["prefix"], row!["its"]], [key.slice(0, 12), key.slice(0, 12)]);
  assert.equal(row!["hash"], hashCredential(key));
  assert.ok(!row!["everything"].includes(key.slice(12)));
});

Deno.test("The checksum is the CRC-32 in base62, padded with zeros", () => {
  // 0xCBF43926 is the published check value of CRC-32 for these digits.
  assert.equal(checksum("123456789"), "3jZRME");
  assert.equal(checksum("62"), "005Arq");
});

test("the creator of a key is the oldest active admin, unless --member names another", async ({ sql, workspace: { id: workspace, memberId } }) => {
  const person = ["--name", "Ana", "--email", "a@b.co", "--role", "vendedor"];
  const { id: seller } = await json("member", "add", "--workspace", workspace, ...person);
  const create = [...CREATE, "--workspace", workspace, "--scopes", "leads:write"];
  const creator = async (...more: string[]) => {
    const { id } = await json(...create, ...more);
    return (await sql`select member_id from crm.api_keys where id = ${id}`)[0]!["member_id"];
  };
  assert.equal(await creator(), memberId);
  assert.equal(await creator("--member", seller), seller);

  const other = await makeWorkspace(sql);
  await assertMistake([...create, "--member", other.memberId], 1, /No member of the workspace has the id/);
  await crm(["member", "update", memberId, "--active", "false"]);
  await assertMistake(create, 1, /no active admin/);
});

test("key create stores a scope that no endpoint requires, and warns about it on standard error and in its JSON (spec 5, 9)", async ({ sql, workspace: { id: workspace } }) => {
  const scopes = "leads:write, owners:read,contact:read,leads:write";
  const create = [...CREATE, "--workspace", workspace, "--scopes", scopes];
  const warnings = [
    'No endpoint requires "owners:read": it is stored and grants nothing',
    'No endpoint requires "contact:read": it is stored and grants nothing. Did you mean "contacts:read"?',
  ];
  const stderr = warnings.map((warning) => `warning: ${warning}\n`).join("");
  const text = await crm(create);
  assert.deepEqual({ code: text.code, stderr: text.stderr }, { code: 0, stderr });
  assert.doesNotMatch(text.stdout, /owners|contact/);

  const asJson = await crm([...create, "--json"]);
  assert.equal(asJson.stderr, stderr);
  const { id, warnings: listed } = JSON.parse(asJson.stdout);
  assert.deepEqual(listed, warnings);
  const [row] = await sql`select scopes from crm.api_keys where id = ${id}`;
  assert.deepEqual(row!["scopes"], ["leads:write", "owners:read", "contact:read"]);
});

Deno.test("The warning about an unused scope names only similar scopes (spec 5)", () => {
  const cases = `
    contact:read = contacts:read, company:write = companies:write, activity:read = activities:read,
    activites:write = activities:write, conatcts:read = contacts:read, deal:write = deals:write,
    webhook:manage = webhooks:manage, webhooks:read = webhooks:manage, webhook:write = webhooks:manage,
    deals:manage = deals:read deals:write, leads:manage = leads:write,
    leads:read, pipelines:write, owners:read, custom-fields:read, me:read, x:read`;
  for (const [scope, ...meant] of cases.split(",").map((line) => line.match(/[\w-]+:\w+/g)!)) {
    const warning = `No endpoint requires "${scope}": it is stored and grants nothing`;
    const question = `. Did you mean ${meant.map((known) => `"${known}"`).join(" or ")}?`;
    assert.deepEqual(warningsOfScopes([scope]), [meant.length === 0 ? warning : warning + question]);
  }
  assert.deepEqual(warningsOfScopes([...SCOPES]), []);
  assert.equal(warningsOfScopes(["x:read", "leads:write", "x:read"]).length, 1);
});

test("key create --expires-at accepts the API's formats, and refuses a time in the past", async ({ workspace: { id: workspace } }) => {
  const create = [...CREATE, "--workspace", workspace, "--scopes", "pipelines:read", "--expires-at"];
  await json(...create, "21200131T12-03");
  const past = /expires at 2020-01-31T00:00:00\.000Z could never be used: give /;
  await assertMistake([...create, "2020-01-31"], 1, past);
  const keys = await json("key", "list", "--workspace", workspace);
  const expiries = keys.map(({ expires_at }: { expires_at: string | null }) => expires_at);
  assert.deepEqual(expiries, [null, "2120-01-31T15:00:00.000Z"]);
});

test("key create warns that a key of an inactive member cannot write notes", async ({ workspace: { id: workspace } }) => {
  const person = ["--name", "Ana", "--email", "a@b.co", "--role", "vendedor"];
  const { id: member } = await json("member", "add", "--workspace", workspace, ...person);
  const create = [...CREATE, "--workspace", workspace, "--member", member, "--json", "--scopes"];
  assert.equal((await crm([...create, "notes:write"])).stderr, "");
  await say("member", "update", member, "--active", "false");
  assert.equal((await crm([...create, "pipelines:read"])).stderr, "");
  const { code, stdout, stderr } = await crm([...create, "notes:write"]);
  const warning = `The member ${member} is inactive: the key works, except for writing notes`;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: `warning: ${warning}\n` });
  assert.deepEqual(JSON.parse(stdout).warnings, [warning]);
});

test("key list shows the creator and the calls of each key, and no secret (spec 5)", async ({ sql }) => {
  const { id: workspace, memberId, key } = await makeWorkspace(sql, { scopes: ["pipelines:read"] });
  await client(key).get("/api-v1-pipelines");
  const [{ id, creator_id, creator, calls_7_days }] = await json("key", "list", "--workspace", workspace);
  assert.deepEqual([creator_id, creator, calls_7_days], [memberId, "Administrador", 1]);
  const text = await say("key", "list", "--workspace", workspace);
  const row = `${id}  Teste +${key.slice(0, 12)} +pipelines:read +Administrador +- +- +20\\S+ +1 +-`;
  assert.match(text, new RegExp(`^${row}$`, "m"));
  assert.ok(!text.includes(hashCredential(key)));
});

test("key create --networks and key networks bind a key to networks, and key show names them", async ({ workspace: { id: workspace } }) => {
  const create = [...CREATE, "--workspace", workspace, "--scopes", "pipelines:read", "--networks"];
  const { id, key } = await json(...create, "203.0.113.0/24, 2001:db8::/32");
  assertError(await client(key).get("/api-v1-pipelines"), "insufficient_scope");
  assert.match(await say("key", "show", id), /May be used from 2001:db8::\/32, 203\.0\.113\.0\/24\n/);
  assert.equal(await say("key", "networks", id, "127.0.0.1"), `Key ${id} may be used from 127.0.0.1/32\n`);
  assert.equal((await client(key).get("/api-v1-pipelines")).status, 200);
  assert.equal(await say("key", "networks", id, "any"), `Key ${id} may be used from everywhere\n`);
  const wrong = ["key", "networks", id, "10.0.0.1/8"];
  await assertMistake(wrong, 2, /"10\.0\.0\.1\/8" is not an address or a network/);
});

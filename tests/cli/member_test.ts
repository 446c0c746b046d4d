import assert from "node:assert/strict";
import { assertError, client } from "../support/client.ts";
import { makeKey } from "../support/fixtures.ts";
import { assertMistake, crm, json, say, UUID } from "./crm.ts";
import { test } from "../support/scenario.ts";

function add(workspace: string, email: string, role = "vendedor"): string[] {
  return ["member", "add", "--workspace", workspace, "--name", "Ana Souza", "--email", email, "--role", role];
}

test("member add, update and list manage the members of a workspace", async ({ workspace: { id: workspace, memberId } }) => {
  const { created_at: _, ...made } = await json(...add(workspace, "Ana@Exemplo.com.br", "gestor"));
  const ana = {
    id: made.id,
    workspace_id: workspace,
    name: "Ana Souza",
    email: "ana@exemplo.com.br",
    role: "gestor",
    is_active: true,
    has_signed_in: false,
    working_keys: 0,
  };
  assert.match(made.id, UUID);
  assert.deepEqual(made, ana);
  const twice = /already has a member with the e-mail "ana@exemplo\.com\.br"/;
  await assertMistake(add(workspace, "ANA@EXEMPLO.COM.BR"), 1, twice);

  assert.equal((await json("member", "update", made.id, "--active", "false")).is_active, false);
  const listed = await json("member", "list", "--workspace", workspace);
  assert.deepEqual(listed.map(({ id }: { id: string }) => id), [memberId, made.id]);
  const { created_at, ...shown } = listed[1];
  assert.ok(Date.parse(created_at));
  assert.deepEqual(shown, { ...ana, is_active: false });

  assert.equal(await say("member", "update", made.id, "--active", "true"), `Member ${made.id} is active\n`);
  const text = await say("member", "list", "--workspace", workspace);
  assert.match(text, new RegExp(`^${made.id}  Ana Souza +ana@exemplo\\.com\\.br +gestor +yes `, "m"));
});

test("member update changes a member's name and role, and the audit log names the operator", async ({ sql, workspace: { id: workspace } }) => {
  const { id: member } = await json(...add(workspace, "ana@exemplo.com.br"));
  const updated = await json("member", "update", member, "--name", " Ana Lima ", "--role", "gestor");
  assert.deepEqual([updated.name, updated.role, updated.is_active], ["Ana Lima", "gestor", true]);
  await say("member", "update", member, "--role", "gestor");
  const lines = await sql`
    select member_id, action, object_name, details from crm.audit_log where object_id = ${member} order by id`;
  const changes = { name: { from: "Ana Souza", to: "Ana Lima" }, role: { from: "vendedor", to: "gestor" } };
  assert.deepEqual(lines.map((line) => Object.values(line)), [
    [null, "member_invited", "Ana Souza", { email: "ana@exemplo.com.br", role: "vendedor" }],
    [null, "member_updated", "Ana Lima", changes],
  ], "an update without changes adds no line");
});

test("member update --active false shows which of the member's keys still work, and how to revoke them", async ({ sql, workspace: { id: workspace, memberId } }) => {
  const { id: member } = await json(...add(workspace, "ana@exemplo.com.br"));
  const scopes = ["notes:write", "pipelines:read"];
  const makeKeyOf = (memberId: string) => makeKey(sql, workspace, { memberId, scopes });
  const working = await makeKeyOf(member);
  const [revoked, expired] = [await makeKeyOf(member), await makeKeyOf(member), await makeKeyOf(memberId)];
  await json("key", "revoke", revoked.id);
  await sql`update crm.api_keys set expires_at = now() where id = ${expired.id}`;

  const updated = await json("member", "update", member, "--active", "false");
  assert.equal(updated.is_active, false);
  const { id, key } = working;
  const prefix = key.slice(0, 12);
  assert.deepEqual(updated.working_keys, [{ id, name: "Teste", prefix, scopes, expires_at: null }]);
  assert.equal((await client(key).get("/api-v1-pipelines")).status, 200);

  const text = await say("member", "update", member, "--active", "false");
  const lines = [
    `Member ${member} is inactive\\. Keys that .* still work, except for writing notes:`,
    `${id}  Teste +${prefix}  notes:write,pipelines:read  -`,
    "To revoke a key: deno task crm key revoke ID",
  ];
  for (const line of lines) assert.match(text, new RegExp(`^${line}$`, "m"));
  assert.doesNotMatch(text, new RegExp(`${revoked.id}|${expired.id}`));

  await say("key", "revoke", id);
  assert.equal(
    await say("member", "update", member, "--active", "false"),
    `Member ${member} is inactive, and created no key that still works\n`,
  );
});

test("member update --active false warns for the last active admin or gestor that leads without an owner are refused", async ({ sql, workspace: { id: workspace, memberId } }) => {
  const { id: manager } = await json(...add(workspace, "gestor@exemplo.com.br", "gestor"));
  const { id: seller } = await json(...add(workspace, "ana@exemplo.com.br"));
  const { key } = await makeKey(sql, workspace, { memberId });
  for (const member of [manager, memberId, seller]) {
    const { code, stdout, stderr } = await crm(["member", "update", member, "--active", "false", "--json"]);
    const { warnings, active_managers } = JSON.parse(stdout);
    const warned = member === memberId;
    assert.equal(active_managers, member === manager ? 1 : 0);
    assert.equal(warnings.length, warned ? 1 : 0);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: warned ? `warning: ${warnings[0]}\n` : "" });
    if (warned) {
      assert.match(stderr, /no active admin or gestor: a lead without an owner gets owner_unresolved/);
    }
  }
  assertError(await client(key).post("/api-v1-leads", { first_name: "Ana" }), "owner_unresolved");
  assert.deepEqual((await json("member", "update", memberId, "--active", "true")).warnings, []);
});

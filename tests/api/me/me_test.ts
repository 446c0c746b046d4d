import assert from "node:assert/strict";
import { createKey, rotateKey } from "../../../run/operator/keys.ts";
import { operate } from "../../../run/operator/operator.ts";
import { client } from "../../support/client.ts";
import { makeKey, makeWorkspace } from "../../support/fixtures.ts";
import { makeMember } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const ME = "/api-v1-me";

test("GET /api-v1-me shows the key that calls, its workspace, its member and the limits, but no secret and no e-mail (spec 5)", async ({ sql, workspace }) => {
  await operate(sql, "workspace_update", { workspace_id: workspace.id, rate_limit_per_minute: 77 });
  const expires_at = "2099-01-31T12:00:00.000Z";
  const scopes = ["contacts:read", "owners:read"];
  const { id, key } = await createKey(sql, {
    workspaceId: workspace.id,
    name: "ERP",
    scopes,
    expiresAt: expires_at,
  });
  const { status, body } = await client(key).get(ME);
  assert.equal(status, 200);
  const [member] = await sql`
    select id, name, role, is_active from crm.members where id = ${workspace.memberId}`;
  const { created_at, ...shown } = body.key;
  assert.deepEqual({ ...body, key: shown }, {
    key: { id, name: "ERP", prefix: key.slice(0, 12), scopes, expires_at, allowed_networks: [] },
    workspace: { id: workspace.id, name: "Teste", time_zone: "America/Sao_Paulo" },
    member: { ...member },
    limits: {
      requests_per_minute: 77,
      page_size_max: 200,
      batch_items_max: 100,
      body_bytes_max: 262_144,
      batch_body_bytes_max: 1_048_576,
    },
  });
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  await sql`update crm.members set is_active = false where id = ${workspace.memberId}`;
  assert.equal((await client(key).get(ME)).body.member.is_active, false);
});

test("GET /api-v1-me shows each caller only its own key, also in simultaneous calls (spec 5)", async ({ sql, workspace }) => {
  const other = await makeWorkspace(sql);
  const sibling = await makeKey(sql, workspace.id, { memberId: await makeMember(sql, workspace) });
  const keys = [workspace.key, other.key, sibling.key];
  const calls = Array.from({ length: 30 }, (_, index) => keys[index % keys.length]!);
  const replies = await Promise.all(calls.map((key) => client(key).get(ME)));
  for (const [index, { body }] of replies.entries()) {
    assert.equal(body.key.prefix, calls[index]!.slice(0, 12));
    assert.equal(body.workspace.id, index % 3 === 1 ? other.id : workspace.id);
  }
});

test("GET /api-v1-me shows the prefix of a rotated key's newest value, even if called with the old value", async ({ sql, workspace }) => {
  const made = await makeKey(sql, workspace.id);
  const rotated = await rotateKey(sql, made.id, 3600);
  for (const key of [made.key, rotated.key]) {
    const { body } = await client(key).get(ME);
    assert.deepEqual([body.key.id, body.key.prefix], [made.id, rotated.key.slice(0, 12)]);
  }
});

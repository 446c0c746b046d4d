import assert from "node:assert/strict";
import { assertError } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openDatabase } from "../support/stack.ts";
import { json, say, UUID } from "./crm.ts";
import { test } from "../support/scenario.ts";

Deno.test("workspace create makes an admin and a default pipeline of four stages", async () => {
  const made = await json("workspace", "create", "--name", "  Padaria Sol ");
  assert.deepEqual(Object.keys(made), ["id", "member_id", "pipeline_id"]);
  for (const id of Object.values<string>(made)) assert.match(id, UUID);

  await using sql = openDatabase();
  const [workspace] = await sql`
    select name, suspended, public_api, rate_limit_per_minute, stale_after_days
    from crm.workspaces where id = ${made.id}`;
  assert.deepEqual({ ...workspace }, {
    name: "Padaria Sol",
    suspended: false,
    public_api: true,
    rate_limit_per_minute: 120,
    stale_after_days: 14,
  });
  const members = await sql`select id, role, is_active from crm.members where workspace_id = ${made.id}`;
  assert.deepEqual([...members], [{ id: made.member_id, role: "admin", is_active: true }]);
  const stages = await sql`
    select s.name, s.type, s.position from crm.stages s
    join crm.pipelines p on p.workspace_id = s.workspace_id and p.id = s.pipeline_id
    where p.id = ${made.pipeline_id} and p.is_default and p.is_active order by s.position`;
  assert.deepEqual([...stages], [
    { name: "Prospecção", type: "pre-venda", position: 1 },
    { name: "Proposta", type: "venda", position: 2 },
    { name: "Ganho", type: "won", position: 3 },
    { name: "Perdido", type: "lost", position: 4 },
  ]);
});

Deno.test("workspace create names the admin; without --admin-email nobody can sign in", async () => {
  const create = ["workspace", "create", "--name", "Padaria Sol"];
  const named = await json(
    ...create,
    "--admin-name",
    " Ana Souza ",
    "--admin-email",
    "Ana@PadariaSol.com.br",
  );
  const nameless = await json(...create);
  await using sql = openDatabase();
  const members = await sql`
    select name, email, role, user_id from crm.members where id in (${named.member_id}, ${nameless.member_id}) order by id
  `;
  assert.deepEqual(members.map((member) => ({ ...member })), [
    { name: "Ana Souza", email: "ana@padariasol.com.br", role: "admin", user_id: null },
    { name: "Administrador", email: "admin@workspace.invalid", role: "admin", user_id: null },
  ]);
});

test("workspace update changes the given settings, and the API applies them at once", async ({ workspace: { id }, api }) => {
  const pipelines = () => api.get("/api-v1-pipelines");

  const suspended = await json("workspace", "update", id, "--suspended", "true", "--stale-after-days", "30");
  assert.equal(suspended.id, id);
  assert.deepEqual([suspended.suspended, suspended.stale_after_days, suspended.public_api], [true, 30, true]);
  assertError(await pipelines(), "workspace_suspended");

  await say("workspace", "update", id, "--suspended", "false", "--public-api", "false");
  assertError(await pipelines(), "feature_disabled");

  const limited = await json("workspace", "update", id, "--public-api", "true", "--rate-limit", "1");
  assert.deepEqual([limited.rate_limit_per_minute, limited.stale_after_days], [1, 30]);
  assert.equal((await pipelines()).status, 200);
  assertError(await pipelines(), "rate_limited");
});

test("workspace list shows every workspace, as a table and as JSON", async ({ sql }) => {
  const { id } = await makeWorkspace(sql, { name: "Açaí & Cia" });
  const text = await say("workspace", "list");
  assert.match(text, /^ID +NAME +SUSPENDED +PUBLIC API /);
  assert.match(text, new RegExp(`^${id}  Açaí & Cia +no +yes +100000 +14 `, "m"));
  const listed = (await json("workspace", "list")).find((workspace: { id: string }) => workspace.id === id);
  assert.match(listed.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

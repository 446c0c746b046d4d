import assert from "node:assert/strict";
import { assertError } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { json, say, UUID } from "./crm.ts";
import { test } from "../support/scenario.ts";

test("workspace create makes an admin, who can sign in only if --admin-email is given, and a pipeline of four stages", async ({ sql }) => {
  const create = ["workspace", "create", "--name", "  Padaria Sol "];
  const made = await json(...create);
  assert.deepEqual(Object.keys(made), ["id", "member_id", "pipeline_id"]);
  for (const id of Object.values<string>(made)) assert.match(id, UUID);
  const [workspace] = await sql`
    select name, suspended, public_api, rate_limit_per_minute, stale_after_days
    from crm.workspaces where id = ${made.id}`;
  assert.deepEqual(Object.values(workspace!), ["Padaria Sol", false, true, 120, 14]);
  const stages = await sql`
    select s.name, s.type, s.position from crm.stages s
    join crm.pipelines p on p.workspace_id = s.workspace_id and p.id = s.pipeline_id
    where p.id = ${made.pipeline_id} and p.is_default and p.is_active order by s.position`;
  assert.deepEqual(stages.map((stage) => Object.values(stage)), [
    ["Prospecção", "pre-venda", 1],
    ["Proposta", "venda", 2],
    ["Ganho", "won", 3],
    ["Perdido", "lost", 4],
  ]);

  const admin = ["--admin-name", " Ana Souza ", "--admin-email", "Ana@PadariaSol.com.br"];
  const named = await json(...create, ...admin);
  const members = await sql`
    select name, email, role, is_active, user_id from crm.members
    where workspace_id in (${made.id}, ${named.id}) order by id`;
  assert.deepEqual(members.map((member) => Object.values(member)), [
    ["Administrador", "admin@workspace.invalid", "admin", true, null],
    ["Ana Souza", "ana@padariasol.com.br", "admin", true, null],
  ]);
});

test("workspace update changes the given settings, and the API applies them at once", async ({ workspace: { id }, api }) => {
  const pipelines = () => api.get("/api-v1-pipelines");

  const suspended = await json(
    ...["workspace", "update", id, "--suspended", "true"],
    ...["--stale-after-days", "30", "--time-zone", "America/Manaus"],
  );
  assert.equal(suspended.id, id);
  assert.deepEqual([suspended.suspended, suspended.stale_after_days, suspended.public_api], [true, 30, true]);
  assert.equal(suspended.time_zone, "America/Manaus");
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

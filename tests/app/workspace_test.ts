import assert from "node:assert/strict";
import { actAsMember } from "../support/transactions.ts";
import { assertError } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";
import { openMailbox } from "../support/mailbox.ts";
import { passMidnight } from "../support/midnight.ts";
import { subscribe } from "../support/webhooks.ts";

const WORKSPACE = "/app-v1-workspace";

test("app-v1-workspace shows the workspace, the signed-in member and the usage", async ({ sql, workspace: { id, key }, api }) => {
  await subscribe(key, openMailbox("status=500").url, ["contact.created"]);
  await api.post("/api-v1-leads", { first_name: "Ana" });
  const { client: vendedor, memberId, email } = await signIn(sql, id, "vendedor");
  const { body } = await vendedor.get(WORKSPACE);
  assert.deepEqual(body.member, { id: memberId, name: "Membro", email, role: "vendedor" });
  assert.deepEqual(body.workspaces, [{ id, name: "Teste", role: "vendedor" }]);
  const { calls_today: _, calls_7_days: __, ...usage } = body.usage;
  assert.deepEqual(usage, { active_keys: 1, active_webhooks: 1, active_members: 2, waiting_deliveries: 1 });
});

test("app-v1-workspace counts the calls of all keys of the workspace, today and in the last 7 days of its time zone", async ({ sql, workspace: { id } }) => {
  await passMidnight();
  const other = await makeWorkspace(sql);
  const at = (days: number) =>
    sql`date_trunc('day', now() at time zone w.time_zone) at time zone w.time_zone - ${days} * interval '1 day'`;
  for (const workspaceId of [id, other.id]) {
    await sql`
      insert into crm.key_calls (workspace_id, key_id, hour, calls)
      select k.workspace_id, k.id, h.hour, h.calls
      from crm.api_keys k
      join crm.workspaces w on w.id = k.workspace_id
      cross join lateral (values (${at(0)}, 1), (${at(1)}, 10), (${at(6)}, 100), (${
      at(7)
    }, 1000)) h (hour, calls)
      where k.workspace_id = ${workspaceId}`;
  }
  const { client: vendedor } = await signIn(sql, id, "vendedor");
  const { body: { usage } } = await vendedor.get(WORKSPACE);
  assert.deepEqual([usage.calls_today, usage.calls_7_days], [1, 111]);
});

test("PATCH app-v1-workspace changes the name, the days until a deal is stale and the time zone, never the plan", async ({ sql, workspace: { id } }) => {
  const { client: admin, memberId } = await signIn(sql, id, "admin");
  await sql`update crm.workspaces set suspended = true where id = ${id}`;
  const changed = await admin.patch(WORKSPACE, {
    name: " Padaria Sol ",
    stale_after_days: 30,
    time_zone: "America/Manaus",
    suspended: false,
    rate_limit_per_minute: 1_000_000,
  });
  assert.deepEqual(
    [changed.body.name, changed.body.stale_after_days, changed.body.time_zone, changed.body.suspended],
    ["Padaria Sol", 30, "America/Manaus", true],
  );
  assert.equal(changed.headers.get("X-Ignored-Fields"), "suspended, rate_limit_per_minute");
  assert.equal(changed.body.rate_limit_per_minute, 100_000);
  const [row] = await sql`select suspended, rate_limit_per_minute from crm.workspaces where id = ${id}`;
  assert.deepEqual({ ...row }, { suspended: true, rate_limit_per_minute: 100_000 });

  await admin.patch(WORKSPACE, { name: "Padaria Sol" });
  const lines = await sql`
    select member_id, object_name, details from crm.audit_log
    where workspace_id = ${id} and action = 'workspace_updated' and member_id is not null`;
  assert.deepEqual(lines.map((line) => ({ ...line })), [{
    member_id: memberId,
    object_name: "Padaria Sol",
    details: {
      name: { from: "Teste", to: "Padaria Sol" },
      stale_after_days: { from: 14, to: 30 },
      time_zone: { from: "America/Sao_Paulo", to: "America/Manaus" },
    },
  }], "an update without changes adds no line");
  const wrong = { name: " ", stale_after_days: 0 };
  assertError(await admin.patch(WORKSPACE, wrong), "validation_error", Object.keys(wrong));
  for (const time_zone of ["", "Brasília", "localtime", "posix/America/Manaus", "America/Nowhere"]) {
    assertError(await admin.patch(WORKSPACE, { time_zone }), "validation_error", ["time_zone"]);
  }
});

test("The verb workspace_update itself refuses a change of the plan by a member", async ({ sql, workspace: { id } }) => {
  const { memberId } = await signIn(sql, id, "admin");
  for (const plan of [{ suspended: false }, { public_api: true }, { rate_limit_per_minute: 1_000_000 }]) {
    await assert.rejects(
      sql.begin(async (sql) => {
        await actAsMember(sql, memberId);
        await sql`select app.workspace_update(${sql.json({ workspace_id: id, ...plan })})`;
      }),
      { message: "validation_error", detail: new RegExp(`"${Object.keys(plan)[0]}".*Só o operador`) },
    );
  }
});

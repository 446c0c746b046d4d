import assert from "node:assert/strict";
import { operate } from "../../run/operator/operator.ts";
import { ACTIONS } from "../../supabase/functions/app-v1-activity/schema.ts";
import { assertError } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { ids, readPages } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";

const ACTIVITY = "/app-v1-activity";

test("app-v1-activity lists actions newest first, with their member (none for the operator), and nothing of another workspace", async ({ sql, workspace: { id } }) => {
  const other = await makeWorkspace(sql);
  await operate(sql, "workspace_update", { workspace_id: other.id, name: "Outra" });
  const { client: admin, memberId } = await signIn(sql, id, "admin");
  await operate(sql, "workspace_update", { workspace_id: id, stale_after_days: 7 });
  await admin.patch("/app-v1-workspace", { name: "Padaria" });

  const { body } = await admin.get(ACTIVITY);
  const [renamed, , changed] = body.data;
  assert.deepEqual([renamed.action, renamed.actor], ["workspace_updated", { id: memberId, name: "Membro" }]);
  assert.deepEqual(renamed.object, { type: "workspace", id, name: "Padaria" });
  assert.deepEqual([changed.action, changed.actor, changed.details], [
    "workspace_updated",
    null,
    { stale_after_days: { from: 14, to: 7 } },
  ]);
  assert.ok(!JSON.stringify(body).includes(other.id));
  assert.deepEqual(body.meta, { next_cursor: null, has_more: false });
});

test("app-v1-activity pages through the whole log without gaps or repetitions", async ({ sql, workspace: { id } }) => {
  await sql`
    insert into crm.audit_log (workspace_id, action, object_type, object_id, object_name)
    select ${id}, 'key_created', 'key', gen_random_uuid(), n::text from generate_series(1, 230) n`;
  const { client: vendedor } = await signIn(sql, id, "vendedor");
  const pages = await readPages(vendedor, `${ACTIVITY}?limit=60`);
  const stored = await sql`select id from crm.audit_log where workspace_id = ${id} order by id desc`;
  assert.deepEqual(pages.flatMap(ids), stored.map((row) => row["id"]));
  assert.equal((await vendedor.get(ACTIVITY)).body.data.length, 50);
  assert.equal((await vendedor.get(`${ACTIVITY}?limit=1000`)).body.data.length, 200, "the largest page");
  assertError(await vendedor.get(`${ACTIVITY}?cursor=x`), "invalid_cursor");
});

test("app-v1-activity can show every action that the database functions record", async ({ sql }) => {
  const functions = await sql<{ source: string }[]>`
    select prosrc as source from pg_proc
    where pronamespace in ('app'::regnamespace, 'crm'::regnamespace) and prosrc ~ 'record_|audit_log|custom_field_action'`;
  const objects = "workspace|member|invitation|key|grant|webhook|delivery|deliveries|custom_field|proposal";
  const action = new RegExp(`'((?:${objects})_[a-z_]*(?:ed|in|left|sent))'`, "g");
  const recorded = functions.flatMap(({ source }) => [...source.matchAll(action)].map(([, name]) => name!));
  // The pattern also finds these error codes.
  const codes = ["already_signed_in", "proposal_closed", "proposal_expired"];
  assert.deepEqual(
    [...new Set(recorded)].filter((name) => !codes.includes(name)).sort(),
    [...ACTIONS].sort(),
  );
});

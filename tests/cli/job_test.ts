import assert from "node:assert/strict";
import { describeError } from "../../run/cli/errors.ts";
import { OperatorError } from "../../run/operator/errors.ts";
import { runJob } from "../support/jobs.ts";
import { json, say } from "./crm.ts";
import { test } from "../support/scenario.ts";

test("job list shows every row of crm.jobs", async ({ sql }) => {
  const jobs = await json("job", "list");
  const rows = await sql`select name, every::text, description from crm.jobs order by name`;
  assert.deepEqual(jobs, [...rows]);
  assert.match(await say("job", "list"), /^webhook-dispatch +00:00:10 +Wakes the dispatcher/m);
});

test("job run does a job's work now", async ({ sql, workspace: { id: workspace } }) => {
  await sql`
    insert into crm.idempotency_keys (workspace_id, key, request_hash, body, created_at) values
      (${workspace}, 'old', '', '', now() - interval '25 hours'),
      (${workspace}, 'new', '', '', now())`;
  const ran = await json("job", "run", "purge-idempotency-keys");
  assert.deepEqual(Object.keys(ran), ["name", "duration_ms"]);
  const left = await sql`select key from crm.idempotency_keys where workspace_id = ${workspace}`;
  assert.deepEqual([...left], [{ key: "new" }]);
  assert.match(await say("job", "run", "partition-events"), /^The job partition-events ran in \d+ ms\n$/);
});

test("A failing job is reported with its reason", async ({ sql }) => {
  const name = `broken-${crypto.randomUUID()}`;
  // The job is not committed, so that the stack's scheduler does not run it.
  await assert.rejects(
    sql.begin(async (transaction) => {
      await transaction`
        insert into crm.jobs (name, every, command, description) values (${name}, '1 day', 'select 1 / 0', 'Fails')`;
      await runJob(transaction, name);
    }),
    (error) =>
      error instanceof OperatorError && describeError(error) === `The job "${name}" failed: division by zero`,
  );
});

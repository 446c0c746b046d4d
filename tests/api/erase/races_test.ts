// Calls and deliveries that read a person before an erasure, and are stored during or after it.
import assert from "node:assert/strict";
import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";
import { client, type Reply } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { runJob } from "../../support/jobs.ts";
import { eventually, openMailbox } from "../../support/mailbox.ts";
import { addDeliveries, recordOutcomes } from "../../support/queue.ts";
import { create } from "../../support/record_fixtures.ts";
import { type Scenario, test } from "../../support/scenario.ts";
import { openDatabase } from "../../support/stack.ts";
import { rolledBack } from "../../support/transactions.ts";
import { subscribe } from "../../support/webhooks.ts";

const CONTACTS = "/api-v1-contacts";
const NAME = "Zuleica Quaresma";

/** The session that waits for a lock of the session `pid`. */
async function waiting(sql: Scenario["sql"], pid: number): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }[]>`
    select a.pid from pg_stat_activity a where ${pid} = any (pg_blocking_pids(a.pid))`;
  return row?.pid;
}

/**
 * Runs `hold` in a transaction: it takes a lock, and starts a call that waits for the lock. Then erases the contact,
 * and undoes the transaction when the erasure has ended or waits for the call.
 */
async function eraseMeanwhile(
  { sql, api }: Scenario,
  id: string,
  hold: (held: Parameters<Parameters<typeof rolledBack>[1]>[0]) => Promise<void>,
): Promise<void> {
  await using holder = openDatabase();
  let erasing: Promise<Reply> | undefined;
  await rolledBack(holder, async (held) => {
    await hold(held);
    const [{ pid }] = await held<[{ pid: number }]>`select pg_backend_pid() as pid`;
    const call = await eventually(() => waiting(sql, pid), "the call to wait for the lock");
    let ended = false;
    erasing = api.post(`${CONTACTS}/${id}/erase`, { texts: true }).finally(() => ended = true);
    await eventually(async () => ended || await waiting(sql, call), "the erasure to end or wait");
  });
  await completed(sql, await erasing!);
}

/** Waits until an erasure is complete, which the job may have to continue; returns the kinds of records cleared. */
async function completed(
  sql: Scenario["sql"],
  { status, body, text }: Reply,
): Promise<Record<string, number>> {
  if (status === 200) return body.cleared;
  assert.equal(status, 202, text);
  return await eventually(async () => {
    await runJob(sql, "run-operations");
    const [row] =
      await sql`select result from crm.operations where id = ${body.operation.id} and state = 'done'`;
    return row?.["result"].cleared;
  }, "the operation");
}

test("When a batch reads a person who is erased before it ends, its repeated reply does not name the person", async (scenario) => {
  const { sql, workspace, api } = scenario;
  // Another key, because the calls of one key wait for each other.
  const reader = client((await makeKey(sql, workspace.id, { scopes: [...SCOPES] })).key);
  for (const kind of ["contacts", "deals", "activities", "notes"]) {
    const { body: { lead: { contact_id, deal_id } } } = await api.post("/api-v1-leads", {
      first_name: NAME,
      email: `${kind}@exemplo.com`,
    });
    const texts: Record<string, { id: string }> = { contacts: { id: contact_id }, deals: { id: deal_id } };
    texts["activities"] = await create(workspace.key, "/api-v1-activities", { deal_id, title: NAME });
    texts["notes"] = await create(workspace.key, "/api-v1-notes", { deal_id, body: NAME });
    const items = [{ op: "get", id: texts[kind]!.id }];
    const read = () => reader.post(`/api-v1-${kind}/batch`, { items }, { "Idempotency-Key": kind });
    let reading: Promise<Reply>;
    await eraseMeanwhile(scenario, contact_id, async (held) => {
      // The batch waits for this row after it has read the person, before it stores its reply.
      await held`
        insert into crm.idempotency_keys (workspace_id, key, request_hash, body) values (${workspace.id}, ${kind}, '', '')`;
      reading = read();
    });
    assert.ok((await reading!).text.includes(NAME), kind);
    const repeated = await read();
    assert.equal(repeated.status, 200, repeated.text);
    assert.ok(!repeated.text.includes(NAME), repeated.text);
  }
});

test("The answer to an attempt whose outcome is being recorded while the person is erased is cleared", async (scenario) => {
  const { sql, workspace, api } = scenario;
  const { id } = await create(workspace.key, CONTACTS, { name: NAME });
  const subscription = await subscribe(workspace.key, openMailbox("echo").url, ["contact.updated"]);
  await eraseMeanwhile(scenario, id, async (held) => {
    // Recording a first success updates this row, after it has stored the answer.
    await held`select from crm.webhook_subscriptions where id = ${subscription.id} for update`;
    await api.patch(`${CONTACTS}/${id}`, { job_title: "Chefe" });
  });
  const answers = await eventually(async () => {
    const rows = await sql<{ answer: string | null }[]>`
      select answer from crm.webhook_attempts where workspace_id = ${workspace.id}`;
    return rows.length === 2 && rows.map(({ answer }) => answer ?? "");
  }, "the attempts about the change and about the erasure");
  assert.deepEqual(answers.filter((answer) => answer.includes(NAME)), []);
});

test("The answer to an attempt that was in flight while a person was erased is not kept, but later answers are", async ({ sql, workspace, api }) => {
  const { id } = await create(workspace.key, CONTACTS, { name: NAME });
  const other = await create(workspace.key, CONTACTS, { name: "Bia" });
  const subscription = await subscribe(workspace.key, openMailbox("answer=Recebido").url, [
    "contact.updated",
  ]);
  const answered = (answer: string) =>
    sql`select from crm.webhook_attempts where workspace_id = ${workspace.id} and answer = ${answer}`;
  const lease = () =>
    sql.begin((sql) => addDeliveries(sql, workspace.id, subscription.id, 1, { lease: "1 hour" }));
  const record = async ([delivery_id]: string[]) => {
    const outcome = {
      workspace_id: workspace.id,
      delivery_id: delivery_id!,
      lease_token: 1,
      status: 200,
      answer: NAME,
    };
    assert.equal((await recordOutcomes(sql, [outcome])).length, 1);
  };
  await record(await lease());
  assert.equal((await answered(NAME)).length, 1);
  const inFlight = await lease();
  assert.equal((await completed(sql, await api.post(`${CONTACTS}/${id}/erase`)))["webhook_answers"], 1);
  await record(inFlight);
  assert.equal((await answered(NAME)).length, 0);
  // Other tests' transactions that began before the erasure may still be open, so the first answers may be dropped too.
  await eventually(async () => {
    await api.patch(`${CONTACTS}/${other.id}`, { job_title: crypto.randomUUID() });
    return (await answered("Recebido")).length > 0;
  }, "an answer that is kept");
});

test("An erasure that cannot search the answers at once, because another does, ends as an operation", async ({ sql, workspace, api }) => {
  const { id } = await create(workspace.key, CONTACTS, { name: NAME });
  await subscribe(workspace.key, openMailbox("echo").url, ["contact.updated"]);
  await api.patch(`${CONTACTS}/${id}`, { job_title: "Chefe" });
  await eventually(async () => {
    const rows = await sql`
      select from crm.webhook_attempts where workspace_id = ${workspace.id} and answer like ${`%${NAME}%`}`;
    return rows.length === 1;
  }, "the answer");
  await using holder = openDatabase();
  let reply: Reply;
  await rolledBack(holder, async (held) => {
    await held`select pg_advisory_xact_lock(crm.erasure_lock(${workspace.id}))`;
    reply = await api.post(`${CONTACTS}/${id}/erase`);
    assert.equal(reply.status, 202, reply.text);
    assert.equal((await api.get(`${CONTACTS}/${id}`)).body.name === NAME, false);
  });
  assert.equal((await completed(sql, reply!))["webhook_answers"], 1);
});

// Calls that read a person before an erasure, and whose replies are stored during it.
import assert from "node:assert/strict";
import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";
import { client, type Reply } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { eventually } from "../../support/mailbox.ts";
import { create } from "../../support/record_fixtures.ts";
import { type Scenario, test } from "../../support/scenario.ts";
import { openDatabase } from "../../support/stack.ts";
import { rolledBack } from "../../support/transactions.ts";

const CONTACTS = "/api-v1-contacts";
const NAME = "Zuleica Quaresma";

/** The session that waits for a lock of the session `pid`. */
async function waiting(sql: Scenario["sql"], pid: number): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }[]>`
    select a.pid from pg_stat_activity a where ${pid} = any (pg_blocking_pids(a.pid))`;
  return row?.pid;
}

/**
 * Runs `hold` in a transaction, in which it takes a lock and starts a call that waits for it. Then erases the contact,
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
  const { status, text } = await erasing!;
  assert.equal(status, 200, text);
}

test("A batch that has read a person when the person is erased is repeated without the person", async (scenario) => {
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

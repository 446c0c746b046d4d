// Erasures and merges that are too large for one call, and the job that finishes them.
import assert from "node:assert/strict";
import type { ISql, Sql } from "postgres";
import { assertError, client, type Reply } from "../../support/client.ts";
import { tablesWith } from "../../support/every_column.ts";
import { makeKey, makeWorkspace } from "../../support/fixtures.ts";
import { eventually } from "../../support/mailbox.ts";
import { create, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { type Scenario, test } from "../../support/scenario.ts";
import { openDatabase } from "../../support/stack.ts";

const CONTACTS = "/api-v1-contacts";
const OPERATIONS = "/api-v1-operations";
const REPLIES = 20_000;

/** Adds copies of a deal to its contact, with numbered titles. */
async function addDeals(sql: ISql, deal_id: string, count: number, title: string): Promise<void> {
  await sql`
    insert into crm.deals (workspace_id, pipeline_id, stage_id, contact_id, owner_id, title)
    select d.workspace_id, d.pipeline_id, d.stage_id, d.contact_id, d.owner_id, ${title} || ' ' || n
    from crm.deals d, generate_series(1, ${count}::int) n where d.id = ${deal_id}`;
}

/** Runs the job until the operation is done, while the scheduler may run the job as well. */
async function finished(sql: Sql, api: ReturnType<typeof client>, reply: Reply) {
  const address = `${OPERATIONS}/${reply.body.operation.id}`;
  for (let run = 0; run < 300; run++) {
    const { body, text } = await api.get(address);
    assert.notEqual(body.state, "failed", text);
    if (body.state === "done") return body;
    const [{ steps }] = await sql<[{ steps: number }]>`select crm.run_operations() as steps`;
    // No step ran, because the scheduler's run of the job holds the operation.
    if (steps === 0) await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.fail("the operation did not end in 300 rounds");
}

const operationOf = async (sql: Sql, id: string) => {
  const [row] = await sql`select * from crm.operations where id = ${id}`;
  return row!;
};

/** Stores many replies to earlier requests of a workspace. No reply shows an existing record. */
const storeReplies = (sql: Sql, workspaceId: string) =>
  sql`
    insert into crm.idempotency_keys (workspace_id, key, request_hash, body)
    select ${workspaceId}, gen_random_uuid()::text, '', '{"id" : "' || gen_random_uuid() || '"}'
    from generate_series(1, ${REPLIES}::integer)`;

test("Erasing a contact with 2,000 deals, among 20,000 stored replies, answers 202 and clears the contact at once; its operation reports the rest", async ({ sql, workspace, api }) => {
  // Analyzes before `workspace` has replies, so that the planner expects none there and may choose a bad plan.
  await storeReplies(sql, (await makeWorkspace(sql)).id);
  await sql`analyze crm.idempotency_keys`;
  await storeReplies(sql, workspace.id);
  const mark = `Quaresma${crypto.randomUUID().replaceAll(/[^a-f]/g, "")}zz`;
  const lead = { first_name: "Zuleica", last_name: mark };
  const { body: { lead: { contact_id, deal_id } } } = await api.post("/api-v1-leads", lead);
  await addDeals(sql, deal_id, 2_000, `Plano de Zuleica ${mark}`);
  await create(workspace.key, "/api-v1-companies", { name: `Zuleica ${mark} ME` });

  const reply = await api.post(`${CONTACTS}/${contact_id}/erase`);
  assert.equal(reply.status, 202, reply.text);
  const { operation, erased_at, texts_naming } = reply.body;
  assert.match(reply.headers.get("Location")!, new RegExp(`/functions/v1${OPERATIONS}/${operation.id}$`));
  const sent = { id: contact_id, merge_id: null, texts: false };
  assert.deepEqual([operation.kind, operation.arguments], ["contact_erasure", sent]);
  assert.equal(texts_naming, null, "the operation has not searched the texts yet");
  const { body: contact } = await api.get(`${CONTACTS}/${contact_id}`);
  assert.deepEqual([contact.name, contact.erased_at], ["Contato apagado", erased_at]);

  const done = await finished(sql, api, reply);
  assert.deepEqual([done.cleared.contacts, done.cleared.deals, done.error], [1, 2_001, null]);
  assert.equal(done.texts_naming.count, 1, "the company");
  const tables = await tablesWith(sql, [mark.toLowerCase()]);
  assert.deepEqual(tables.filter((table) => table !== "crm.search_texts"), ["crm.companies"]);
  const { progress, steps, work } = await operationOf(sql, operation.id);
  assert.equal(progress, null, "the search terms for the person are deleted");
  // 1,000 is ample: a step changes 100 deals, and each counts as three units of work.
  assert.ok(Number(work) / steps < 1000, `${work} in ${steps} steps`);
  const again = await api.post(`${CONTACTS}/${contact_id}/erase`);
  assert.deepEqual([again.status, again.body.texts_naming.count], [200, 1]);
  const left = await sql`select from crm.idempotency_keys where workspace_id = ${workspace.id}`;
  assert.equal(left.length, REPLIES);
});

test("Repeating an erasure with texts while it runs extends its operation, which only keys of the workspace can read", async ({ sql, workspace, api, newDeal }) => {
  const { id: deal_id, contactId } = await newDeal();
  await create(workspace.key, "/api-v1-notes", { deal_id, body: "Ana ligou" });
  await addDeals(sql, deal_id, 2_000, "Ana");
  const erase = (body: object) => api.post(`${CONTACTS}/${contactId}/erase`, body);
  const replies = [await erase({}), await erase({ texts: true })];
  assert.deepEqual(replies.map(({ status }) => status), [202, 202]);
  const [first, second] = replies.map(({ body }) => body.operation);
  assert.equal(first.id, second.id);
  assert.equal(second.arguments.texts, true);
  const other = await makeKey(sql, workspace.id, { scopes: ["leads:write"] });
  assert.equal((await client(other.key).get(`${OPERATIONS}/${first.id}`)).status, 200);
  assertError(await client((await makeWorkspace(sql)).key).get(`${OPERATIONS}/${first.id}`), "not_found");
  assertError(await api.get(`${OPERATIONS}/${UNKNOWN_ID}`), "not_found");
  const done = await finished(sql, api, replies[0]!);
  assert.deepEqual([done.cleared.notes, done.texts_naming.count], [1, 0]);
});

test("A merge of a contact with 2,500 deals and activities answers 202, moves all of them in steps, and emits one event for each", async ({ sql, workspace, api }) => {
  const stays = await create(workspace.key, CONTACTS, { name: "Ana" });
  const { body: { lead: { contact_id, deal_id } } } = await api.post("/api-v1-leads", { first_name: "Ana" });
  await addDeals(sql, deal_id, 2_000, "Venda");
  await sql`
    insert into crm.activities (workspace_id, deal_id, contact_id, owner_id, created_by_id, title)
    select d.workspace_id, d.id, d.contact_id, d.owner_id, d.owner_id, 'Ligar'
    from crm.deals d where d.contact_id = ${contact_id} limit 500`;
  const merge = () => api.post(`${CONTACTS}/${stays.id}/merge`, { merge_id: contact_id });
  const reply = await merge();
  assert.equal(reply.status, 202, reply.text);
  assert.equal(reply.body.id, stays.id);
  const moves = async () => {
    const rows = await sql<{ event: string; id: string }[]>`
      select event::text, object_id as id from crm.events
      where workspace_id = ${workspace.id} and facts -> 'changed_fields' ? 'contact_id'`;
    return rows.map(({ event, id }) => `${event} ${id}`);
  };
  const { length } = await moves();
  assert.ok(length < 1_500, `the call emitted ${length} events`);
  assert.equal((await api.get(`${CONTACTS}/${contact_id}`)).status, 301);
  assert.equal((await merge()).body.operation.id, reply.body.operation.id);

  const done = await finished(sql, api, reply);
  assert.deepEqual(done.moved, { activities: 500, contacts: 0, deals: 2_001, deal_contacts: 0, merged: 0 });
  for (const table of ["deals", "activities", "lead_receipts"]) {
    const left = await sql`select from ${sql(`crm.${table}`)} where contact_id = ${contact_id}`;
    assert.equal(left.length, 0, table);
  }
  const told = await moves();
  assert.deepEqual([told.length, new Set(told).size], [2_501, 2_501]);
  const { steps } = await operationOf(sql, reply.body.operation.id);
  assert.ok(steps >= 2_500 / 200, `${steps} steps`);
  const last = await merge();
  assert.deepEqual([last.status, "operation" in last.body], [200, false]);
});

/** Merges a contact that has 2,001 deals into another; `work` runs while another transaction locks the last deals. */
async function mergeHeld({ sql, workspace, api, newDeal }: Scenario, work: (id: string) => Promise<void>) {
  const stays = await create(workspace.key, CONTACTS, { name: "Bia" });
  const { id: deal_id, contactId } = await newDeal();
  await addDeals(sql, deal_id, 2_000, "Venda");
  const merge = () => api.post(`${CONTACTS}/${stays.id}/merge`, { merge_id: contactId });
  const reply = await merge();
  assert.equal(reply.status, 202);
  await using holder = openDatabase();
  await holder.begin(async (held) => {
    await held`select from crm.deals where workspace_id = ${workspace.id} order by id desc limit 400 for update`;
    await work(reply.body.operation.id);
  });
  return { reply, merge };
}

/** Skips the wait before the next attempt of an operation. */
const skipWait = (sql: Sql, id: string) =>
  sql`update crm.operations set updated_at = now() - interval '1 hour' where id = ${id} and state = 'running'`;

test("A job that is killed several times during an operation loses and repeats nothing", async (scenario) => {
  const { sql, workspace, api } = scenario;
  const { reply } = await mergeHeld(scenario, async (id) => {
    let killed = 0;
    await eventually(async () => {
      await skipWait(sql, id);
      const runner = openDatabase();
      // Changes the deals that are not locked, and then waits for the others.
      const running = runner`select crm.run_operations('31 seconds')`.catch(() => {});
      let ended = false;
      running.then(() => ended = true);
      await eventually(async () => {
        const rows = await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where query like 'select crm.run_operations(''31%' and wait_event_type = 'Lock'`;
        killed += rows.length;
        return ended || rows.length > 0;
      }, "a run that waits");
      await running;
      await runner.end({ timeout: 0 });
      return killed >= 3;
    }, "three runs that were killed");
  });
  await skipWait(sql, reply.body.operation.id);
  assert.equal((await finished(sql, api, reply)).moved.deals, 2_001);
  const [row] = await sql`
    select count(*)::int as events, count(distinct object_id)::int as deals from crm.events
    where workspace_id = ${workspace.id} and event = 'deal.updated'`;
  assert.deepEqual({ ...row }, { events: 2_001, deals: 2_001 });
});

test("An operation whose step fails ten times ends as failed, with a code; a repeated call continues it", async (scenario) => {
  const { sql, api } = scenario;
  const { reply, merge } = await mergeHeld(scenario, async (id) => {
    await eventually(async () => {
      await skipWait(sql, id);
      await sql`select crm.run_operations('0 seconds')`;
      return (await api.get(`${OPERATIONS}/${id}`)).body.state === "failed";
    }, "ten failures");
  });
  const { id } = reply.body.operation;
  const { body } = await api.get(`${OPERATIONS}/${id}`);
  assert.deepEqual([body.state, body.error], ["failed", "service_unavailable"]);
  assert.ok(body.ended_at);
  const again = await merge();
  assert.deepEqual([again.status, again.body.operation.id], [202, id]);
  assert.equal((await finished(sql, api, again)).moved.deals, 2_001);
});

test("In a workspace with 15 stored replies of 1 MB to batches, an erasure answers at once, and reads only as many of them as one call has time for", async ({ sql, workspace, api, newDeal }) => {
  const { contactId } = await newDeal();
  const details = Array.from(
    { length: 9_900 },
    (_, n) => ({ field: `items[0].custom_fields.k${n}`, message: "x" }),
  );
  const body = JSON.stringify({
    results: [{ index: 0, status: 422, error: { code: "validation_error", message: "x", details } }],
    summary: { created: 0, updated: 0, failed: 1 },
  });
  await sql`
    insert into crm.idempotency_keys (workspace_id, key, request_hash, body)
    select ${workspace.id}, 'lote ' || n, '', ${body} from generate_series(1, 15) n`;
  const reply = await api.post(`${CONTACTS}/${contactId}/erase`);
  assert.equal(reply.status, 202, reply.text);
  const before = await operationOf(sql, reply.body.operation.id);
  assert.ok(Number(before["work"]) < 8_000, `${before["work"]} kB`);
  // The unfinished operation delays no erasure in another workspace.
  const others = await makeWorkspace(sql);
  const { id } = await create(others.key, CONTACTS, { name: "Rui" });
  assert.equal((await client(others.key).post(`${CONTACTS}/${id}/erase`)).status, 200);
  assert.equal((await finished(sql, api, reply)).state, "done");
});

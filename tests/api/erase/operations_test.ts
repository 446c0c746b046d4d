// Erasures and merges that are too large for one call: the reply to the call, and the job that continues them.
import assert from "node:assert/strict";
import type { ISql, Sql } from "postgres";
import { assertError, client, type Reply } from "../../support/client.ts";
import { tablesWith } from "../../support/every_column.ts";
import { makeKey, makeWorkspace } from "../../support/fixtures.ts";
import { eventually } from "../../support/mailbox.ts";
import { create, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { openDatabase } from "../../support/stack.ts";

const CONTACTS = "/api-v1-contacts";
const OPERATIONS = "/api-v1-operations";

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
    // No step was free: the scheduler's run holds the operation.
    if (steps === 0) await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.fail("the operation does not end");
}

const operationOf = async (sql: Sql, id: string) => {
  const [row] = await sql`select * from crm.operations where id = ${id}`;
  return row!;
};

test("An erasure of a contact with 5,000 deals answers 202, clears the contact at once, and its operation reports the rest", async ({ sql, workspace, api }) => {
  const mark = `Quaresma${crypto.randomUUID().replaceAll(/[^a-f]/g, "")}zz`;
  const lead = { first_name: "Zuleica", last_name: mark };
  const { body: { lead: { contact_id, deal_id } } } = await api.post("/api-v1-leads", lead);
  await addDeals(sql, deal_id, 5_000, `Plano de Zuleica ${mark}`);
  await create(workspace.key, "/api-v1-companies", { name: `Zuleica ${mark} ME` });

  const reply = await api.post(`${CONTACTS}/${contact_id}/erase`);
  assert.equal(reply.status, 202, reply.text);
  const { operation, erased_at, texts_naming } = reply.body;
  assert.match(reply.headers.get("Location")!, new RegExp(`/functions/v1${OPERATIONS}/${operation.id}$`));
  assert.deepEqual([operation.kind, operation.arguments], [
    "contact_erasure",
    { id: contact_id, merge_id: null, texts: false },
  ]);
  assert.equal(texts_naming, null, "nobody knows yet");
  const { body: contact } = await api.get(`${CONTACTS}/${contact_id}`);
  assert.deepEqual([contact.name, contact.erased_at], ["Contato apagado", erased_at]);

  const done = await finished(sql, api, reply);
  assert.deepEqual([done.cleared.contacts, done.cleared.deals, done.error], [1, 5_001, null]);
  assert.equal(done.texts_naming.count, 1, "the company");
  const tables = await tablesWith(sql, [mark.toLowerCase()]);
  assert.deepEqual(tables.filter((table) => table !== "crm.search_texts"), ["crm.companies"]);
  const { progress, steps, work } = await operationOf(sql, operation.id);
  assert.equal(progress, null, "what the person was recognized by is forgotten");
  // A changed deal counts as three, and a step changes 100 deals.
  assert.ok(Number(work) / steps < 1000, `${work} in ${steps} steps`);
  const again = await api.post(`${CONTACTS}/${contact_id}/erase`);
  assert.deepEqual([again.status, again.body.texts_naming.count], [200, 1]);
});

test("Repeating an erasure with texts while it runs extends the same operation to texts", async ({ sql, workspace, api, newDeal }) => {
  const { id: deal_id, contactId } = await newDeal();
  await create(workspace.key, "/api-v1-notes", { deal_id, body: "Ana ligou" });
  await addDeals(sql, deal_id, 3_000, "Ana");
  const replies = [
    await api.post(`${CONTACTS}/${contactId}/erase`),
    await api.post(`${CONTACTS}/${contactId}/erase`, { texts: true }),
  ];
  assert.deepEqual(replies.map(({ status }) => status), [202, 202]);
  const [first, second] = replies.map(({ body }) => body.operation);
  assert.equal(first.id, second.id);
  assert.equal(second.arguments.texts, true);
  const done = await finished(sql, api, replies[0]!);
  assert.deepEqual([done.cleared.notes, done.texts_naming.count], [1, 0]);
});

test("A merge of a contact with 20,000 deals and activities answers 202, moves all of them in steps, and emits one event for each", async ({ sql, workspace, api }) => {
  const stays = await create(workspace.key, CONTACTS, { name: "Ana" });
  const { body: { lead: { contact_id, deal_id } } } = await api.post("/api-v1-leads", { first_name: "Ana" });
  await addDeals(sql, deal_id, 15_000, "Venda");
  await sql`
    insert into crm.activities (workspace_id, deal_id, contact_id, owner_id, created_by_id, title)
    select d.workspace_id, d.id, d.contact_id, d.owner_id, d.owner_id, 'Ligar'
    from crm.deals d where d.contact_id = ${contact_id} limit 5000`;
  const merge = () => api.post(`${CONTACTS}/${stays.id}/merge`, { merge_id: contact_id });
  const reply = await merge();
  assert.equal(reply.status, 202, reply.text);
  assert.equal(reply.body.id, stays.id);
  const [{ written }] = await sql<[{ written: number }]>`
    select count(*)::int as written from crm.events where workspace_id = ${workspace.id} and facts -> 'changed_fields' ? 'contact_id'`;
  assert.ok(written < 2_000, `the call has told of ${written} moves`);
  assert.equal((await api.get(`${CONTACTS}/${contact_id}`)).status, 301);
  assert.equal((await merge()).body.operation.id, reply.body.operation.id);

  const done = await finished(sql, api, reply);
  assert.deepEqual(done.moved, { activities: 5_000, contacts: 0, deals: 15_001, merged: 0 });
  const [row] = await sql`
    select
      (select count(*)::int from crm.deals where contact_id = ${contact_id}) as deals,
      (select count(*)::int from crm.activities where contact_id = ${contact_id}) as activities,
      (select count(*)::int from crm.lead_receipts where contact_id = ${contact_id}) as receipts,
      (
        select count(distinct object_id)::int from crm.events
        where workspace_id = ${workspace.id} and event = 'deal.updated' and facts -> 'changed_fields' ? 'contact_id'
      ) as told,
      (
        select count(*)::int from crm.events
        where workspace_id = ${workspace.id} and event = 'deal.updated' and facts -> 'changed_fields' ? 'contact_id'
      ) as events`;
  assert.deepEqual({ ...row }, { deals: 0, activities: 0, receipts: 0, told: 15_001, events: 15_001 });
  const { steps } = await operationOf(sql, reply.body.operation.id);
  assert.ok(steps >= 20_000 / 200, `${steps} steps`);
  const last = await merge();
  assert.deepEqual([last.status, "operation" in last.body], [200, false]);
});

test("A job that is killed several times within an operation loses and repeats nothing", async ({ sql, workspace, api, newDeal }) => {
  const stays = await create(workspace.key, CONTACTS, { name: "Bia" });
  const { id: deal_id, contactId } = await newDeal();
  await addDeals(sql, deal_id, 4_000, "Venda");
  const reply = await api.post(`${CONTACTS}/${stays.id}/merge`, { merge_id: contactId });
  assert.equal(reply.status, 202);
  let killed = 0;
  for (let round = 0; round < 30 && killed < 3; round++) {
    const runner = openDatabase();
    await runner`select 1`;
    const running = runner`select crm.run_operations('31 seconds')`.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50 + 20 * round));
    const ended = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'select crm.run_operations(''31%' and state = 'active' and pid <> pg_backend_pid()`;
    killed += ended.length;
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 500))]);
    await runner.end({ timeout: 1 });
  }
  assert.ok(killed > 0, "a control: a run was killed");
  const done = await finished(sql, api, reply);
  assert.equal(done.moved.deals, 4_001);
  const [row] = await sql`
    select count(*)::int as events, count(distinct object_id)::int as deals from crm.events
    where workspace_id = ${workspace.id} and event = 'deal.updated'`;
  assert.deepEqual({ ...row }, { events: 4_001, deals: 4_001 });
});

test("A step that fails ten times ends its operation as failed, with a code; repeating the call continues it", async ({ sql, workspace, api, newDeal }) => {
  const stays = await create(workspace.key, CONTACTS, { name: "Bia" });
  const { id: deal_id, contactId } = await newDeal();
  await addDeals(sql, deal_id, 1_500, "Venda");
  const merge = () => api.post(`${CONTACTS}/${stays.id}/merge`, { merge_id: contactId });
  const { body: { operation: { id } } } = await merge();
  // While this transaction is open, nobody else can write the last deals.
  await using holder = openDatabase();
  await holder.begin(async (held) => {
    await held`select from crm.deals where workspace_id = ${workspace.id} order by id desc limit 800 for update`;
    await eventually(
      async () => {
        // Skips the wait before the next attempt.
        await sql`update crm.operations set updated_at = now() - interval '1 hour' where id = ${id} and state = 'running'`;
        await sql`select crm.run_operations('0 seconds')`;
        return (await api.get(`${OPERATIONS}/${id}`)).body.state === "failed";
      },
      "ten failures",
      60,
    );
  });
  const { body } = await api.get(`${OPERATIONS}/${id}`);
  assert.deepEqual([body.state, body.error], ["failed", "service_unavailable"]);
  assert.ok(body.ended_at);
  const again = await merge();
  assert.deepEqual([again.status, again.body.operation.id], [202, id]);
  assert.equal((await finished(sql, api, again)).moved.deals, 1_501);
});

test("GET /api-v1-operations/:id shows an operation to every key of its workspace, and to no other", async ({ sql, workspace, api, newDeal }) => {
  const { id: deal_id, contactId } = await newDeal();
  await addDeals(sql, deal_id, 3_000, "Venda");
  const { body: { operation: { id } } } = await api.post(`${CONTACTS}/${contactId}/erase`, { texts: true });
  const other = await makeKey(sql, workspace.id, { scopes: ["leads:write"] });
  assert.equal((await client(other.key).get(`${OPERATIONS}/${id}`)).status, 200);
  assertError(await client((await makeWorkspace(sql)).key).get(`${OPERATIONS}/${id}`), "not_found");
  assertError(await api.get(`${OPERATIONS}/${UNKNOWN_ID}`), "not_found");
  await finished(sql, api, { body: { operation: { id } } } as Reply);
});

test("An erasure beside 70 stored batches of a megabyte answers at once, and reads only as many of them as fit into one call", async ({ sql, workspace, api, newDeal }) => {
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
    select ${workspace.id}, 'lote ' || n, '', ${body} from generate_series(1, 70) n`;
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

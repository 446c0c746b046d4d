// A job writes the search texts, but a search is always exact: it also reads records that changed since the last run.
import assert from "node:assert/strict";
import type { ISql } from "postgres";
import { holdFeed } from "../../support/hold_feed.ts";
import { indexTexts, runJob } from "../../support/jobs.ts";
import { create, ids, readPages } from "../../support/record_fixtures.ts";
import { rolledBack } from "../../support/transactions.ts";
import { type Scenario, test } from "../../support/scenario.ts";
import { openDatabase } from "../../support/stack.ts";

const CONTACTS = "/api-v1-contacts";

async function search({ api }: Pick<Scenario, "api">, q: string, path = CONTACTS) {
  const reply = await api.get(`${path}?${new URLSearchParams({ q })}`);
  assert.equal(reply.status, 200, reply.text);
  return ids(reply);
}

/** The ids of the records whose stored search text contains the word. */
async function kept(sql: ISql, workspaceId: string, word: string) {
  const rows = await sql<{ id: string }[]>`
    select id from crm.search_texts where workspace_id = ${workspaceId} and strpos(text, ${word}) > 0`;
  return rows.map(({ id }) => id);
}

test("q finds the writes of a late transaction as soon as it commits, even if the indexing job ran before", async (scenario) => {
  const { sql, workspace } = scenario;
  const { id: changed } = await create(workspace.key, CONTACTS, { name: "Antiga" });
  await runJob(sql, "index-texts");
  await using other = openDatabase();
  const late = await other.reserve();
  await late`begin`;
  const [{ id: made }] = await late<[{ id: string }]>`
    insert into crm.contacts (workspace_id, name, owner_id)
    values (${workspace.id}, 'Tardia', ${workspace.memberId}) returning id`;
  await late`update crm.contacts set name = 'Novíssima' where id = ${changed}`;

  const { id: between } = await create(workspace.key, CONTACTS, { name: "Entretanto" });
  await runJob(sql, "index-texts");
  assert.deepEqual(await search(scenario, "tardia"), []);
  assert.deepEqual(await search(scenario, "antiga"), [changed]);
  assert.deepEqual(await search(scenario, "entretanto"), [between]);

  await late`commit`;
  late.release();
  for (const when of ["before the job", "after the job"]) {
    assert.deepEqual(await search(scenario, "tardia"), [made], when);
    assert.deepEqual(await search(scenario, "novissima"), [changed], when);
    assert.deepEqual(await search(scenario, "antiga"), [], when);
    assert.deepEqual(await search(scenario, "entretanto"), [between], when);
    await runJob(sql, "index-texts");
  }
  await indexTexts(sql);
  assert.deepEqual(await kept(sql, workspace.id, "tardia"), [made]);
  assert.deepEqual(await kept(sql, workspace.id, "antiga"), []);
});

test("q matches changed, merged and deleted records by their current state, before and after the indexing job", async (scenario) => {
  const { sql, workspace, api } = scenario;
  const make = async (name: string) =>
    (await create(workspace.key, CONTACTS, { name, job_title: "Padeiro" })).id;
  const [ana, bia, cid] = [await make("Ana"), await make("Bia"), await make("Cid")];
  await runJob(sql, "index-texts");
  await api.patch(`${CONTACTS}/${ana}`, { name: "Aná", email: "ana@sol.com" });
  await api.post(`${CONTACTS}/${ana}/merge`, { merge_id: bia });
  await sql`delete from crm.contacts where id = ${cid}`;
  const { id: zoe } = await create(workspace.key, CONTACTS, { name: "Zoé", job_title: "Padeira" });
  for (const when of ["before the job", "after the job"]) {
    assert.deepEqual(await search(scenario, "padeir"), [zoe, ana], when);
    assert.deepEqual(await search(scenario, "ana@sol"), [ana], when);
    assert.deepEqual(await search(scenario, "bia"), [], when);
    assert.deepEqual(await search(scenario, "cid"), [], when);
    await runJob(sql, "index-texts");
  }
  await indexTexts(sql);
  assert.deepEqual(await kept(sql, workspace.id, "cid"), []);
});

test("q finds every record of a large import, page by page, while the job is still indexing", async (scenario) => {
  const { sql, workspace } = scenario;
  const [{ id: old }] = await sql<[{ id: string }]>`
    insert into crm.contacts (workspace_id, id, name, owner_id)
    values (${workspace.id}, crm.uuid_v7(now() - interval '1 day'), 'Raridade', ${workspace.memberId}) returning id`;
  await runJob(sql, "index-texts");
  {
    // An open transaction keeps the job, which the stack runs every ten seconds, from indexing the import.
    await using _held = await holdFeed();
    await sql`
      insert into crm.contacts (workspace_id, id, name, owner_id)
      select ${workspace.id}, crm.uuid_v7(now() - n * interval '1 second'), 'Importado ' || n, ${workspace.memberId}
      from generate_series(1, 4500) n`;
    const pages = await readPages(scenario.api, `${CONTACTS}?q=raridade`);
    assert.deepEqual(pages.flatMap(ids), [old]);
    assert.ok(pages.length > 4500 / 500, `${pages.length} pages of 500 records at most`);
  }
  await indexTexts(sql);
  assert.equal((await kept(sql, workspace.id, "importado")).length, 4500);
  assert.deepEqual(await search(scenario, "raridade"), [old]);
});

test("A record whose event cannot be stored is indexed at once", async ({ sql, workspace }) => {
  await rolledBack(sql, async (sql) => {
    // Locks the texts before the table, as the job does, so that neither waits for the other forever.
    await sql`select crm.lock_texts()`;
    await sql`alter table crm.feed_offset rename to gone`;
    await sql`
      insert into crm.contacts (workspace_id, name, owner_id)
      values (${workspace.id}, 'Sem evento', ${workspace.memberId})`;
    await sql`
      update crm.contacts set name = 'Ainda sem evento' where workspace_id = ${workspace.id}`;
    assert.equal((await kept(sql, workspace.id, "ainda sem evento")).length, 1);
    await sql`
      insert into crm.deals (workspace_id, title, owner_id, pipeline_id, stage_id)
      select workspace_id, 'Negócio calado', ${workspace.memberId}, pipeline_id, id
      from crm.stages where workspace_id = ${workspace.id} and position = 1`;
    assert.equal((await kept(sql, workspace.id, "negocio calado")).length, 1);
  });
});

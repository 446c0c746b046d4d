// A job writes the search texts, but a search is always exact: it also reads records that changed since the last run.
import assert from "node:assert/strict";
import type { ISql } from "postgres";
import { indexTexts, runJob } from "../../support/jobs.ts";
import { create, ids } from "../../support/record_fixtures.ts";
import { rolledBack } from "../../support/transactions.ts";
import { type Scenario, test } from "../../support/scenario.ts";
import { openDatabase } from "../../support/stack.ts";

const CONTACTS = "/api-v1-contacts";

async function search({ api }: Pick<Scenario, "api">, q: string) {
  const reply = await api.get(`${CONTACTS}?${new URLSearchParams({ q })}`);
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

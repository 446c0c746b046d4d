import assert from "node:assert/strict";
import { countBlocksAgain } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openDatabase, openWithoutTriggers } from "../support/stack.ts";

const ROWS = 60_000;
/** Enough to find one company by two indexes. 60,000 companies and their index by id are over 1,000 blocks. */
const MAX_BLOCKS = 40;

Deno.test("a list by an external_id and another filter reads the index of external_id, and no other company", async () => {
  await using sql = openDatabase();
  const workspace = await makeWorkspace(sql);
  {
    await using admin = await openWithoutTriggers();
    await admin`
      insert into crm.companies (workspace_id, id, name, owner_id, external_id)
      select
        ${workspace.id}, crm.uuid_v7(timestamptz '2025-01-01' + n * interval '1 second'), 'Empresa ' || n,
        ${workspace.memberId}, case when n % 100 = 0 then 'erp-' || n end
      from generate_series(1, ${ROWS}::integer) n`;
    await admin`vacuum analyze crm.companies`;
  }
  for (const filter of [{ owner_id: workspace.memberId }, { archived: "any" }]) {
    await sql.begin(async (sql) => {
      await sql`set local role crm_api`;
      await sql`select set_config('app.workspace_id', ${workspace.id}, true)`;
      const values = [JSON.stringify({ limit: 50, external_id: "erp-100", ...filter })];
      const query = "select api.company_list($1::text::jsonb) as reply";
      const blocks = await countBlocksAgain(sql, query, values);
      const [reply] = await sql.unsafe(query, values);
      assert.equal(reply!["reply"].data.length, 1);
      assert.ok(blocks <= MAX_BLOCKS, `${blocks} blocks`);
    });
  }
});

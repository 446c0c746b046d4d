// Partitions are tables too: a role that may use the parent table must not use the partition of a day directly.
// catalog_test.ts and rights_test.ts check the partitions' rights in the catalogue; this file tries statements.
import assert from "node:assert/strict";
import { refusalOf } from "../../support/rights.ts";
import { openSql } from "../../../run/local/sql.ts";
import { rolledBack } from "../../support/transactions.ts";
import { test } from "../../support/scenario.ts";
import { functionsDatabaseUrl } from "../../support/stack.ts";

/** Every kind of statement on a table, so that no right is forgotten. */
const statements = (table: string) => [
  `select from ${table}`,
  `select count(*) from ${table}`,
  `insert into ${table} default values`,
  `update ${table} set workspace_id = workspace_id`,
  `delete from ${table}`,
  `truncate ${table}`,
  `lock table ${table}`,
  `drop table ${table}`,
  `alter table ${table} disable row level security`,
];

test("crm_api, crm_app and crm_functions may do nothing with a partition by its own name", async ({ sql, workspace }) => {
  const partitions = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = 'crm'::regnamespace and c.relkind = 'r' and c.relispartition`;
  // Each of the three tables has partitions for eight days, and the default one.
  assert.ok(partitions.length >= 27, `${partitions.length}`);
  const functions = openSql(functionsDatabaseUrl, { max: 1 });
  try {
    for (const role of ["crm_api", "crm_app", "crm_functions"]) {
      const client = role === "crm_functions" ? functions : sql;
      await rolledBack(client, async (client) => {
        if (role !== "crm_functions") await client.unsafe(`set local role ${role}`);
        await client`select set_config('app.workspace_id', ${workspace.id}, true)`;
        for (const { name } of partitions) {
          for (const statement of statements(name)) {
            const refusal = await refusalOf(client, statement);
            assert.equal(refusal?.code, "42501", `${statement} as ${role}`);
          }
        }
      });
    }
  } finally {
    await functions.end();
  }
});

test("a partition has the isolation of its table, so a right given by mistake would show one workspace only", async ({ sql, workspace, newDeal }) => {
  await newDeal();
  const [{ day }] = await sql<[{ day: string }]>`
    select tableoid::regclass::text as day from crm.events where workspace_id = ${workspace.id} limit 1`;
  await rolledBack(sql, async (sql) => {
    await sql.unsafe(`grant select on ${day} to crm_app`);
    await sql`set local role crm_app`;
    await sql`select set_config('app.workspace_id', ${workspace.id}, true)`;
    const seen = await sql.unsafe(`select workspace_id, count(*)::int as n from ${day} group by 1`);
    assert.deepEqual(seen.map((row) => row["workspace_id"]), [workspace.id]);
    await sql`select set_config('app.workspace_id', gen_random_uuid()::text, true)`;
    assert.deepEqual([...await sql.unsafe(`select from ${day}`)], []);
  });
});

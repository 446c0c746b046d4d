// crm.list_by, crm.search_page and crm.sum_deals build statements from the filters of a call. Any value must only be
// compared, and never become a part of the statement's code.
import assert from "node:assert/strict";
import { columnOf, optional } from "../../tools/records/filters.ts";
import { records } from "../../tools/records/records.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { sql } from "../support/scenario.ts";
import { asCrmApi } from "../support/transactions.ts";

const VALUES = [
  ...[
    "'",
    "''",
    "\\",
    "\\'; select 1/0; --",
    "' or 1/0 = 1 or t.name = '",
    "'::text) or true or (t.name = '",
  ],
  ...["$1", "$sql$", "%s %L %I %1$s %", '{a,"b",NULL}', "/* */ -- \n", "é ’ \u{1f600}"],
];

Deno.test("a value with quotes, backslashes or placeholders of SQL finds the one record that has it, by any combination of filters", async (t) => {
  const workspace = await makeWorkspace(sql);
  const call = (verb: string, args: object) =>
    asCrmApi(sql, workspace.id, async (sql) => {
      const [row] = await sql.unsafe<[{ reply: { data: { id: string }[]; totals?: { count: number } } }]>(
        `select ${verb}($1::text::jsonb) as reply`,
        [JSON.stringify(args)],
      );
      return row.reply;
    });
  await sql`
    insert into crm.deals (workspace_id, title, pipeline_id, stage_id, owner_id, external_id)
    select ${workspace.id}, v, ${workspace.pipelineId}, ${workspace.stages[0].id}, ${workspace.memberId}, v
    from unnest(${VALUES}::text[]) v`;
  await sql`
    insert into crm.companies (workspace_id, name, owner_id, domain, tax_id)
    select ${workspace.id}, v, ${workspace.memberId}, v, v from unnest(${VALUES}::text[]) v`;
  for (const value of VALUES) {
    await t.step(JSON.stringify(value), async () => {
      const owner = { owner_id: workspace.memberId };
      const deals = await call("api.deal_list", { limit: 50, external_id: value, ...owner });
      assert.equal(deals.data.length, 1);
      const sums = await call("api.deal_summary", {
        external_id: value,
        ...owner,
        status: ["aberto", value],
      });
      assert.equal(sums.totals!.count, 1);
      const companies = { limit: 50, name: value, domain: value, tax_id: value };
      assert.equal((await call("api.company_list", companies)).data.length, 1);
      const archived = await call("api.company_list", { ...companies, archived: "true" });
      assert.equal(archived.data.length, 0);
      const found = await call("api.deal_list", { limit: 50, external_id: value, q: value.trim(), ...owner });
      assert.equal(found.data.length, 1);
    });
  }
});

Deno.test("a value that is not of its filter's type is an error, and never a statement", async (t) => {
  const workspace = await makeWorkspace(sql);
  for (const record of records.filter(({ about }) => about.sql?.includes("list"))) {
    for (const filter of optional(record).filter((filter) => record.fields[filter.name]?.sql === "uuid")) {
      await t.step(`${record.name} by ${columnOf(filter)}`, async () => {
        const args = { deal_id: workspace.id, limit: 1, [filter.name]: "' or true or ''='" };
        const listed = asCrmApi(
          sql,
          workspace.id,
          (sql) =>
            sql`select crm.list_by(${record.name}, ${sql.json(args)}, ${workspace.id}, ${workspace.id})`,
        );
        await assert.rejects(listed, { code: "22P02" });
      });
    }
  }
});

// record.ts and the database declare the same fields, filters and columns, so that none can be forgotten.
import assert from "node:assert/strict";
import { columnOf, equalities, ranges, required } from "../../tools/records/filters.ts";
import { records } from "../../tools/records/records.ts";
import { sql } from "../support/scenario.ts";

Deno.test("every field of a record is in its public type, in the order in which it is declared", async () => {
  for (const { name, fields } of records) {
    const columns = await sql<{ attname: string }[]>`
      select a.attname from pg_attribute a
      where a.attrelid = to_regclass(${`api.${name}`}) and a.attnum > 0
      order by a.attnum`;
    assert.deepEqual(columns.map(({ attname }) => attname), Object.keys(fields), name);
  }
});

Deno.test("every stored field has a column of its type, or of a domain over its type, with not null if the field is required", async () => {
  for (const { name, fields, about } of records) {
    const columns = await sql<{ name: string; type: string; required: boolean }[]>`
      select
        a.attname as name, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as type,
        a.attnotnull as required
      from pg_attribute a join pg_type t on t.oid = a.atttypid
      where a.attrelid = ${`crm.${about.table}`}::regclass and a.attnum > 0`;
    const types: Record<string, string> = { timestamptz: "timestamp with time zone" };
    const declared = Object.entries(fields).filter(([, { stored }]) => stored);
    assert.deepEqual(
      declared.map(([field]) => columns.find((column) => column.name === field)).map((column) => ({
        ...column,
      })),
      declared.map(([field, { sql, presence }]) => ({
        name: field,
        type: types[sql] ?? sql,
        // Null stands for no tags.
        required: presence !== "optional" && sql !== "text[]",
      })),
      name,
    );
  }
});

Deno.test("every equality and every range that a list is filtered by is served by an index that ends with the id or is unique", async () => {
  for (const record of records.filter(({ about }) => about.sql?.includes("list"))) {
    const { name, about } = record;
    const indexes = await sql<{ columns: string[]; unique: boolean; condition: string | null }[]>`
      select i.indisunique as "unique", pg_get_expr(i.indpred, i.indrelid) as condition, array(
        select a.attname::text from unnest(i.indkey::int2[]) with ordinality k (attnum, position)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
        order by k.position
      ) as columns
      from pg_index i where i.indrelid = ${`crm.${about.table}`}::regclass`;
    const served = new Set(
      indexes.map(({ columns, unique, condition }) =>
        [unique && condition ? "unique " : "", columns.join(", "), condition ? ` where ${condition}` : ""]
          .join("")
      ),
    );
    const leading = required(record).map(columnOf);
    const columns = [
      ...equalities(record).map((filter) => ({ ...filter, column: columnOf(filter) })),
      ...[...ranges(record).keys()].map((column) => ({ column, unique: false, sparse: false, range: {} })),
    ];
    for (const { column, unique, sparse, range } of columns) {
      const present = ` where (${column} IS NOT NULL)`;
      const expected = unique
        ? `unique workspace_id, ${column}${present}`
        : [...new Set(["workspace_id", ...leading, column, "id"])].join(", ") + (sparse ? present : "");
      // A range matches no row whose column is null, so a partial index can serve it.
      const isServed = served.has(expected) || range !== undefined && served.has(expected + present);
      assert.ok(isServed, `${name}: no index on (${expected})`);
    }
  }
});

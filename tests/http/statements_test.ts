import assert from "node:assert/strict";
import { query } from "../../supabase/functions/_shared/postgres/database.ts";
import { withEnvironment } from "../support/environment.ts";
import { functionsDatabaseUrl } from "../support/stack.ts";

const VALUES = {
  name: "values",
  text:
    `select $1::text as text, $2::integer as number, $3::uuid as nothing, true as yes, '{"a":[1]}'::json as json`,
  values: ['á, "b"', 12, undefined],
};
const ROW = { text: 'á, "b"', number: 12, nothing: null, yes: true, json: { a: [1] } };

for (const prepare of ["true", "false"]) {
  Deno.test(`A statement returns the same rows each time, with DATABASE_PREPARE=${prepare}`, async () => {
    const variables = {
      DATABASE_URL: functionsDatabaseUrl,
      DATABASE_POOL_SIZE: "1",
      DATABASE_PREPARE: prepare,
    };
    const divide = (by: number) =>
      query({ name: "divide", text: "select 6 / $1::integer as n", values: [by] });
    await withEnvironment(variables, async () => {
      // All on one connection: the driver asks for the columns of a prepared statement only at its first call.
      for (let time = 1; time <= 3; time++) {
        assert.deepEqual(await query(VALUES), [ROW]);
        const many = await query({ name: "many", text: "select generate_series(1, 3) as n" });
        assert.deepEqual(many, [{ n: 1 }, { n: 2 }, { n: 3 }]);
        assert.deepEqual(await query({ name: "none", text: "select 1 as n where false" }), []);
        assert.deepEqual(await query({ name: "no_columns", text: "select" }), [{}]);
        await assert.rejects(divide(0), { code: "22012" });
        assert.deepEqual(await divide(3), [{ n: 2 }]);
        await assert.rejects(query({ name: "malformed", text: "select nothing" }), { code: "42703" });
      }
    });
  });
}

// The functions' client of Postgres: its statements, their time limits, and a missing address.
import assert from "node:assert/strict";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { query } from "../../supabase/functions/_shared/postgres/database.ts";
import { Deadlines } from "../../supabase/functions/_shared/runtime/deadlines.ts";
import { table as pipelines } from "../../supabase/functions/api-v1-pipelines/table.ts";
import { withEnvironment } from "../support/environment.ts";
import { eventually } from "../support/mailbox.ts";
import { databaseUrl, functionsDatabaseUrl } from "../support/stack.ts";

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

Deno.test("A statement that is too slow fails as service_unavailable at its time limit, and the next statement is answered (spec 7)", async () => {
  await withEnvironment({ DATABASE_URL: functionsDatabaseUrl }, async () => {
    const started = performance.now();
    const slow = query({ name: "slow", text: "select pg_sleep(3)", timeout: 300 });
    await assert.rejects(slow, { code: "service_unavailable" });
    // The call gave up before the statement ended.
    assert.ok(performance.now() - started < 2_700);
    // This query takes another connection, because the first statement still sleeps.
    assert.deepEqual(await query({ name: "one", text: "select 1 as one" }), [{ one: 1 }]);
  });
});

Deno.test("Each piece of work has its own deadline, and no timer is left when all are done", async () => {
  const deadlines = new Deadlines();
  const never = new Promise<never>(() => {});
  const order: string[] = [];
  const outcomes = await Promise.all([
    deadlines.enforce(100, () => new Error(), Promise.resolve("done")),
    deadlines.enforce(300, () => new Error("late"), never).catch((error) => order.push(error.message)),
    deadlines.enforce(100, () => new Error("early"), never).catch((error) => order.push(error.message)),
  ]);
  // Deno's test sanitizers fail this test if a timer is left.
  assert.equal(outcomes[0], "done");
  assert.deepEqual(order, ["early", "late"]);
});

Deno.test("Work that ends, in whatever order, does not change the deadlines of other work", async () => {
  const deadlines = new Deadlines();
  const never = new Promise<never>(() => {});
  const ends = [1, 2, 3].map(() => Promise.withResolvers<string>());
  const works = [ends[0]!.promise, never, ends[1]!.promise, never, ends[2]!.promise];
  const outcomes = works.map((work, index) =>
    deadlines.enforce(300, () => new Error(), work.then((end) => `${end} ${index}`)).catch(() => "late")
  );
  for (const [index, end] of ["c", "a", "b"].entries()) ends[(index + 2) % 3]!.resolve(end);
  assert.deepEqual(await Promise.all(outcomes), ["a 0", "late", "b 2", "late", "c 4"]);
});

Deno.test("Without DATABASE_URL a call is a 503, a log line says what to set, and SUPABASE_DB_URL is not used instead", async () => {
  // Supabase sets SUPABASE_DB_URL in every function.
  await withEnvironment({ DATABASE_URL: null, SUPABASE_DB_URL: databaseUrl }, async (lines) => {
    const headers = { "X-API-Key": generateKey() };
    const reply = await serveResource(pipelines)(
      new Request("http://localhost/api-v1-pipelines", { headers }),
    );
    assert.equal(reply.status, 503);
    assert.equal(JSON.parse(await reply.text()).error.code, "service_unavailable");
    // Refused calls are counted, and the count is logged after a second.
    await eventually(() => lines.some(({ event }) => event === "refused"), "the count of refusals");
    const { error } = lines.find(({ event }) => event === "database_misconfigured")!;
    assert.match(
      String(error),
      /DATABASE_URL is not an address of Postgres: set it to postgresql:\/\/crm_functions/,
    );
  });
});

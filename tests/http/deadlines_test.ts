import assert from "node:assert/strict";
import { query } from "../../supabase/functions/_shared/postgres/database.ts";
import { Deadlines } from "../../supabase/functions/_shared/runtime/deadlines.ts";
import { withEnvironment } from "../support/environment.ts";
import { functionsDatabaseUrl } from "../support/stack.ts";

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

import assert from "node:assert/strict";
import { allowedStatements, countStatements } from "../../bench/performance/statements/counts.ts";
import { endpoints } from "../support/resources.ts";
import { functionsDatabaseUrl, openDatabase } from "../support/stack.ts";

Deno.test("one SQL statement answers a request, whatever the status; two the first large body of a key", async (t) => {
  await using sql = openDatabase();
  let sent = 0;
  for await (const { request, statements } of countStatements(sql, functionsDatabaseUrl)) {
    sent++;
    await t.step(`${request.kind}: ${request.title}`, () => {
      assert.equal(statements, allowedStatements(request));
    });
  }
  assert.ok(sent > endpoints.length);
});

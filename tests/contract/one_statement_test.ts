import assert from "node:assert/strict";
import { allowedStatements, countStatements } from "../../bench/statement_counts.ts";
import { databaseUrl, openDatabase } from "../support/stack.ts";

Deno.test("one SQL statement answers a request, whatever the answer", async (t) => {
  await using sql = openDatabase();
  for await (const { request, status, statements } of countStatements(sql, databaseUrl)) {
    await t.step(`${request.kind}: ${request.title}`, () => {
      assert.deepEqual([status, statements], [request.expect, allowedStatements(request)]);
    });
  }
});

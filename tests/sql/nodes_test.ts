// The SQL of the proxy in front of several databases. tests/nodes/ runs it.
import assert from "node:assert/strict";
import { generateDoors } from "../../tools/nodes/doors.ts";
import { sentStatements } from "../../tools/nodes/statements.ts";

Deno.test("the proxy has every function of the database that the functions call", async () => {
  const byHand = await Deno.readTextFile(new URL("../../run/nodes/doors.sql", import.meta.url));
  const sql = `${await generateDoors()}\n${byHand}`;
  const called = (await sentStatements()).map(({ called }) => called);
  assert.ok(called.includes("api.call") && called.includes("crm.delivery_claim"));
  for (const name of called) assert.ok(sql.includes(`create function ${name}(`), name);
});

import assert from "node:assert/strict";
import { controlsTransaction, runsAlone, splitStatements } from "../../run/local/sql_statements.ts";

Deno.test("SQL is split only at semicolons that end a statement", () => {
  const statements = [
    "select 'a;''b', \"c;\"\"d\"",
    "-- a comment; and its statement\nselect 1",
    "/* one; more */ select 2 -- in between; still\n from t",
    "create function f() returns text language sql as $body$ select $$;$$; $body$",
    "create function g(a int) returns int begin atomic select case when a > 0 then 1 end; select 2; end",
    "create rule r as on insert to t do also (select 1; select 2)",
    "select my_end, a$1",
  ];
  assert.deepEqual(splitStatements(`\n${statements.join(";\n")};\n`), statements);
  assert.deepEqual(splitStatements("select 1;;\n\n; select 2"), ["select 1", "select 2"]);
  assert.deepEqual(splitStatements("select 1; -- the end"), ["select 1", "-- the end"]);
  assert.deepEqual(splitStatements(" \n"), []);
});

Deno.test("controlsTransaction recognises statements that begin or end a transaction", () => {
  for (
    const statement of [
      "begin",
      "START  TRANSACTION isolation level serializable",
      "-- why\n/* and how */ commit",
      "rollback to savepoint a",
      "prepare transaction 'a'",
    ]
  ) assert.equal(controlsTransaction(statement), true, statement);
  for (const statement of ["select 'commit'", "-- commit\nselect 1", "create table commits ()", "endless"]) {
    assert.equal(controlsTransaction(statement), false, statement);
  }
});

Deno.test("runsAlone recognises statements that cannot run in a transaction", () => {
  for (
    const statement of [
      "create unique index concurrently if not exists a on b (c)",
      "-- why\n/* and how */ DROP  INDEX CONCURRENTLY a",
      "reindex table concurrently a",
      "alter table a detach partition b concurrently",
      "vacuum full a",
      "alter system set a = 1",
    ]
  ) assert.equal(runsAlone(statement), true, statement);
  for (
    const statement of [
      "create index on a (concurrently)",
      "alter table a detach partition b",
      "select 'vacuum'",
    ]
  ) assert.equal(runsAlone(statement), false, statement);
});

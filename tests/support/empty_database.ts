import { openSql } from "../../run/local/sql.ts";
import { databaseUrl, openDatabase } from "./stack.ts";

/**
 * Creates a database without migrations in the Postgres of the shared stack; it is dropped when the scope ends
 * (`await using`). `sql` is a client as the owner.
 */
export async function createEmptyDatabase() {
  const name = `empty_${crypto.randomUUID().replaceAll("-", "")}`;
  const inStack = openDatabase();
  await inStack`create database ${inStack(name)}`;
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  const sql = openSql(url.href, { max: 2 });
  return {
    sql,
    url: url.href,
    async [Symbol.asyncDispose]() {
      await sql.end();
      await inStack`drop database ${inStack(name)} with (force)`;
      await inStack.end();
    },
  };
}

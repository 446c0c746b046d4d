import type { Sql } from "postgres";
import { openSql } from "../../run/local/sql.ts";
import { databaseUrl, openDatabase } from "./stack.ts";

/** A database without migrations, in the Postgres of the shared stack. */
export interface EmptyDatabase extends AsyncDisposable {
  /** A client as the owner. */
  sql: Sql;
  url: string;
}

/** Creates a database that is dropped when the scope ends (`await using`). */
export async function createEmptyDatabase(): Promise<EmptyDatabase> {
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

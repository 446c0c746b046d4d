import type { Sql } from "postgres";
import { openSql } from "../local/sql.ts";

/** How long the first answer may take, in seconds. */
export const CONNECT_TIMEOUT_S = 10;

/** Creates a client with one connection, which may go through a pooler. */
export function openDatabase(url: string, applicationName: string): Sql {
  return openSql(url, {
    max: 1,
    prepare: false,
    connect_timeout: CONNECT_TIMEOUT_S,
    connection: { application_name: applicationName },
  });
}

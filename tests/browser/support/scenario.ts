import type { Browser } from "playwright-core";
import type { Sql } from "postgres";
import { type BusyCompany, makeBusyCompany } from "./busy_company.ts";

const LONGEST_NAME = "Padaria Sol ".repeat(22).slice(0, 255);

/** What every scenario gets: the browser, and the database as the owner of the schema. */
export interface World {
  browser: Browser;
  sql: Sql;
  /** A company with records of every kind and the longest name; made once. */
  busy(): Promise<BusyCompany>;
}

/** @param sql as the owner of the schema */
export function makeWorld(browser: Browser, sql: Sql): World {
  let busy: Promise<BusyCompany> | undefined;
  return {
    browser,
    sql,
    busy: () => busy ??= makeBusyCompany(sql, LONGEST_NAME, `${crypto.randomUUID()}.example`),
  };
}

/** Something that people do with the console. */
export interface Scenario {
  /** A sentence about behaviour. */
  name: string;
  run(world: World): Promise<void>;
}

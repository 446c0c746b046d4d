import type { Browser } from "playwright-core";
import type { Sql } from "postgres";
import { type BusyCompany, makeBusyCompany } from "./busy_company.ts";

const LONGEST_NAME = "Padaria Sol ".repeat(22).slice(0, 255);

/** What every scenario gets. */
export interface World {
  browser: Browser;
  /** A client as the owner of the schema. */
  sql: Sql;
  /** A company with records of every kind and the longest name; made once. */
  busy(): Promise<BusyCompany>;
}

export function makeWorld(browser: Browser, sql: Sql): World {
  let busy: Promise<BusyCompany> | undefined;
  return {
    browser,
    sql,
    busy: () => busy ??= makeBusyCompany(sql, LONGEST_NAME, `${crypto.randomUUID()}.example`),
  };
}

type Run = (world: World) => Promise<void>;

/** The registered scenarios: each is something that people do with the console. */
export const SCENARIOS: { name: string; run: Run }[] = [];

export const test = (name: string, run: Run) => void SCENARIOS.push({ name, run });

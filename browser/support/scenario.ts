import type { Browser } from "playwright-core";
import type { Sql } from "postgres";

/** What every scenario gets: one browser, and the database as the owner of the schema. */
export interface World {
  browser: Browser;
  sql: Sql;
}

/** Something that people do with the console. */
export interface Scenario {
  /** A sentence about behaviour. */
  name: string;
  run(world: World): Promise<void>;
}

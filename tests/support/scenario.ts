import type postgres from "postgres";
import { client } from "./client.ts";
import { makeDeal, makeWorkspace, type TestWorkspace } from "./fixtures.ts";
import { openDatabase } from "./stack.ts";

/**
 * One connection for all tests of a file, opened before the first test. With a connection for each test, every test
 * would take 50 ms more processor time, mostly to plan the operator's verbs again.
 */
export const sql = openDatabase();
await sql`select 1`;

/** What most tests need at their start. */
export interface Scenario {
  /** The shared stack's database, as role `postgres`. */
  sql: postgres.Sql;
  /** A new workspace, with a key that has every scope. */
  workspace: TestWorkspace;
  /** Calls the API with the workspace's key. */
  api: ReturnType<typeof client>;
  /** Creates another deal, with its contact, in the workspace. */
  newDeal(): ReturnType<typeof makeDeal>;
}

/** Registers a test that gets a new workspace. */
export function test(title: string, run: (scenario: Scenario) => Promise<void>): void {
  Deno.test(title, () => withScenario(run));
}

export async function withScenario(run: (scenario: Scenario) => Promise<void>): Promise<void> {
  const workspace = await makeWorkspace(sql);
  await run({ sql, workspace, api: client(workspace.key), newDeal: () => makeDeal(workspace.key) });
}

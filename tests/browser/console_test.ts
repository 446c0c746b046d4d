/**
 * What people do with the console in a real browser. The scenarios are steps of one test, because they share a browser.
 */
import { chromiumTest } from "../support/needing.ts";
import { openDatabase } from "../support/stack.ts";
import { openBrowser } from "./support/browser.ts";
import { makeWorld, SCENARIOS } from "./support/scenario.ts";

// Importing a file registers its scenarios.
const FOLDER = new URL("scenarios/", import.meta.url);
const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => new URL(name, FOLDER).href);
for (const file of files.sort()) await import(file);

chromiumTest("The console in a browser", async (t) => {
  await using sql = openDatabase(2);
  await using browser = await openBrowser();
  const world = makeWorld(browser, sql);
  for (const { name, run } of SCENARIOS) await t.step(name, () => run(world).catch(throwBoth));
});

/** Throws a scenario's error together with the errors of its page. */
function throwBoth(error: unknown): never {
  if (!(error instanceof SuppressedError)) throw error;
  const { error: met, suppressed } = error;
  throw new Error(`${suppressed?.stack ?? suppressed}\n\nMeanwhile: ${met?.message ?? met}`);
}

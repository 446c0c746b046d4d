/**
 * `deno task test`: runs the tests against stacks in temporary folders on free ports, and stops them. `deno task test:all`
 * (`--all`) also runs what is slow, or needs more programs; `deno task test:added` (`--added`) runs only what
 * `test:all` does in addition to `test`. Arguments after `--` go to `deno test`: `deno task test -- tests/webhooks
 * --filter signature`. The last line is always `N passed, N failed`; the lines before it name the tests that failed, and
 * those skipped because a program is missing. The exit code is 0 only if some test ran and none failed.
 */
import { resolve } from "node:path";
import { REQUIRED_VARIABLE } from "./support/needing.ts";
import {
  configOf,
  type Extent,
  selectFiles,
  type Selection,
  shareAmong,
  testFiles,
} from "./support/selection.ts";
import { interrupted, runShard, type ShardResult } from "./support/shard.ts";

/** The number of generated requests with `--all`; without it property_test.ts has its own number. */
const ALL_PROPERTY_CASES = "20000";
/**
 * Groups of test files that run at the same time, each against its own stack. One more than a small machine has
 * processors, because several tests wait: for 30 seconds between two attempts, for 15 until a body is given up.
 */
const SHARDS = 3;

/** So few files run in one group: starting two more stacks would take longer. */
const FEW_FILES = 8;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => interrupted.abort());
}

const extent: Extent = Deno.args.includes("--all")
  ? "all"
  : Deno.args.includes("--added")
  ? "added"
  : "default";
const results = await runTests(Deno.args.filter((arg) => !["--all", "--added", "--"].includes(arg)));
const sum = (count: "passed" | "failed") => results.reduce((total, result) => total + result[count], 0);
for (const title of results.flatMap(({ failures }) => failures)) console.log(`Failed: ${title}`);
for (const [missing, skips] of Map.groupBy(results.flatMap(({ skipped }) => skipped), (s) => s.missing)) {
  console.log(`Skipped for want of ${missing}: ${skips.map(({ title }) => title).join("; ")}`);
}
console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
Deno.exit(sum("failed") === 0 && sum("passed") > 0 ? 0 : 1);

async function runTests(args: string[]): Promise<ShardResult[]> {
  const env: Record<string, string> = extent === "default" ? {} : {
    PROPERTY_CASES: Deno.env.get("PROPERTY_CASES") ?? ALL_PROPERTY_CASES,
    // In CI nothing may be skipped silently.
    ...(Deno.env.get("CI") && { [REQUIRED_VARIABLE]: "1" }),
  };
  const { named, others } = await splitArguments(args);
  const { atOnce, alone, waiting, browser }: Selection = named
    ? selectNamed(named)
    : await selectFiles(extent);
  const run = (paths: string[], live: boolean) =>
    runShard({ args: [...others, ...paths], config: configOf(paths[0]!), env, live });
  const beside = waiting.length > 0 ? run(waiting, false) : null;
  const groups = atOnce.length === 0 ? [] : shareAmong(atOnce.length < FEW_FILES ? 1 : SHARDS, atOnce);
  const results = await Promise.all(groups.map((paths, index) => run(paths, index === 0)));
  for (const paths of [alone, browser]) {
    if (paths.length > 0 && !interrupted.signal.aborted) results.push(await run(paths, true));
  }
  if (beside) results.push(await beside);
  return results;
}

function selectNamed(files: string[]): Selection {
  const isBrowser = (path: string) => configOf(path) !== null;
  return {
    atOnce: files.filter((path) => !isBrowser(path)),
    alone: [],
    waiting: [],
    browser: files.filter(isBrowser),
  };
}

/** Separates the files and folders of tests, null if there are none, from the other arguments. */
async function splitArguments(args: string[]): Promise<{ named: string[] | null; others: string[] }> {
  const named: string[] = [];
  const others: string[] = [];
  for (const arg of args) {
    const found = await Deno.stat(arg).catch(() => null);
    if (found === null) others.push(arg);
    else named.push(...(found.isDirectory ? await testFiles(resolve(arg)) : [resolve(arg)]));
  }
  return { named: named.length > 0 ? named : null, others };
}

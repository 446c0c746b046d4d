/**
 * `deno task test`: runs the tests against stacks in temporary folders on free ports, and stops the stacks. `deno task
 * test:all` (`--all`) also runs the tests that are slow or need more programs. `deno task test:added` (`--added`) runs
 * only these additional tests. Arguments after `--` go to `deno test`: `deno task test -- tests/webhooks --filter
 * signature`. The last line is always `N passed, N failed`. The lines before it name the failed tests, and the tests
 * that were skipped for a missing program. The exit code is 0 only if some test ran and none failed.
 */
import { join, resolve } from "node:path";
import { type Group, type GroupResult, interrupted, runGroup } from "./support/group.ts";
import { makeDataDir, stopStacksIn } from "./support/own_stack.ts";
import { ADDED_VARIABLE, REQUIRED_VARIABLE } from "./support/needing.ts";
import { prepareData } from "./support/prepared_data.ts";
import {
  type Extent,
  giveAll,
  giveOut,
  selectFiles,
  type Selection,
  testFiles,
} from "./support/selection.ts";

/**
 * The number of groups that run test files at the same time, each against its own stack. It is twice the number of
 * processors of a small machine, because tests wait for a third of their time: 30 seconds between two attempts, 15 for
 * a request timeout, and some for programs to start.
 */
const GROUPS = 4;

/** Fewer files than this run in one group: starting more stacks would take longer than it saves. */
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

async function runTests(args: string[]): Promise<GroupResult[]> {
  const env: Record<string, string> = extent === "default" ? {} : {
    ...(extent === "added" && { [ADDED_VARIABLE]: "1" }),
    // In CI nothing may be skipped silently.
    ...(Deno.env.get("CI") && { [REQUIRED_VARIABLE]: "1" }),
  };
  const { named, others: options } = await splitArguments(args);
  const selection = named ? { atOnce: named, alone: [], waiting: [] } : await selectFiles(extent);
  const groups = selection.atOnce.length < FEW_FILES ? 1 : GROUPS;
  const run = () => runSelection(selection, groups, { options, env });
  return groups === 1 ? await run() : await withPreparedData(run);
}

async function runSelection(
  { atOnce, alone, waiting }: Selection,
  groups: number,
  how: Pick<Group, "options" | "env">,
): Promise<GroupResult[]> {
  const run = (next: Group["next"], live: boolean) => runGroup({ ...how, next, live });
  const beside = Promise.all(waiting.map((files) => run(giveAll(files), false)));
  const next = groups === 1 ? giveAll(atOnce) : giveOut(atOnce, groups);
  const count = atOnce.length > 0 ? groups : 0;
  const results = await Promise.all(Array.from({ length: count }, () => run(next, groups === 1)));
  if (alone.length > 0 && !interrupted.signal.aborted) results.push(await run(giveAll(alone), true));
  return [...results, ...await beside].flat();
}

/** Runs `work` with a prepared data folder, from which the run's stacks start; removes it at the end. */
async function withPreparedData(work: () => Promise<GroupResult[]>): Promise<GroupResult[]> {
  const folder = await makeDataDir("crm-test-");
  try {
    await prepareData(join(folder, "prepared"));
    return await work();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return [{ passed: 0, failed: 1, failures: [], skipped: [] }];
  } finally {
    await stopStacksIn(folder);
    await Deno.remove(folder, { recursive: true });
  }
}

/** Separates the files and folders of tests, null if there are none, from the other arguments. */
async function splitArguments(args: string[]): Promise<{ named: string[] | null; others: string[] }> {
  const named: string[] = [];
  const others: string[] = [];
  for (const arg of args) {
    const found = await Deno.stat(arg).catch(() => null);
    if (found === null && /^[^-].*\.ts$/.test(arg)) {
      console.error(`There is no file ${arg}`);
      Deno.exit(2);
    }
    if (found === null) others.push(arg);
    else named.push(...(found.isDirectory ? await testFiles(resolve(arg)) : [resolve(arg)]));
  }
  return { named: named.length > 0 ? named : null, others };
}

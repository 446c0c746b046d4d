/**
 * `deno task test`: runs the tests against stacks in temporary folders on free ports, and stops them. `deno task test:all`
 * (`--all`) also runs what is slow. Arguments after `--` go to `deno test`: `deno task test -- tests/webhooks --filter
 * signature`. The last line is always `N passed, N failed`; the lines before it name the tests that failed, and those
 * skipped because a program is missing. The exit code is 0 only if some test ran and none failed.
 */
import { join } from "node:path";
import { REQUIRED_VARIABLE } from "./support/needing.ts";
import { interrupted, runShard, type ShardResult } from "./support/shard.ts";

/** Folders that only `--all` runs: they take minutes, or they measure and so must run alone. */
const SLOW = ["growth", "lab", "postgres15"];
/** The number of generated requests with `--all`; without it property_test.ts has its own number. */
const ALL_PROPERTY_CASES = "20000";
/**
 * Groups of test files that run at the same time, each against its own stack. One more than a small machine has
 * processors, because several tests wait: for 30 seconds between two attempts, for 15 until a body is given up.
 */
const SHARDS = 3;

/** So few files run in one group: starting two more stacks would take longer. */
const FEW_FILES = 8;

const ROOT = import.meta.dirname!;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => interrupted.abort());
}

const all = Deno.args.includes("--all");
const results = await runAll(Deno.args.filter((arg) => arg !== "--all" && arg !== "--"));
const sum = (count: "passed" | "failed") => results.reduce((total, result) => total + result[count], 0);
for (const title of results.flatMap(({ failures }) => failures)) console.log(`Failed: ${title}`);
for (const [missing, skips] of Map.groupBy(results.flatMap(({ skipped }) => skipped), (s) => s.missing)) {
  console.log(`Skipped for want of ${missing}: ${skips.map(({ title }) => title).join("; ")}`);
}
console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
Deno.exit(sum("failed") === 0 && sum("passed") > 0 ? 0 : 1);

async function runAll(args: string[]): Promise<ShardResult[]> {
  const env: Record<string, string> = all
    ? {
      PROPERTY_CASES: Deno.env.get("PROPERTY_CASES") ?? ALL_PROPERTY_CASES,
      // In CI nothing may be skipped silently.
      ...(Deno.env.get("CI") && { [REQUIRED_VARIABLE]: "1" }),
    }
    : {};
  const { named, others } = await splitArguments(args);
  const isSlow = (path: string) => SLOW.some((folder) => path.startsWith(join(ROOT, folder, "/")));
  const files = named ?? (await testFiles(ROOT)).filter((path) => !isSlow(path));
  // In turn, so that the shards get about the same number of files of each folder.
  const count = files.length < FEW_FILES ? 1 : SHARDS;
  const shards = Array.from(
    { length: count },
    (_, shard) => files.filter((_, index) => index % count === shard),
  );
  const results = await Promise.all(
    shards.map((paths, index) => runShard({ args: [...others, ...paths], env, live: index === 0 })),
  );
  if (all && named === null && !interrupted.signal.aborted) {
    const slow = (await testFiles(ROOT)).filter(isSlow);
    results.push(await runShard({ args: [...others, ...slow], env, live: true }));
  }
  return results;
}

/** Separates the files and folders of tests, null if there are none, from the other arguments. */
async function splitArguments(args: string[]): Promise<{ named: string[] | null; others: string[] }> {
  const named: string[] = [];
  const others: string[] = [];
  for (const arg of args) {
    const found = await Deno.stat(arg).catch(() => null);
    if (found === null) others.push(arg);
    else named.push(...(found.isDirectory ? await testFiles(arg) : [arg]));
  }
  return { named: named.length > 0 ? named : null, others };
}

async function testFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) files.push(...await testFiles(path));
    else if (name.endsWith("_test.ts")) files.push(path);
  }
  return files.sort();
}

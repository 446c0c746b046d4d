/**
 * `deno task test`: runs the tests against stacks in temporary folders on free ports, and stops them. `deno task test:all`
 * (`--all`) also runs what is slow. Arguments after `--` go to `deno test`: `deno task test -- tests/webhooks --filter
 * signature`. The last line is always `N passed, N failed`, and before it stands what was skipped for want of a program;
 * the exit code is 0 only where some test ran and none failed.
 */
import { join } from "node:path";
import { REQUIRED_VARIABLE } from "./support/needing.ts";
import { interrupted, runShard, type ShardResult } from "./support/shard.ts";

/** What only `--all` runs: it takes minutes, or it measures, and so must have the machine to itself. */
const SLOW = ["growth", "lab", "postgres15"];
/** Generated requests with `--all`; without it, as many as property_test.ts says itself. */
const ALL_PROPERTY_CASES = "20000";
/** Groups of test files that run at the same time, each against a stack of its own. */
const SHARDS = Math.min(2, navigator.hardwareConcurrency);

const ROOT = import.meta.dirname!;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => interrupted.abort());
}

const all = Deno.args.includes("--all");
const results = await runAll(Deno.args.filter((arg) => arg !== "--all" && arg !== "--"));
const sum = (count: "passed" | "failed") => results.reduce((total, result) => total + result[count], 0);
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
  if (await namesPath(args)) return [await runShard({ args, env, live: true })];

  const slow: string[] = [];
  // Dealt out in turn, so that each shard has about as much of every folder.
  const shards: string[][] = Array.from({ length: SHARDS }, () => []);
  let dealt = 0;
  for (const path of (await testFiles(ROOT)).sort()) {
    const isSlow = SLOW.some((folder) => path.startsWith(join(ROOT, folder, "/")));
    (isSlow ? slow : shards[dealt++ % SHARDS]!).push(path);
  }
  const results = await Promise.all(
    shards.map((paths, index) => runShard({ args: [...args, ...paths], env, live: index === 0 })),
  );
  if (all && !interrupted.signal.aborted) {
    results.push(await runShard({ args: [...args, ...slow], env, live: true }));
  }
  return results;
}

/** Whether the arguments say themselves what to run. */
async function namesPath(args: string[]): Promise<boolean> {
  const named = await Promise.all(args.map((arg) => Deno.stat(arg).then(() => true, () => false)));
  return named.includes(true);
}

async function testFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) files.push(...await testFiles(path));
    else if (name.endsWith("_test.ts")) files.push(path);
  }
  return files;
}

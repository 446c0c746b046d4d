// Chooses the test files of a run, and shares them among groups that run at the same time.
import { join, relative } from "node:path";

const TESTS = join(import.meta.dirname!, "..");

/** The tests in a browser, with packages of their own: neither `deno task start` nor `deno task test` downloads them. */
const BROWSER_TESTS = join(TESTS, "../browser");

/** The configuration that names the packages of a test file; null for that of the root. */
export function configOf(path: string): string | null {
  return path.startsWith(join(BROWSER_TESTS, "/")) ? join(BROWSER_TESTS, "deno.json") : null;
}

/** Folders that only `--all` and `--added` run. */
const SLOW = ["console_build", "growth", "lab", "postgres15"];

/** Slow folders that measure, and so must run alone, but for those that wait. */
const MEASURING = ["lab"];

/** Slow folders that wait for most of their time: for two full minutes of pg_cron. */
const WAITING = ["postgres15"];

/**
 * What a file has whose tests do more with `--all`: tests that need more programs than Node, or a number of cases that
 * tests/run.ts raises.
 */
const DOES_MORE = /needing\.ts"|\bPROPERTY_CASES\b/;

/** Which tests a run has: those for Node alone, all, or only what `all` has in addition to `default`. */
export type Extent = "default" | "all" | "added";

/**
 * Seconds of the files that take longest, beside two other groups on two processors. A file that is missing here counts as
 * DEFAULT_SECONDS. It decides only how evenly the groups end.
 */
export const SECONDS: Record<string, number> = {
  "postgres15/doctor_test.ts": 70,
  "docs/new_field_test.ts": 60,
  "local/stack_test.ts": 60,
  "deployment/deploy_test.ts": 47,
  "webhooks/attempt_times_test.ts": 35,
  "api/fairness_test.ts": 30,
  "webhooks/run_test.ts": 28,
  "contract/every_app_endpoint_test.ts": 25,
  "contract/every_endpoint_test.ts": 25,
  "docs/deployment_page_test.ts": 25,
  "deployment/doctor_local_test.ts": 23,
  "cli/webhook_test.ts": 22,
  "growth/contacts_test.ts": 20,
  "api/judged_first_test.ts": 17,
  "cli/key_test.ts": 16,
  "contract/openapi_test.ts": 16,
  "local/demo_test.ts": 15,
  "api/deals_test.ts": 14,
  "api/contacts_test.ts": 13,
  "isolation/every_id_test.ts": 13,
  "cli/pipeline_test.ts": 12,
  "webhooks/hanging_receiver_test.ts": 11,
  "contract/property_test.ts": 10,
  "cli/usage_test.ts": 10,
  "api/idempotency_test.ts": 10,
  "catalogue/list_walks_test.ts": 10,
  "api/strangers_test.ts": 10,
  "deployment/backoff_test.ts": 10,
  "api/companies_test.ts": 9,
  "cli/delivery_test.ts": 8,
  "deployment/health_test.ts": 8,
  "api/list_pages_test.ts": 8,
  "local/scheduler_test.ts": 7,
  "webhooks/dispatch_test.ts": 6,
  "docs/receivers_page_test.ts": 20,
  "docs/catching_up_page_test.ts": 25,
  "docs/scale_page_test.ts": 15,
  "cli/proposal_test.ts": 6,
  "local/sign_in_stack_test.ts": 16,
  "local/sign_in_test.ts": 8,
  "local/command_lines_test.ts": 5,
  "api/activities_limits_test.ts": 5,
  "deployment/deploy_tls_test.ts": 5,
  "api/leads_test.ts": 5,
};

const DEFAULT_SECONDS = 2;

/** The files of a run. */
export interface Selection {
  /** Shared among groups that run at the same time. */
  atOnce: string[];
  /** Run in one group after these. */
  alone: string[];
  /** Run in one group beside all the others. */
  waiting: string[];
  /** Run in one group at the end. */
  browser: string[];
}

/** Selects the files of a run among all tests, as absolute paths. */
export async function selectFiles(extent: Extent): Promise<Selection> {
  const files = await testFiles(TESTS);
  const isIn = (folders: string[], path: string) => folders.includes(relative(TESTS, path).split("/")[0]!);
  const isSlow = (path: string) => isIn(SLOW, path);
  const chosen: string[] = [];
  for (const path of files) {
    const isChosen = extent === "all" || isSlow(path) === (extent === "added") ||
      extent === "added" && DOES_MORE.test(await Deno.readTextFile(path));
    if (isChosen) chosen.push(path);
  }
  return {
    atOnce: chosen.filter((path) => !isIn([...MEASURING, ...WAITING], path)),
    alone: chosen.filter((path) => isIn(MEASURING, path)),
    waiting: chosen.filter((path) => isIn(WAITING, path)),
    browser: extent === "default" ? [] : await testFiles(BROWSER_TESTS),
  };
}

/** Finds the test files in a folder, at any depth. */
export async function testFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (name === "node_modules") continue;
    if (isDirectory) files.push(...await testFiles(path));
    else if (name.endsWith("_test.ts")) files.push(path);
  }
  return files.sort();
}

/** Shares files among `count` groups that take about the same time: each file, the slowest first, to the shortest group. */
export function shareAmong(count: number, files: string[]): string[][] {
  const groups = Array.from({ length: count }, () => ({ seconds: 0, files: [] as string[] }));
  const timed = files.map((path) => ({
    path,
    seconds: SECONDS[relative(TESTS, path)] ?? DEFAULT_SECONDS,
  }));
  for (const { path, seconds } of timed.toSorted((a, b) => b.seconds - a.seconds)) {
    const shortest = groups.reduce((least, group) => group.seconds < least.seconds ? group : least);
    shortest.seconds += seconds;
    shortest.files.push(path);
  }
  return groups.map(({ files }) => files);
}

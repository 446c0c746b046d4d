// Chooses the test files of a run, and gives them out to the groups that run them at the same time.
import { join, relative } from "node:path";

const TESTS = join(import.meta.dirname!, "..");

/**
 * Tests with packages of their own, which neither `deno task start` nor `deno task test` downloads: those in a browser, and
 * those of what other people's tools make of the OpenAPI documents.
 */
const APART = ["browser", "clients"].map((folder) => join(TESTS, "..", folder));

/** The configuration that names the packages of a test file; null for that of the root. */
export function configOf(path: string): string | null {
  const folder = APART.find((folder) => path.startsWith(join(folder, "/")));
  return folder === undefined ? null : join(folder, "deno.json");
}

/** Folders that only `--all` and `--added` run. */
const SLOW = ["console_build", "examples", "growth", "lab", "postgres15"];

/** Folders that measure, and so must run alone, but for those that wait. */
const MEASURING = ["lab", "../browser"];

/** Folders that wait for most of their time: for two full minutes of pg_cron. */
const WAITING = ["postgres15"];

/**
 * What a file has whose tests do more with `--all`: tests that need more programs than Node, or a number of cases that
 * tests/run.ts raises.
 */
const DOES_MORE = /(needing|guide)\.ts"|\bPROPERTY_CASES\b/;

/** Which tests a run has: those for Node alone, all, or only what `all` has in addition to `default`. */
export type Extent = "default" | "all" | "added";

/**
 * Files that take longest, the longest first: a run gives them out before the others, so that none of them is alone at the
 * end.
 */
export const LONGEST = [
  "contract/property_test.ts",
  "growth/contacts_test.ts",
  "webhooks/run_test.ts",
  "local/stack_test.ts",
  "deployment/deploy_test.ts",
  "docs/deployment_page_test.ts",
  "docs/new_field_test.ts",
  "docs/receivers_page_test.ts",
  "webhooks/attempt_times_test.ts",
  "local/sign_in_stack_test.ts",
  "deployment/doctor_local_test.ts",
  "partitions/concurrency_test.ts",
  "growth/search_test.ts",
  "examples/receivers_test.ts",
  "examples/csv_import_test.ts",
  "examples/form_relay_test.ts",
  "../clients/generators_test.ts",
  "../clients/linters_test.ts",
  "../clients/mock_test.ts",
  "../clients/collection_test.ts",
  "../clients/sdk_test.ts",
  "api/fairness_test.ts",
  "contract/openapi_test.ts",
  "catalogue/list_walks_test.ts",
  "webhooks/places_test.ts",
  "sdk/retries_test.ts",
  "docs/catching_up_page_test.ts",
  "deployment/deploy_tls_test.ts",
  "contract/every_endpoint_test.ts",
  "isolation/every_id_test.ts",
  "contract/every_app_endpoint_test.ts",
];

/** The most files of one process. Each file has a worker of its own; starting a process takes 0.3 s. */
const MOST_FILES = 8;

/** The files of a run. */
export interface Selection {
  /** Given out to groups that run at the same time. */
  atOnce: string[];
  /** Run in one group after these. */
  alone: string[];
  /** Run in one group beside all the others. */
  waiting: string[];
}

/** Selects the files of a run among all tests, as absolute paths. */
export async function selectFiles(extent: Extent): Promise<Selection> {
  const files = await testFiles(TESTS);
  if (extent !== "default") files.push(...(await Promise.all(APART.map(testFiles))).flat());
  const isIn = (folders: string[], path: string) =>
    folders.some((folder) => path.startsWith(join(TESTS, folder, "/")));
  const isSlow = (path: string) => isIn(SLOW, path) || configOf(path) !== null;
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

/**
 * Gives out files to groups that run at the same time, each of which takes the next ones when it is ready: the longest one
 * by one, then several at once, and fewer towards the end, so that the groups end together.
 */
export function giveOut(files: string[], groups: number): () => string[] | null {
  const rank = (path: string) => LONGEST.indexOf(relative(TESTS, path));
  const long = files.filter((path) => rank(path) >= 0).sort((a, b) => rank(a) - rank(b));
  const others = files.filter((path) => rank(path) < 0);
  return () => {
    if (long.length > 0) return [long.shift()!];
    const count = Math.min(MOST_FILES, Math.ceil(others.length / (3 * groups)));
    return count === 0 ? null : others.splice(0, count);
  };
}

/** Gives out all files to one group: at once, but for those with packages of their own. */
export function giveAll(files: string[]): () => string[] | null {
  const batches = [...Map.groupBy(files, configOf).values()];
  return () => batches.shift() ?? null;
}

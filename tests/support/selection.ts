// Chooses the test files of a run, and hands them to the groups that run them at the same time.
import { join, relative } from "node:path";

const TESTS = join(import.meta.dirname!, "..");

/**
 * Folders of tests with their own deno.json: tests in a browser, and tests of third-party tools with the OpenAPI
 * documents. `deno task start` and `deno task test` do not download their packages.
 */
const APART = ["browser", "clients"].map((folder) => join(TESTS, folder));

/** The deno.json that names the packages of a test file; null for the root's. */
export function configOf(path: string): string | null {
  const folder = APART.find((folder) => path.startsWith(join(folder, "/")));
  return folder === undefined ? null : join(folder, "deno.json");
}

/**
 * Folders and files that only `--all` and `--added` run. These tests are the slowest: they start several stacks, wait
 * for schedules and time limits, fill tables, or run the programs of the guides. Most test how the service is operated,
 * not what it answers.
 */
const SLOW = `
  api/erase/operations_test.ts console_build deployment docs/catching_up_page_test.ts docs/deployment_page_test.ts
  docs/form_page_test.ts docs/import_page_test.ts docs/new_field_test.ts docs/nightly_sync_page_test.ts
  docs/receivers_page_test.ts docs/sdk_page_test.ts examples growth http/fairness_test.ts http/judged_first_test.ts
  http/shares_test.ts http/strangers_test.ts lab local/command_lines_test.ts local/demo_test.ts
  local/feed_restore_test.ts local/migrate_test.ts local/scheduler_test.ts local/stack_test.ts nodes postgres15
  sql/long_queue_test.ts sql/migration_test.ts sql/partitions sql/scheduled_events_test.ts sql/schema_test.ts
  sql/search_time_test.ts sql/value_walks_test.ts webhooks/attempt_memory_test.ts webhooks/attempt_times_test.ts
  webhooks/behind_test.ts webhooks/hanging_receiver_test.ts webhooks/places_test.ts webhooks/run_test.ts
`.trim().split(/\s+/);

/** Files that compare times, so they run after all but WAITING: other work on the machine would lengthen the times. */
const MEASURING = ["lab/attacks_test.ts", "lab/bench_test.ts"];

/**
 * Folders and files that mostly wait: for pg_cron, for the end of leases, for outages. They may run beside other tests,
 * because their time limits allow for other work on the machine.
 */
const WAITING = ["postgres15", "lab/chaos_test.ts"];

/** Matches the text of a file whose tests do more with `--all`, because they need more programs than Node. */
const DOES_MORE = /(needing|guide)\.ts"/;

/** Which tests run: `default` leaves out tests that are slow or need more than Node, `added` runs only such tests. */
export type Extent = "default" | "all" | "added";

/**
 * The files that take longest, the longest first. A run starts them first: none of them should still run alone at its
 * end.
 */
const LONGEST = `
  browser/console_test.ts browser/reference_test.ts contract/property_test.ts browser/site_test.ts
  contract/every_endpoint_test.ts growth/lists_test.ts sql/migration_test.ts local/stack_test.ts webhooks/run_test.ts
  webhooks/attempt_times_test.ts browser/oauth_test.ts deployment/deploy_test.ts docs/deployment_page_test.ts
  docs/new_field_test.ts examples/csv_import_test.ts examples/receivers_test.ts examples/form_relay_test.ts
  growth/search_test.ts clients/n8n_test.ts clients/generators_test.ts clients/linters_test.ts clients/sdk_test.ts
  deployment/doctor_local_test.ts docs/receivers_page_test.ts http/judged_first_test.ts http/fairness_test.ts
  http/shares_test.ts sql/list_walks_test.ts webhooks/hanging_receiver_test.ts webhooks/attempt_memory_test.ts
`.trim().split(/\s+/);

/** The most files for one process. Files share one, because a process compiles a module that they import only once. */
const MOST_FILES = 16;

export interface Selection {
  /** Files for groups that run at the same time. */
  atOnce: string[];
  /** Files that run in one group after all of `atOnce`. */
  alone: string[];
  /** Files that run while all the others run, each list in its own group. */
  waiting: string[][];
}

/** Selects the files of a run among all tests, as absolute paths. */
export async function selectFiles(extent: Extent): Promise<Selection> {
  const files = await testFiles(TESTS);
  const isAt = (path: string, place: string) =>
    path === join(TESTS, place) || path.startsWith(join(TESTS, place, "/"));
  const isIn = (places: string[], path: string) => places.some((place) => isAt(path, place));
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
    waiting: WAITING.map((place) => chosen.filter((path) => isAt(path, place)))
      .filter((files) => files.length > 0),
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
 * Hands files to groups that run at the same time; each group takes the next files when it is ready. The longest files
 * are taken one by one, the others several at once. Towards the end a group takes fewer, so that all end together.
 */
export function giveOut(files: string[], groups: number): () => string[] | null {
  const rank = (path: string) => LONGEST.indexOf(relative(TESTS, path));
  const long = files.filter((path) => rank(path) >= 0).sort((a, b) => rank(a) - rank(b));
  const others = files.filter((path) => rank(path) < 0);
  return () => {
    if (long.length > 0) return [long.shift()!];
    const most = Math.min(MOST_FILES, Math.ceil(others.length / (3 * groups)));
    // The files of one process need the same packages.
    const count = others.slice(0, most).findLastIndex((path) => configOf(path) === configOf(others[0]!)) + 1;
    return count === 0 ? null : others.splice(0, count);
  };
}

/** Hands all files to one group: one batch for each deno.json. */
export function giveAll(files: string[]): () => string[] | null {
  const batches = [...Map.groupBy(files, configOf).values()];
  return () => batches.shift() ?? null;
}

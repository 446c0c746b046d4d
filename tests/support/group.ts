// Runs `deno test` in processes with their own stack and receiver.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ReadyStack, startStackProcess } from "../../run/local/stack_process.ts";
import { readSkipReasons, REASONS_VARIABLE, type SkipReason } from "./needing.ts";
import { makeDataDir, stopStacksIn } from "./own_stack.ts";
import { copyPreparedData } from "./prepared_data.ts";
import { type Mailboxes, startMailboxes } from "./receiver.ts";
import { configOf } from "./selection.ts";

/** The results of one `deno test` that a group ran. */
export interface GroupResult {
  passed: number;
  failed: number;
  /** Titles of the tests that failed. */
  failures: string[];
  /** Tests skipped because this machine lacks a program. */
  skipped: SkipReason[];
}

/** Aborted when the run is interrupted, to end the running tests and the processes that they started. */
export const interrupted = new AbortController();

/** A part of a run, with its own stack and receiver. */
export interface Group {
  /** Takes the next files, all with the same deno.json, for one process; null if there are no more. */
  next: () => string[] | null;
  /** Options of `deno test`. */
  options: string[];
  /** Variables in addition to those that describe the stack. */
  env: Record<string, string>;
  /** Variables for the stack itself, such as DATABASE_URL. */
  stackEnv?: Record<string, string>;
  /** Whether the output is shown at once; otherwise it is shown at the end of each process. */
  live: boolean;
}

/**
 * Starts a stack in a temporary folder, runs `deno test` against it until there are no more files, removes the folder.
 * An error outside the tests is printed and counts as a failure.
 */
export async function runGroup(group: Group): Promise<GroupResult[]> {
  const results: GroupResult[] = [];
  try {
    await runWithStack(group, results);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    results.push({ passed: 0, failed: 1, failures: [], skipped: [] });
  }
  return results;
}

async function runWithStack({ next, env, stackEnv, ...how }: Group, results: GroupResult[]): Promise<void> {
  const folder = await makeDataDir("crm-test-");
  const dataDir = join(folder, "stack");
  let mailboxes: Mailboxes | undefined;
  let stack: ReadyStack | undefined;
  try {
    mailboxes = await startMailboxes();
    await copyPreparedData(dataDir);
    stack = await startStackProcess(dataDir, { ...mailboxes.env, ...stackEnv });
    // TMPDIR is set so that stopStacksIn finds the stacks that the tests themselves start.
    const variables = { ...env, ...mailboxes.env, DATA_DIR: dataDir, TMPDIR: folder };
    let failed = 0;
    for (let files = next(); files !== null && !interrupted.signal.aborted; files = next()) {
      const result = await runTests(folder, files, { ...how, env: variables });
      results.push(result);
      failed += result.failed;
    }
    // The output of the stack may explain a failure; the log lines of successful requests do not.
    if (failed > 0) {
      const lines = stack.output().split("\n").filter((line) =>
        !/"event":"request".*"status":[234]/.test(line)
      );
      console.log(`\nThe stack printed:\n${lines.join("\n")}`);
    }
  } finally {
    await stack?.stop();
    await stopStacksIn(folder);
    await mailboxes?.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function runTests(
  folder: string,
  files: string[],
  { options, env, live }: Pick<Group, "options" | "env" | "live">,
): Promise<GroupResult> {
  const config = configOf(files[0]!);
  const [reportFile, reasonsFile] = [join(folder, "report.xml"), join(folder, "skip-reasons")];
  for (const file of [reportFile, reasonsFile]) await Deno.remove(file).catch(() => {});
  const all = join(folder, "all_test.ts");
  const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};`).join("\n");
  await Deno.writeTextFile(all, imports);
  const child = new Deno.Command(Deno.execPath(), {
    // Types are checked by `deno task check`, once for the whole tree.
    args: ["test", "-A", "--no-check", `--junit-path=${reportFile}`].concat(
      config ? ["--config", config] : [],
      options,
      // Runs one module that imports all files, because Deno starts a worker for each module. A worker loads and
      // compiles everything again, which takes a third of a second of processor time.
      all,
    ),
    env: { ...env, [REASONS_VARIABLE]: reasonsFile },
    stdin: "null",
    ...(live ? {} : { stdout: "piped", stderr: "piped" }),
  }).spawn();
  const interrupt = () => child.kill("SIGTERM");
  if (interrupted.signal.aborted) interrupt();
  interrupted.signal.addEventListener("abort", interrupt);
  const { success } = live ? await child.status : await showAtTheEnd(child);
  interrupted.signal.removeEventListener("abort", interrupt);

  const report = readReport(await Deno.readTextFile(reportFile).catch(() => ""));
  return {
    passed: report.passed,
    // Count at least one failure, because the report leaves out interruptions and files that do not load.
    failed: success ? report.failures.length : Math.max(report.failures.length, 1),
    failures: report.failures,
    skipped: await readSkipReasons(reasonsFile),
  };
}

async function showAtTheEnd(child: Deno.ChildProcess): Promise<{ success: boolean }> {
  const { success, stdout, stderr } = await child.output();
  for (const bytes of [stderr, stdout]) console.log(new TextDecoder().decode(bytes).trimEnd());
  return { success };
}

/** Reads a JUnit report, in which each step of a test is a case of its own. */
function readReport(report: string): { passed: number; failures: string[] } {
  const cases = report.split("<testcase ").slice(1).filter((text) => !text.includes("<skipped"));
  const failures = cases.filter((text) => /<(failure|error)/.test(text))
    .map((text) => unescapeXml(/name="([^"]*)"/.exec(text)![1]!));
  return { passed: cases.length - failures.length, failures };
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(\w+);/g, (entity, name) => ENTITIES[name] ?? entity);
}

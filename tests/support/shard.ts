// One process of `deno test`, with a stack and a receiver of its own.
import { join } from "node:path";
import { type ReadyStack, startStackProcess } from "../../local/stack_process.ts";
import { readSkipReasons, REASONS_VARIABLE, type SkipReason } from "./needing.ts";
import { stopStacksIn } from "./own_stack.ts";
import { type Mailboxes, startMailboxes } from "./receiver.ts";

/** What came of the tests of a shard. */
export interface ShardResult {
  passed: number;
  failed: number;
  /** Tests that this machine lacks a program for. */
  skipped: SkipReason[];
}

/** Aborted when the run is to end early; the tests that run are ended then, and what they started is stopped. */
export const interrupted = new AbortController();

/** What `deno test` is run with. */
export interface Shard {
  /** Paths and options. */
  args: string[];
  /** Beside what the tests need to know of the stack. */
  env: Record<string, string>;
  /** Whether output is shown as it comes; else all of it at the end. */
  live: boolean;
}

/**
 * Starts a stack in a temporary folder, runs `deno test` against it, and removes the folder. An error on the way is printed
 * and counts as a failure.
 */
export async function runShard(shard: Shard): Promise<ShardResult> {
  try {
    return await runWithStack(shard);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1, skipped: [] };
  }
}

async function runWithStack({ args, env, live }: Shard): Promise<ShardResult> {
  const folder = await Deno.makeTempDir({ prefix: "crm-test-" });
  // As root, the Postgres in it runs as another user.
  await Deno.chmod(folder, 0o711);
  const dataDir = join(folder, "stack");
  let mailboxes: Mailboxes | undefined;
  let stack: ReadyStack | undefined;
  try {
    mailboxes = await startMailboxes();
    stack = await startStackProcess(dataDir, mailboxes.env);
    const result = await runTests(folder, {
      args,
      live,
      // TMPDIR, so that what the tests themselves start is found, and stopped, here.
      env: { ...env, ...mailboxes.env, DATA_DIR: dataDir, TMPDIR: folder },
    });
    // What the stack printed is what explains a failure; otherwise it is noise.
    if (result.failed > 0) console.log(`\nThe stack printed:\n${stack.output()}`);
    return result;
  } finally {
    await stack?.stop();
    await stopStacksIn(folder);
    await mailboxes?.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function runTests(folder: string, { args, env, live }: Shard): Promise<ShardResult> {
  const [reportFile, reasonsFile] = [join(folder, "report.xml"), join(folder, "skip-reasons")];
  const child = new Deno.Command(Deno.execPath(), {
    // Types are checked by `deno task check`, once for the whole tree.
    args: ["test", "-A", "--no-check", `--junit-path=${reportFile}`, ...args],
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
  const reasons = await readSkipReasons(reasonsFile);
  return {
    passed: report.passed,
    // A file that does not load, or an interruption, is in no report.
    failed: success ? report.failed : Math.max(report.failed, 1),
    // One that --filter leaves out has a reason as well.
    skipped: reasons.filter(({ title }) => report.skipped.includes(title)),
  };
}

async function showAtTheEnd(child: Deno.ChildProcess): Promise<{ success: boolean }> {
  const { success, stdout, stderr } = await child.output();
  for (const bytes of [stderr, stdout]) console.log(new TextDecoder().decode(bytes).trimEnd());
  return { success };
}

/** Reads a JUnit report, in which each step of a test is a case of its own. */
function readReport(report: string): { passed: number; failed: number; skipped: string[] } {
  const elements = (name: string) => report.split(`<${name}`).length - 1;
  const failed = elements("failure") + elements("error");
  const skipped = [...report.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<skipped/g)].map(([, name]) =>
    unescapeXml(name!)
  );
  return { passed: elements("testcase") - skipped.length - failed, failed, skipped };
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(\w+);/g, (entity, name) => ENTITIES[name] ?? entity);
}

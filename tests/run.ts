/**
 * `deno task test`: starts a stack in a temporary folder on free ports, runs every test against it, and stops it.
 * Arguments after `--` go to `deno test`: `deno task test -- tests/webhooks --filter signature`. The last line is always
 * `N passed, N failed`; the exit code is 0 only where some test ran and none failed.
 */
import { join } from "node:path";
import { type ReadyStack, startStackProcess } from "../local/stack_process.ts";
import { stopStacksIn } from "./support/own_stack.ts";
import { type Mailboxes, startMailboxes } from "./support/receiver.ts";

interface Count {
  passed: number;
  failed: number;
}

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => interrupted.abort());
}

const count = await runAll(Deno.args[0] === "--" ? Deno.args.slice(1) : Deno.args);
console.log(`${count.passed} passed, ${count.failed} failed`);
Deno.exit(count.failed === 0 && count.passed > 0 ? 0 : 1);

async function runAll(args: string[]): Promise<Count> {
  const folder = await Deno.makeTempDir({ prefix: "crm-test-" });
  // As root, the Postgres in it runs as another user.
  await Deno.chmod(folder, 0o711);
  const dataDir = join(folder, "stack");
  let receiver: Mailboxes | undefined;
  let stack: ReadyStack | undefined;
  try {
    receiver = await startMailboxes();
    stack = await startStackProcess(dataDir, receiver.env);
    const count = await runTests(args, join(folder, "report.xml"), {
      ...receiver.env,
      DATA_DIR: dataDir,
      // So that what the tests themselves start is found, and stopped, here.
      TMPDIR: folder,
    });
    // What the stack printed is what explains a failure; otherwise it is noise.
    if (count.failed > 0) console.log(`\nThe stack printed:\n${stack.output()}`);
    return count;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1 };
  } finally {
    await stack?.stop();
    await stopStacksIn(folder);
    await receiver?.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function runTests(args: string[], report: string, env: Record<string, string>): Promise<Count> {
  const child = new Deno.Command(Deno.execPath(), {
    // Types are checked by `deno task check`, once for the whole tree.
    args: ["test", "-A", "--no-check", `--junit-path=${report}`, ...args, ...(await defaultPath(args))],
    env,
  }).spawn();
  const interrupt = () => child.kill("SIGTERM");
  if (interrupted.signal.aborted) interrupt();
  interrupted.signal.addEventListener("abort", interrupt);
  const { success } = await child.status;
  interrupted.signal.removeEventListener("abort", interrupt);

  const count = readCount(await Deno.readTextFile(report).catch(() => ""));
  // A file that does not load, or an interruption, is in no report.
  return success ? count : { ...count, failed: Math.max(count.failed, 1) };
}

/** Everything, unless the arguments name a path. */
async function defaultPath(args: string[]): Promise<string[]> {
  const named = await Promise.all(args.map((arg) => Deno.stat(arg).then(() => true, () => false)));
  return named.includes(true) ? [] : [join(import.meta.dirname!)];
}

/** Counts a JUnit report, in which each step of a test is a case of its own. */
function readCount(report: string): Count {
  const elements = (name: string) => report.split(`<${name}`).length - 1;
  const failed = elements("failure") + elements("error");
  return { passed: elements("testcase") - elements("skipped") - failed, failed };
}

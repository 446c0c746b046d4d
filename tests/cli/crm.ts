import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { run } from "../../run/cli/main.ts";
import { withEnvironment } from "../support/environment.ts";
import { type Outcome, outcomeOf } from "../support/run.ts";

const MAIN = join(import.meta.dirname!, "..", "..", "run", "cli", "main.ts");

/** With these variables empty, a command uses the shared stack, which DATA_DIR names. */
const ENVIRONMENT = { DATABASE_URL: "", APP_ORIGIN: "" };

/** Settles after the last command: commands take turns, because they share the environment and the output. */
let last: Promise<unknown> = Promise.resolve();

/** Runs `deno task crm …` on the shared stack, in this process; `env` overrides the environment. */
export function crm(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const outcome = last.then(() => execute(args, env));
  last = outcome.catch(() => {});
  return outcome;
}

async function execute(args: string[], env: Record<string, string>): Promise<Outcome> {
  const printed = { stdout: "", stderr: "" };
  let code = 0;
  await withEnvironment({ ...ENVIRONMENT, ...env }, async () => {
    const { error } = console;
    const writers = [process.stdout.write, process.stderr.write] as const;
    console.log = (text: string) => printed.stdout += `${text}\n`;
    console.error = (text: string) => printed.stderr += `${text}\n`;
    process.stdout.write = (text) => Boolean(printed.stdout += text);
    process.stderr.write = (text) => Boolean(printed.stderr += text);
    try {
      code = await run(args);
    } finally {
      console.error = error;
      [process.stdout.write, process.stderr.write] = writers;
    }
  });
  return { code, ...printed };
}

/** Runs `deno task crm …` as an operator does, in its own process. */
export async function crmProcess(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return await outcomeOf(Deno.execPath(), ["run", "-A", "--no-check", "--quiet", MAIN, ...args], {
    env: { ...ENVIRONMENT, ...env },
  });
}

/** Runs a command that must succeed; returns its text output. */
export async function say(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await crm(args);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, args.join(" "));
  return stdout;
}

/** Runs a command that must succeed; returns its JSON output. */
// deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
export async function json(...args: string[]): Promise<any> {
  return JSON.parse(await say(...args, "--json"));
}

/** Asserts that a command fails with the exit code, nothing on standard output and one line on standard error. */
export async function assertMistake(args: string[], code: 1 | 2, line: RegExp): Promise<void> {
  assertOneLine(await crm(args), code, line, args.join(" "));
}

/** Like assertMistake, for a command that has already run. */
export function assertOneLine(outcome: Outcome, code: 1 | 2, line: RegExp, title: string): void {
  const { stdout, stderr } = outcome;
  assert.deepEqual({ code: outcome.code, stdout }, { code, stdout: "" }, `${title}\n${stderr}`);
  assert.match(stderr, /^error: [^\n]+\n$/, `${title}\n${stderr}`);
  assert.match(stderr, line, `${title}\n${stderr}`);
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

import assert from "node:assert/strict";
import { join } from "node:path";

const MAIN = join(import.meta.dirname!, "..", "..", "run", "cli", "main.ts");

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Four queues of commands: with more at once, connecting would be slow. Each entry is the last command of a queue. */
const places: Promise<unknown>[] = Array.from({ length: 4 }, () => Promise.resolve());
let started = 0;

/** Runs `deno task crm …` as an operator does, on the shared stack; `env` overrides the environment. */
export function crm(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const place = started++ % places.length;
  const outcome = places[place]!.then(() => execute(args, env));
  places[place] = outcome.catch(() => {});
  return outcome;
}

async function execute(args: string[], env: Record<string, string>): Promise<Outcome> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", MAIN, ...args],
    env: { DATABASE_URL: "", APP_ORIGIN: "", ...env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
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

/** An id that no record has. */
export const UNKNOWN_ID = "00000000-0000-7000-8000-000000000000";

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// What the tests of the doctor share.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import type { CheckResult, Diagnosis } from "../../run/deployment/doctor/examine.ts";
import { runTask } from "./task.ts";

/** Runs `deno task doctor` as an operator does. */
export async function doctor(args: string[], env: Record<string, string> = {}) {
  return await runTask("doctor.ts", args, { env: { DATABASE_URL: "", ...env } });
}

/** The result of one check. */
export function resultOf({ checks }: Diagnosis, name: string): CheckResult {
  const result = checks.find((check) => check.name === name);
  assert.ok(result, `There is no check ${name}`);
  return result;
}

/** Every finding as `<check>: <message>`. */
export function findingsOf({ checks }: Diagnosis): string[] {
  return checks.flatMap(({ name, findings }) => findings.map(({ message }) => `${name}: ${message}`));
}

/** What breaks a project, and the finding that the doctor then has. */
export interface Breakage {
  breaks: () => Promise<unknown>;
  /** The only finding, as `<check>: <message>`. */
  finding: RegExp;
  /** What mends it where the remedy is no SQL. It also follows SQL with a placeholder. */
  mends?: () => Promise<unknown>;
  /** Fills in a placeholder of the remedy. */
  fill?: (sql: string) => string;
}

/**
 * Breaks something, sees the finding alone, does what its remedy says, and sees it go.
 * @param remedyRole runs a remedy that is SQL, as an operator does in the SQL editor
 */
export async function breakAndMend(
  examine: () => Promise<Diagnosis>,
  remedyRole: Sql,
  { breaks, finding, mends, fill = (sql) => sql }: Breakage,
): Promise<void> {
  assert.deepEqual(findingsOf(await examine()), []);
  await breaks();
  const broken = await examine();
  assert.equal(broken.ok, false);
  const found = findingsOf(broken);
  assert.equal(found.length, 1, found.join("\n"));
  assert.match(found[0]!, finding);
  const { remedy } = broken.checks.flatMap(({ findings }) => findings)[0]!;
  if ("sql" in remedy) await remedyRole.unsafe(fill(remedy.sql));
  await mends?.();
  assert.deepEqual(findingsOf(await examine()), [], "after the remedy");
}

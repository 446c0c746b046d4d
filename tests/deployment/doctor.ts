// Shared by the tests of the doctor.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import type { Check, Project } from "../../run/deployment/doctor/check.ts";
import { type CheckResult, type Diagnosis, runChecks } from "../../run/deployment/doctor/examine.ts";
import { runTask } from "./deploy.ts";

/** Runs `deno task doctor` as an operator does. */
export async function doctor(args: string[], env: Record<string, string> = {}) {
  return await runTask("doctor.ts", args, { env: { DATABASE_URL: "", ...env } });
}

/** Runs checks on a project; the test supplies only the parts that the checks read. */
export function look(checks: Check[], project: Partial<Project> & { sql: Sql }): Promise<Diagnosis> {
  const databaseUrl = new URL("postgresql://x@127.0.0.1/x");
  const others = { databaseUrl, functionsUrl: "", region: null, appOrigin: null, now: Date.now };
  return runChecks({ ...others, ...project }, checks);
}

export function resultOf({ checks }: Diagnosis, name: string): CheckResult {
  const result = checks.find((check) => check.name === name);
  assert.ok(result, `There is no check ${name}`);
  return result;
}

/** Every finding as `<check>: <message>`. */
export function findingsOf({ checks }: Diagnosis): string[] {
  return checks.flatMap(({ name, findings }) => findings.map(({ message }) => `${name}: ${message}`));
}

/** A way to break a project, and the finding that the doctor must report. */
export interface Breakage {
  breaks: () => Promise<unknown>;
  /** The only finding, as `<check>: <message>`. */
  finding: RegExp;
  /** Repairs the project, if the remedy in the finding is not SQL. */
  mends?: () => Promise<unknown>;
}

/**
 * Breaks something, asserts that the doctor has one finding, follows the remedy, and asserts that no finding is left.
 * @param remedyRole the connection that runs a remedy in SQL, as an operator would in the SQL editor
 */
export async function breakAndMend(
  examine: () => Promise<Diagnosis>,
  remedyRole: Sql,
  { breaks, finding, mends }: Breakage,
): Promise<void> {
  assert.deepEqual(findingsOf(await examine()), []);
  await breaks();
  const broken = await examine();
  assert.equal(broken.ok, false);
  const found = findingsOf(broken);
  assert.equal(found.length, 1, found.join("\n"));
  assert.match(found[0]!, finding);
  const { remedy } = broken.checks.flatMap(({ findings }) => findings)[0]!;
  if ("sql" in remedy) await remedyRole.unsafe(remedy.sql);
  await mends?.();
  assert.deepEqual(findingsOf(await examine()), [], "after the remedy");
}

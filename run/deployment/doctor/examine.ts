import type { Sql } from "postgres";
import { firstLine } from "../../local/stack_error.ts";
import { openDatabase } from "../database.ts";
import type { Check, Finding, Observation } from "./check.ts";
import { CHECKS } from "./checks.ts";
import type { Project } from "./project.ts";

/** What the doctor saw. */
export interface Diagnosis {
  /** Whether nothing was found. */
  ok: boolean;
  checks: CheckResult[];
}

export interface CheckResult {
  name: string;
  /** `skipped`: not looked at, because the database or the functions cannot be reached. */
  state: "ok" | "wrong" | "skipped";
  findings: Finding[];
  note: string | null;
}

/** What the doctor needs to know of a project. */
export interface Address {
  databaseUrl: string;
  functionsUrl: string;
  /** FUNCTIONS_REGION, where it is set. */
  region: string | null;
  /** APP_ORIGIN, where it is set. */
  appOrigin: string | null;
}

/** Looks at a project and changes nothing. */
export async function examine({ databaseUrl, functionsUrl, region, appOrigin }: Address): Promise<Diagnosis> {
  const sql = openDatabase(databaseUrl, "crm-doctor");
  try {
    return await runChecks({
      sql,
      databaseUrl: new URL(databaseUrl),
      functionsUrl: functionsUrl.replace(/\/+$/, ""),
      region,
      appOrigin,
      now: Date.now,
    });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Runs the checks one after the other: they share one connection, and their order is that of the report. */
export async function runChecks(project: Project, checks: readonly Check[] = CHECKS): Promise<Diagnosis> {
  const results: CheckResult[] = [];
  let reachable = true;
  for (const check of checks) {
    const result: CheckResult = check.needsDatabase && !reachable
      ? { name: check.name, state: "skipped", findings: [], note: "the database cannot be reached" }
      : describe(check, await look(check, project));
    if (check.name === "database") reachable = result.state === "ok" || await answers(project.sql);
    results.push(result);
  }
  return { ok: results.every(({ state }) => state === "ok"), checks: results };
}

async function look(check: Check, project: Project): Promise<Observation> {
  try {
    return await check.look(project);
  } catch (error) {
    return {
      findings: [{
        message: `It cannot be seen: ${firstLine(error)}`,
        remedy: { advice: "Give the DATABASE_URL of the role that applied the migrations" },
      }],
    };
  }
}

function describe({ name }: Check, { findings, note, skipped }: Observation): CheckResult {
  const state = skipped ? "skipped" : findings.length === 0 ? "ok" : "wrong";
  return { name, state, findings, note: note ?? null };
}

async function answers(sql: Sql): Promise<boolean> {
  return await sql`select`.then(() => true, () => false);
}

import type { Sql } from "postgres";
import { firstAnswer, openConnection } from "../../local/sql.ts";
import { firstLine } from "../../local/stack_error.ts";
import { isProxy, listNodes } from "../../nodes/nodes.ts";
import { type Check, type Finding, type Observation, type Project, type Remedy, wrong } from "./check.ts";
import { CHECKS, OF_THE_SERVICE } from "./checks.ts";
import { proxy } from "./checks/migrations.ts";

/** How long the database's first answer may take, in seconds. */
const TIMEOUT_S = 10;

export interface Diagnosis {
  ok: boolean;
  checks: CheckResult[];
}

export interface CheckResult {
  name: string;
  /** `skipped`: the check could not run, because the database or the functions cannot be reached. */
  state: "ok" | "wrong" | "skipped";
  findings: Finding[];
  note: string | null;
}

export interface Address {
  databaseUrl: string;
  functionsUrl: string;
  region: string | null;
  appOrigin: string | null;
}

/** Checks a project. Behind a proxy it checks the proxy and every node, and checks only once what the nodes share. */
export async function examine(address: Address): Promise<Diagnosis> {
  return await withProject(address, async (project) => {
    // The check `database` reports a database that cannot be reached.
    const nodes = await isProxy(project.sql).catch(() => false) ? await listNodes(project.sql) : [];
    if (nodes.length === 0) return await runChecks(project);
    const { checks } = await runChecks(project, [proxy]);
    for (const { node, url } of nodes) {
      const ofNode = node === 0 ? CHECKS : CHECKS.filter((check) => !OF_THE_SERVICE.includes(check));
      const diagnosis = await withProject(
        { ...address, databaseUrl: url },
        (project) => runChecks(project, ofNode),
      );
      checks.push(...diagnosis.checks.map((check) => ({ ...check, name: `node ${node}: ${check.name}` })));
    }
    return { ok: checks.every(({ state }) => state === "ok"), checks };
  });
}

async function withProject(
  { databaseUrl, functionsUrl, region, appOrigin }: Address,
  work: (project: Project) => Promise<Diagnosis>,
): Promise<Diagnosis> {
  await using sql = openConnection(databaseUrl, "crm-doctor", TIMEOUT_S);
  // The check `database` reports the error.
  await firstAnswer(sql, sql`select`, TIMEOUT_S).catch(() => {});
  return await work({
    sql,
    databaseUrl: new URL(databaseUrl),
    functionsUrl: functionsUrl.replace(/\/+$/, ""),
    region,
    appOrigin,
    now: Date.now,
  });
}

/** Runs the checks in turn, because they share one connection. */
export async function runChecks(project: Project, checks: readonly Check[] = CHECKS): Promise<Diagnosis> {
  const results: CheckResult[] = [];
  let reachable = true;
  for (const check of checks) {
    const result: CheckResult = !check.withoutDatabase && !reachable
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
    return wrong(`The check failed: ${firstLine(error)}`, {
      advice: "Set DATABASE_URL to the address for the role that applied the migrations",
    });
  }
}

function describe({ name }: Check, { findings, note, skipped }: Observation): CheckResult {
  const state = skipped ? "skipped" : findings.length === 0 ? "ok" : "wrong";
  return { name, state, findings, note: note ?? null };
}

async function answers(sql: Sql): Promise<boolean> {
  return await sql`select`.then(() => true, () => false);
}

/** Formats a diagnosis for people: a line for each check, followed by its findings and remedies. */
export function formatReport({ ok, checks }: Diagnosis): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const found = checks.flatMap(({ findings }) => findings).length;
  const verdict = ok ? "Nothing is wrong" : found === 1 ? "1 finding" : `${found} findings`;
  return [...checks.flatMap((check) => formatCheck(check, width)), "", verdict].join("\n");
}

function formatCheck({ name, state, findings, note }: CheckResult, width: number): string[] {
  const first = `${state.padEnd(7)}  ${note ? `${name.padEnd(width)}  ${note}` : name}`;
  return [first, ...findings.flatMap(({ message, remedy }) => [`  - ${message}`, ...formatRemedy(remedy)])];
}

function formatRemedy(remedy: Remedy): string[] {
  const [label, text] = "sql" in remedy
    ? ["SQL", remedy.sql]
    : "command" in remedy
    ? ["run", remedy.command]
    : ["do", remedy.advice];
  return text.split("\n").map((line, index) => `    ${index === 0 ? `${label}: ` : "     "}${line}`);
}

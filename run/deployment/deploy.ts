/**
 * `deno task deploy`: deploys this tree to a Supabase project (migrations, the functions' login, Vault, secrets,
 * functions) and runs the doctor. Behind a proxy, every node gets the migrations and the Vault's secrets. The command
 * may run any number of times. Exit code: 0 deployed and healthy, 1 a step failed or the doctor has findings, 2 invalid
 * usage.
 */
import { Command } from "commander";
import type { Sql } from "postgres";
import { describeFailure } from "../cli/database.ts";
import { StackError } from "../local/stack_error.ts";
import { isCurrent } from "../nodes/install.ts";
import { atDatabase, isProxy, listNodes, type Node } from "../nodes/nodes.ts";
import { atAllProxies, isMoving } from "../nodes/proxies.ts";
import { type Diagnosis, examine, formatReport } from "./doctor/examine.ts";
import { readDeploymentSettings, type Settings, VARIABLES } from "./environment.ts";
import { deploymentSteps, type Step } from "./steps.ts";
import { taskArguments } from "./task_arguments.ts";

/** Old versions of pg_cron run a job at most once a minute, so the first run may be a minute away. */
const DOCTOR_PATIENCE_MS = 90_000;
const DOCTOR_PAUSE_MS = 10_000;

const names = (required: boolean) =>
  VARIABLES.filter((variable) => variable.required === required).map(({ name }) => name).join(", ");

const program = new Command("deno task deploy")
  .description(
    "Deploy migrations, functions and secrets to a Supabase project, and check the result (docs/deployment.md).\n" +
      `It reads from the environment ${names(true)} and, if they are set, ${names(false)}.`,
  )
  .option("--plan", "show what each step would change and which locks it takes, and change nothing")
  .option("--replace-encryption-key", "continue although the key does not decrypt the stored signing secrets")
  .allowExcessArguments(false)
  .exitOverride(({ exitCode }) => Deno.exit(exitCode === 0 ? 0 : 2));

try {
  program.parse(taskArguments(), { from: "user" });
  const { plan, replaceEncryptionKey = false } = program.opts();
  const settings = readDeploymentSettings(Deno.env.toObject());
  const steps = deploymentSteps(settings, { replaceEncryptionKey });
  await inOrder(
    steps,
    settings,
    async (step, sql, node) => plan ? await step.plan(sql) : [await step.run(sql, node)],
  );
  if (!plan) {
    console.log(`${steps.length + 1}. Examine the deployment (deno task doctor)`);
    const diagnosis = await waitForHealth(settings);
    console.log(formatReport(diagnosis));
    Deno.exit(diagnosis.ok ? 0 : 1);
  }
} catch (error) {
  console.error(`error: ${describeFailure(error)}`);
  Deno.exit(1);
}

async function inOrder(
  steps: Step[],
  { databaseUrl }: Settings,
  act: (step: Step, sql: Sql, node?: number) => Promise<string[]>,
): Promise<void> {
  await atDatabase(databaseUrl, async (sql) => {
    const nodes = await nodesToDeploy(sql);
    for (const [index, step] of steps.entries()) {
      console.log(`${index + 1}. ${step.title}`);
      if (step.ofNodes && nodes.length > 0) {
        for (const { node, url } of nodes) {
          const lines = await atDatabase(url, (sql) => act(step, sql, node));
          for (const line of lines) console.log(`   node ${node}: ${line}`);
        }
      } else for (const line of await act(step, sql)) console.log(`   ${line}`);
    }
  });
}

/**
 * The nodes to deploy to; none if `sql` leads to a single database.
 * @throws StackError if `sql` leads to a node, or to a proxy with the SQL of another release, or if a workspace is
 * moving
 */
async function nodesToDeploy(sql: Sql): Promise<Node[]> {
  if (!await isProxy(sql)) {
    const [row] = await sql`select to_regproc('nodes.become') is not null as "isNode"`;
    if (row!["isNode"]) {
      throw new StackError(
        "Nothing was done: DATABASE_URL leads to a node. Set it to the proxy's address, to deploy to every node",
      );
    }
    return [];
  }
  if (!await isCurrent(sql)) {
    throw new StackError(
      "Nothing was done: the proxy has the SQL of another release. Add a new one with `deno task crm proxy add` " +
        "(docs/scale.md), and put its address into DATABASE_URL and FUNCTIONS_DATABASE_URL",
    );
  }
  if (await atAllProxies(sql, isMoving)) {
    throw new StackError("Nothing was done: a workspace is moving. Complete or undo the move, then deploy");
  }
  return await listNodes(sql);
}

/** Repeats the doctor while it has findings: in a new project no job has run, and functions start cold. */
async function waitForHealth(settings: Settings): Promise<Diagnosis> {
  const until = performance.now() + DOCTOR_PATIENCE_MS;
  for (;;) {
    const diagnosis = await examine(settings);
    if (diagnosis.ok || performance.now() > until) return diagnosis;
    const found = diagnosis.checks.flatMap(({ findings }) => findings).map(({ message }) => message);
    console.log(`   Waiting: ${found.join("; ")}`);
    await new Promise((resolve) => setTimeout(resolve, DOCTOR_PAUSE_MS));
  }
}

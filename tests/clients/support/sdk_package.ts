import { join } from "node:path";
import { readStackFile } from "../../../run/local/stack_file.ts";
import { deno, run } from "../../support/run.ts";

const SDK = join(import.meta.dirname!, "../../../clients/sdk");

/** The environment of an integrator's program. */
export async function crmEnvironment(): Promise<{ CRM_URL: string; CRM_KEY: string }> {
  const { base_url, demo_key } = await readStackFile(Deno.env.get("DATA_DIR") ?? ".local");
  return { CRM_URL: base_url, CRM_KEY: demo_key };
}

/** Builds clients/sdk/dist as it is published. */
export async function buildSdk(): Promise<{ dist: string }> {
  await deno(["task", "sdk:build"]);
  return { dist: join(SDK, "dist") };
}

/** Runs a command in the folder that both registries publish. */
export function runInSdk(command: string, args: string[]) {
  return run(command, args, { cwd: SDK });
}

/** Installs the package, as it is packed, into an empty folder, as an integrator does. */
export async function installInto(folder: string): Promise<void> {
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: SDK });
  await run("npm", ["install", "--silent", "--no-audit", "--no-fund", `./${stdout.trim()}`], { cwd: folder });
  const programs = join(import.meta.dirname!, "../programs");
  for (const name of ["first_lead.js", "main.js"]) {
    await Deno.copyFile(join(programs, name), join(folder, name));
  }
}

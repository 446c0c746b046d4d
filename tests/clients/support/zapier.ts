// Runs the Zapier app on Node with the platform that its package.json names, as Zapier does.
import { join } from "node:path";
import type { writtenFor } from "../../../clients/zapier/write/written.ts";
import { openLineProcess } from "../../../bench/harness/processes.ts";
import { run } from "../../support/run.ts";

const APP = join(import.meta.dirname!, "../../../clients/zapier");

/** An error that an operation reports. Some kinds of errors have JSON as their message. */
export class ZapierError extends Error {
  /** What the platform passes on: `message`, and `delay` or both `code` and `status`. */
  readonly content: Record<string, unknown>;

  constructor(error: { name: string; message: string }) {
    super(error.message);
    this.name = error.name;
    this.content = error.message.startsWith("{") ? JSON.parse(error.message) : { message: error.message };
  }
}

export type ZapierApp = Awaited<ReturnType<typeof startZapierApp>>;

/** A copy of the app, installed as its README says. */
export async function installZapierApp(): Promise<AsyncDisposable & { folder: string }> {
  const folder = await Deno.makeTempDir({ prefix: "crm-zapier-" });
  await Deno.mkdir(join(folder, "src"));
  await Deno.mkdir(join(folder, "dist"));
  const sources = [...Deno.readDirSync(join(APP, "src"))].map(({ name }) => `src/${name}`);
  for (const name of ["package.json", "index.js", ...sources]) {
    await Deno.copyFile(join(APP, name), join(folder, name));
  }
  await Deno.copyFile(join(import.meta.dirname!, "../programs/zapier.js"), join(folder, "zapier.js"));
  await run("npm", ["install", "--silent", "--no-audit", "--no-fund"], { cwd: folder });
  return { folder, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

/**
 * Starts the app in the folder where it is installed, with what `deno task zapier` would write. The process ends with
 * the scope (`await using`).
 */
export async function startZapierApp(folder: string, written: ReturnType<typeof writtenFor>) {
  await Deno.writeTextFile(join(folder, "dist/written.json"), JSON.stringify(written));
  const child = new Deno.Command("node", {
    args: ["zapier.js"],
    cwd: folder,
    // Without these variables, the platform prints its use of memory, and Node 20 a warning about imported JSON.
    env: { NODE_ENV: "test", NODE_NO_WARNINGS: "1" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const process = openLineProcess(child, "The app");
  const handle = async (event: Record<string, unknown>) => {
    const { results, error } = JSON.parse(await process.request(event));
    if (error) throw new ZapierError(error);
    return results;
  };
  return {
    /** Reports the faults that the platform's validator finds. */
    validate: () => handle({ command: "validate" }),
    /** Runs an operation such as `creates.create_lead.operation.perform`. @throws ZapierError */
    execute: (method: string, bundle: Record<string, unknown>) =>
      handle({ command: "execute", method, bundle }),
    [Symbol.asyncDispose]: process[Symbol.asyncDispose],
  };
}

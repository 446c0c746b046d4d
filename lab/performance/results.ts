import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { binariesFolder } from "../../local/postgres_binaries.ts";
import type { Figure } from "./figure.ts";
import { plot } from "./plot.ts";

const FOLDER = join(import.meta.dirname!, "results");

/** The last whole run, as results/latest.json holds it. */
export interface Results {
  /** ISO 8601. */
  at: string;
  machine: string;
  deno: string;
  postgres: string;
  figures: Figure[];
}

/** Writes results/latest.json, and results/latest.svg for the README. */
export async function saveResults(figures: Figure[]): Promise<void> {
  const results: Results = {
    at: new Date().toISOString(),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${
      Math.round(totalmem() / 2 ** 30)
    } GiB, ${Deno.build.target}`,
    deno: Deno.version.deno,
    postgres: await postgresVersion(),
    figures,
  };
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeTextFile(join(FOLDER, "latest.json"), JSON.stringify(results, null, 2) + "\n");
  await Deno.writeTextFile(join(FOLDER, "latest.svg"), plot(results));
}

async function postgresVersion(): Promise<string> {
  const { stdout } = await new Deno.Command(join(await binariesFolder(), "postgres"), { args: ["--version"] })
    .output();
  return new TextDecoder().decode(stdout).trim().split(" ").at(-1)!;
}

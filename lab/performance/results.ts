import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { binariesFolder, run } from "../../local/postgres_binaries.ts";
import type { Figure } from "../harness/figures.ts";
import { plot } from "./plot.ts";

const FOLDER = join(import.meta.dirname!, "..", "results");

/** The last whole run: the content of lab/results/latest.json. */
export interface Results {
  /** ISO 8601. */
  at: string;
  machine: string;
  deno: string;
  postgres: string;
  figures: Figure[];
}

export async function readResults(): Promise<Results> {
  return JSON.parse(await Deno.readTextFile(join(FOLDER, "latest.json")));
}

/** Writes latest.json, and latest.svg for the README. */
export async function saveResults(figures: Figure[]): Promise<void> {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const { output } = await run(join(await binariesFolder(), "postgres"), ["--version"]);
  const results: Results = {
    at: new Date().toISOString(),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memory}, ${Deno.build.target}`,
    deno: Deno.version.deno,
    postgres: output.trim().split(" ").at(-1)!,
    figures,
  };
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeTextFile(join(FOLDER, "latest.json"), JSON.stringify(results, null, 2) + "\n");
  await Deno.writeTextFile(join(FOLDER, "latest.svg"), plot(results));
}

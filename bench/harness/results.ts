import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { binariesFolder, run } from "../../run/local/postgres_binaries.ts";
import { compactJson } from "../../tools/json.ts";
import type { Figure } from "./figures.ts";

const FOLDER = join(import.meta.dirname!, "..", "results");
/** Wide enough for one figure, so that each figure of a run is one line. */
const LINE = 400;

/** A whole run of one program of the lab: the content of a JSON file in bench/results/. */
export interface Results {
  /** ISO 8601. */
  at: string;
  machine: string;
  deno: string;
  postgres: string;
  figures: Figure[];
}

/** @param name of a file in bench/results/, without `.json` */
export async function readResults(name: string): Promise<Results> {
  return JSON.parse(await Deno.readTextFile(join(FOLDER, `${name}.json`)));
}

/** Writes the figures of a whole run, with the machine and the versions. */
export async function saveResults(name: string, figures: Figure[]): Promise<Results> {
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
  await Deno.writeTextFile(join(FOLDER, `${name}.json`), compactJson(results, LINE));
  return results;
}

/** Reads a picture of results; null where there is none. */
export async function readImage(name: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(join(FOLDER, `${name}.svg`));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Writes a picture of results beside them. */
export async function saveImage(name: string, svg: string): Promise<void> {
  await Deno.writeTextFile(join(FOLDER, `${name}.svg`), svg);
}

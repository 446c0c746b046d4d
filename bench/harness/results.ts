import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { binariesFolder, run } from "../../run/local/postgres_binaries.ts";
import { compactJson } from "../../tools/json.ts";
import type { Figure } from "./figures.ts";

const ROOT = join(import.meta.dirname!, "../..");
const FOLDER = join(ROOT, "bench/results");
/** Wide enough that each figure of a run is one line. */
const LINE = 400;
const WRITTEN = /(?<=<!-- written by the bench -->)[^]*?(?=<!-- end -->)/;

/** A whole run of one program of the bench: the content of a JSON file in bench/results/. */
export interface Results {
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

export async function savePage(file: string, text: string): Promise<void> {
  await Deno.writeTextFile(join(ROOT, file), text);
}

export function readPage(file: string): Promise<string> {
  return Deno.readTextFile(join(ROOT, file));
}

/**
 * Replaces the lines between `<!-- written by the bench -->` and `<!-- end -->` with the date, the machine and the
 * tables of a run.
 * @throws Error if the page does not have these markers
 */
export function withFigures(page: string, { at, machine, deno, postgres }: Results, lines: string[]): string {
  if (!WRITTEN.test(page)) throw new Error(`The page must have ${WRITTEN}`);
  const run = `The last whole run: ${at.slice(0, 10)}, Deno ${deno}, Postgres ${postgres};\n${machine}.`;
  return page.replace(WRITTEN, () => `\n\n${run}\n\n${lines.join("\n")}\n\n`);
}

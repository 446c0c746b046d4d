import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { binariesFolder, run } from "../../run/local/postgres_binaries.ts";
import { compactJson } from "../../tools/json.ts";
import { table } from "../../tools/pages/page.ts";
import { type Figure, SIGNS, tableOf } from "./figures.ts";

const ROOT = join(import.meta.dirname!, "../..");
const FOLDER = join(ROOT, "bench/results");
/** Wide enough that each figure of a run is one line. */
const LINE = 400;
const WRITTEN = /(?<=<!-- written by the bench -->)[^]*?(?=<!-- end -->)/;

/** The page that shows a whole run, and the lines that it shows, by the name of the run's file in bench/results/. */
const PAGES = {
  latest: { page: "docs/performance.md", linesOf: performanceLines },
  attacks: { page: "docs/security.md", linesOf: attackLines },
};
type Run = keyof typeof PAGES;

/** A whole run of one program of the bench: the content of a JSON file in bench/results/. */
export interface Results {
  at: string;
  machine: string;
  deno: string;
  postgres: string;
  figures: Figure[];
}

export async function readResults(run: Run): Promise<Results> {
  return JSON.parse(await Deno.readTextFile(join(FOLDER, `${run}.json`)));
}

/** Saves a whole run in bench/results/, and shows it in its page. */
export async function saveRun(name: Run, figures: Figure[]): Promise<void> {
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
  await Deno.writeTextFile(join(ROOT, PAGES[name].page), showRun(name, results, await readPage(name)));
}

/** The page that shows a run. */
export function readPage(run: Run): Promise<string> {
  return Deno.readTextFile(join(ROOT, PAGES[run].page));
}

/**
 * The page with a run's date, machine and tables between `<!-- written by the bench -->` and `<!-- end -->`.
 * @throws Error if the page does not have these markers
 */
export function showRun(run: Run, results: Results, page: string): string {
  if (!WRITTEN.test(page)) throw new Error(`The page must have ${WRITTEN}`);
  const { at, machine, deno, postgres, figures } = results;
  const about = `The last whole run: ${at.slice(0, 10)}, Deno ${deno}, Postgres ${postgres};\n${machine}.`;
  return page.replace(WRITTEN, () => `\n\n${about}\n\n${PAGES[run].linesOf(figures).join("\n")}\n\n`);
}

/** How many figures of each subject reach their targets, and the figures that do not. */
function performanceLines(figures: Figure[]): string[] {
  const bySubject = Map.groupBy(figures, ({ command }) => command);
  const missed = figures.filter(({ held }) => !held);
  return [
    `**${figures.length - missed.length} of ${figures.length} figures reach their targets.**`,
    "",
    ...table(
      ["Subject", "Figures", "Reached"],
      [...bySubject].map(([command, own]) => [
        `\`${command}\``,
        `${own.length}`,
        `${own.filter(({ held }) => held).length}`,
      ]),
    ),
    "",
    "Missed:",
    "",
    ...tableOf(missed),
  ];
}

function attackLines(figures: Figure[]): string[] {
  const rows = figures.map(({ name, value, unit, held, better, target }) => {
    const measured = `${value} ${unit}`;
    return [name, held ? measured : `**${measured}**`, `${SIGNS[better]} ${target}`];
  });
  return table(["Figure", "Measured", "Target"], rows);
}

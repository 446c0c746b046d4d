/** Writes the figures of docs/performance.md, between its markers; the prose around them is by hand. */
import { join } from "node:path";
import { writeFigures } from "../harness/tables.ts";
import { readResults, type Results } from "./results.ts";

const FILE = join(import.meta.dirname!, "..", "..", "docs", "performance.md");

/** The pages of docs/ that are written from the last whole run of the bench. */
export const pages: { file: string; write(page: string): Promise<string> }[] = [
  { file: FILE, write: async (page) => writePerformance(page, await readResults()) },
];

/**
 * The page with its sections written anew: `run`, `summary`, and the figures of each subject under its name.
 * @throws Error where the page has no section of a subject, or one that no subject has.
 */
export function writePerformance(page: string, results: Results): string {
  const { at, machine, deno, postgres, figures } = results;
  const held = figures.filter((figure) => figure.held).length;
  const bySubject = Map.groupBy(figures, ({ command }) => command.split(" ").at(-1)!);
  const sections = new Map([
    ["run", `The last whole run: ${at.slice(0, 10)}, Deno ${deno}, Postgres ${postgres};\n${machine}.`],
    ["summary", `**${held} of ${figures.length} figures are held.**`],
    ...[...bySubject].map(([subject, own]) => [subject, writeFigures(own)] as const),
  ]);
  const written = page.replace(
    /(<!-- written by deno task docs: (.+) -->\n)[^]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => {
      const text = sections.get(name);
      if (text === undefined) throw new Error(`Nothing is written to the section ${name}`);
      sections.delete(name);
      return `${start}\n${text}\n\n${end}`;
    },
  );
  if (sections.size > 0) throw new Error(`The page has no section ${[...sections.keys()].join(", ")}`);
  return written;
}

if (import.meta.main) {
  for (const { file, write } of pages) {
    await Deno.writeTextFile(file, await write(await Deno.readTextFile(file)));
  }
}

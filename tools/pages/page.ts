import { join } from "node:path";
import { type Doc, doc } from "../../supabase/functions/_shared/contract/doc.ts";
import type { Language } from "../openapi/language.ts";

const PAGES = join(import.meta.dirname!, "../../site/src/content/docs");

/** A page of the site with sections that are generated from the code. */
export interface Page {
  /** Its path. */
  readonly file: string;
  /**
   * Returns the page with its generated sections replaced and the rest unchanged.
   *
   * @throws Error if the page lacks the markers of a section
   */
  write(page: string): string;
}

/** The files of a page in both languages. `write` replaces the generated sections in the text of a file. */
export function sitePages(slug: string, write: (page: string, language: Language) => string): Page[] {
  return ([["pt", ""], ["en", "en"]] as const).map(([language, folder]) => ({
    file: join(PAGES, folder, `${slug}.md`),
    write: (page) => write(page, language),
  }));
}

export function textIn({ description, description_en }: Doc, language: Language): string {
  return language === "pt" ? description : description_en;
}

/** The text for calls that need no scope. */
export const ANY_KEY = doc("qualquer chave", "any key");

/**
 * Replaces the text between `<!-- written by deno task docs: <name> -->` and the next `<!-- end -->`.
 *
 * @throws Error if the page does not have that section exactly once
 */
export function replaceSection(page: string, name: string, lines: readonly string[]): string {
  const begin = beginOf(name);
  const [before, after, ...more] = page.split(begin);
  const end = after?.indexOf("<!-- end -->") ?? -1;
  if (end === -1 || more.length > 0) {
    throw new Error(`The page must have "${begin} … <!-- end -->" exactly once`);
  }
  return `${before}${begin}\n\n${lines.join("\n")}\n\n${after!.slice(end)}`;
}

/** The line that begins a section. */
export function beginOf(name: string): string {
  return `<!-- written by deno task docs: ${name} -->`;
}

/** Formats a table in Markdown, and escapes `|` in cells. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`
      .replaceAll("|  |", "| |");
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}

/** Formats text as code in Markdown; the text may contain backticks. */
export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A page of docs/ of which parts are written from the code or from results. */
export interface Page {
  /** Absolute, or from the root of the repository. */
  readonly file: string;
  /**
   * The page as it should be: what people wrote, with the written sections replaced.
   *
   * @throws Error where the page lacks the markers of a section
   */
  write(page: string): Promise<string>;
}

/**
 * Replaces what stands between `<!-- written by deno task docs: <name> -->` and the next `<!-- end -->`.
 *
 * @throws Error where the page does not have that section once
 */
export function replaceSection(page: string, name: string, lines: readonly string[]): string {
  const begin = `<!-- written by deno task docs: ${name} -->`;
  const [before, after, ...more] = page.split(begin);
  const end = after?.indexOf("<!-- end -->") ?? -1;
  if (end === -1 || more.length > 0) throw new Error(`The page does not have "${begin} … <!-- end -->" once`);
  return `${before}${begin}\n\n${lines.join("\n")}\n\n${after!.slice(end)}`;
}

/** A table in Markdown. A `|` inside a cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}

/** Text as code in Markdown, whatever backticks it has. */
export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A page of docs/ or of the site with sections that are generated from the code or from results. */
export interface Page {
  /** Absolute, or relative to the root of the repository. */
  readonly file: string;
  /**
   * Returns the page with its generated sections replaced and the rest unchanged.
   *
   * @throws Error if the page lacks the markers of a section
   */
  write(page: string): Promise<string>;
}

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
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}

/** Formats text as code in Markdown; the text may contain backticks. */
export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Characters in a line of SQL. */
const WIDTH = 110;

/** A list of expressions, several in a line. */
export function columns(expressions: readonly string[], indent: number): string {
  const lines: string[] = [];
  let line = "";
  for (const [index, expression] of expressions.entries()) {
    const next = index === expressions.length - 1 ? expression : `${expression},`;
    if (line !== "" && indent + line.length + 1 + next.length > WIDTH) {
      lines.push(line);
      line = next;
    } else {
      line = line === "" ? next : `${line} ${next}`;
    }
  }
  return [...lines, line].map((text) => " ".repeat(indent) + text).join("\n");
}

/** The lines of a statement, moved to the right. */
export const indent = (sql: string, spaces: number): string => sql.replaceAll(/^/gm, " ".repeat(spaces));

/** A `comment on` statement. Its text is split into literals, as SQL joins those on lines of their own. */
export function comment(object: string, text: string): string {
  const statement = `comment on ${object} is`;
  const whole = literal(text);
  if (statement.length + whole.length + 2 <= WIDTH) return `${statement} ${whole};`;
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = [lines.at(-1), word].join(" ");
    if (lines.length > 0 && literal(longer).length + 4 <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const literals = lines.map((line, index) => literal(index < lines.length - 1 ? `${line} ` : line));
  return `${statement}\n${literals.map((literal) => `  ${literal}`).join("\n")};`;
}

/** A text as a literal of SQL. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

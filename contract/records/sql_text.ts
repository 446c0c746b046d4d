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

/** A `comment on` statement. */
export function comment(object: string, text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  const statement = `comment on ${object} is`;
  return statement.length + quoted.length + 2 <= WIDTH
    ? `${statement} ${quoted};`
    : `${statement}\n  ${quoted};`;
}

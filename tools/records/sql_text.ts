/** Characters in a line of SQL. */
export const WIDTH = 120;

/** Fills lines of at most `width` characters with words that must not be broken. */
function fill(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** A list of expressions with commas, as many in a line as fit. */
export function columns(expressions: readonly string[], indent: number): string {
  const words = expressions.map((expression, index) =>
    index === expressions.length - 1 ? expression : `${expression},`
  );
  return fill(words, WIDTH - indent).map((line) => " ".repeat(indent) + line).join("\n");
}

/** The conditions of a `where`, as many in a line as fit; `indent` is that of the lines after the first. */
export function conjunction(conditions: readonly string[], indent: number): string {
  const words = conditions.map((condition, index) => index === 0 ? condition : `and ${condition}`);
  return fill(words, WIDTH - indent).join(`\n${" ".repeat(indent)}`);
}

/** A `comment on` statement. SQL joins literals on consecutive lines, so a long text becomes several. */
export function comment(object: string, text: string): string {
  const statement = `comment on ${object} is`;
  const whole = literal(text);
  if (statement.length + whole.length + 2 <= WIDTH) return `${statement} ${whole};`;
  // Fills lines with the text whose quotes are already doubled, so that the doubled quotes count for the width.
  const lines = fill(text.replaceAll("'", "''").split(" "), WIDTH - 6);
  const literals = lines.map((line, index) => `'${line}${index < lines.length - 1 ? " " : ""}'`);
  return `${statement}\n${literals.map((literal) => `  ${literal}`).join("\n")};`;
}

/** The statement that creates a function, followed by the comment on it. */
export function commented(sql: string, text: string): string {
  const [, name, parameters] = /^create function (\S+?)\(([^()]*)\)/.exec(sql) ?? [];
  if (parameters === undefined) throw new Error(`No function with simple parameters: ${sql.split("\n")[0]}`);
  const types = parameters.split(",").map((parameter) => parameter.trim())
    .filter((parameter) => !parameter.startsWith("out "))
    .map((parameter) => parameter.replace(/^(inout )?\w+ /, "").replace(/ default .*/, ""));
  return `${sql}\n${comment(`function ${name}(${types.join(", ")})`, text)}`;
}

export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

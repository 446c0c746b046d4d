const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const STEP = "  ";

/**
 * Indents a JSON text without changing a token: what JSON.parse and stringify would make of 1.10 or of a large number
 * is not what was sent. Returns any other text as it is.
 */
export function prettyJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(TOKEN) ?? [];
  const lines: string[] = [];
  let depth = 0;
  let line = "";
  const endLine = () => {
    lines.push(line);
    line = STEP.repeat(depth);
  };
  tokens.forEach((token, i) => {
    const closes = token === "}" || token === "]";
    const isEmpty = closes && /^[{[]$/.test(tokens[i - 1] ?? "");
    if (closes && !isEmpty) {
      depth--;
      endLine();
    }
    line += token === ":" ? ": " : token;
    if (token === ",") endLine();
    else if ((token === "{" || token === "[") && !/^[}\]]$/.test(tokens[i + 1] ?? "")) {
      depth++;
      endLine();
    }
  });
  return [...lines, line].join("\n");
}

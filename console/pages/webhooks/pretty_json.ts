const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const STEP = "  ";

/**
 * Indents a JSON text without changing its tokens: JSON.parse and stringify would change 1.10 and large numbers. Text
 * that is not JSON is returned unchanged.
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

/**
 * Writes JSON for review, with a newline at its end: an object or array that fits into `width` characters stands on one
 * line, so that a diff shows whole facts.
 */
export function compactJson(value: unknown, width = 110): string {
  return `${layOut(value, "", 0, width)}\n`;
}

/** @param used the characters that precede the value on its line, after the indent */
function layOut(value: unknown, indent: string, used: number, width: number): string {
  const line = onOneLine(value);
  if (value === null || typeof value !== "object") return line;
  if (indent.length + used + line.length < width) return line;
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((item) => inner + layOut(item, inner, 0, width))
    : Object.entries(value).map(([name, member]) => {
      const key = `${JSON.stringify(name)}: `;
      return inner + key + layOut(member, inner, key.length, width);
    });
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}

function onOneLine(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  const members = Object.entries(value).map(([name, member]) =>
    `${JSON.stringify(name)}: ${onOneLine(member)}`
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

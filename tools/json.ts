/**
 * Formats JSON for review, and ends it with a newline. A value that fits into `width` characters gets one line. In a
 * longer object or array, each member that is an object starts a line, and plain members share lines. A single member
 * stays on the line of the brackets.
 */
export function compactJson(value: unknown, width = 110): string {
  return `${layOut(value, "", 0, width)}\n`;
}

/** @param used the characters that precede the value on its line, after the indent */
function layOut(value: unknown, indent: string, used: number, width: number): string {
  const line = onOneLine(value);
  if (value === null || typeof value !== "object") return line;
  if (indent.length + used + line.length < width) return line;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const entries = Object.entries(value).map(([name, member]) => ({
    key: Array.isArray(value) ? "" : `${JSON.stringify(name)}: `,
    member,
  }));
  const [only] = entries;
  if (entries.length === 1) {
    const space = only!.key && " ";
    const before = used + 1 + space.length + only!.key.length;
    return open + space + only!.key + layOut(only!.member, indent, before, width) + space + close;
  }
  const inner = `${indent}  `;
  const lines: string[] = [];
  let wasPlain = false;
  for (const { key, member } of entries) {
    const text = key + layOut(member, inner, key.length, width);
    const shared = `${lines.at(-1)}, ${text}`;
    if (wasPlain && isPlain(member) && inner.length + shared.length < width) lines[lines.length - 1] = shared;
    else lines.push(text);
    wasPlain = isPlain(member);
  }
  return `${open}\n${lines.map((line) => inner + line).join(",\n")}\n${indent}${close}`;
}

/** Whether a value contains no object: a text, a number, or an array of these. */
function isPlain(value: unknown): boolean {
  return value === null || typeof value !== "object" ||
    Array.isArray(value) && value.every((item) => item === null || typeof item !== "object");
}

function onOneLine(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  const members = Object.entries(value).map(([name, member]) =>
    `${JSON.stringify(name)}: ${onOneLine(member)}`
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

const WIDTH = 110;

/** Serializes JSON for review: what fits on one line stands on one, so that a diff shows whole facts. */
export function jsonText(value: unknown): string {
  return `${layOut(value, "", 0)}\n`;
}

/** @param before the characters that precede the value on its line, behind the indent */
function layOut(value: unknown, indent: string, before: number): string {
  const line = onOneLine(value);
  if (value === null || typeof value !== "object") return line;
  if (indent.length + before + line.length < WIDTH) return line;
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((item) => inner + layOut(item, inner, 0))
    : Object.entries(value).map(([name, member]) => {
      const key = `${JSON.stringify(name)}: `;
      return inner + key + layOut(member, inner, key.length);
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

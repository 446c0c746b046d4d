// Sends the requests of crm.http as the REST Client of VS Code does. It reads only the parts of the format that we use.
export interface HttpReply {
  /** As in `# @name contacts_create`. */
  name: string;
  status: number;
  text: string;
}

/**
 * Sends every request of a file, one after the other.
 * @param entered the variables that a person would have entered
 */
export async function sendAll(file: string, entered: Record<string, string>): Promise<HttpReply[]> {
  const variables = new Map<string, string>();
  const replies = new Map<string, HttpReply>();
  const value = (expression: string): string => {
    const [, name, path] = /^(\w+)\.response\.body\.\$\.(.+)$/.exec(expression) ?? [];
    if (name) return valueAt(JSON.parse(replies.get(name)!.text), path!);
    if (expression === "$datetime iso8601 -1 d") return new Date(Date.now() - 86_400_000).toISOString();
    if (expression === "$timestamp") return String(Math.floor(Date.now() / 1000));
    const found = variables.get(expression);
    if (found === undefined) throw new Error(`No value for {{${expression}}}`);
    return found;
  };
  const filled = (text: string) => text.replace(/\{\{(.+?)\}\}/g, (_, expression) => value(expression));

  for (const block of file.split(/^###.*$/m)) {
    const [head = "", ...rest] = block.trim().split("\n\n");
    const lines = head.split("\n");
    for (const line of [...lines, ...rest.join("\n").split("\n")]) {
      const [, name, text] = /^@(\w+) = ?(.*)$/.exec(line) ?? [];
      if (name) variables.set(name, entered[name] ?? filled(text!));
    }
    const request = lines.findIndex((line) => /^[A-Z]+ /.test(line));
    if (request === -1) continue;
    const [method, url] = filled(lines[request]!).split(" ");
    const response = await fetch(url!, {
      method: method!,
      headers: lines.slice(request + 1).map((line) => filled(line).split(": ") as [string, string]),
      ...(rest.length > 0 && { body: filled(rest.join("\n\n")) }),
    });
    const name = /^# @name (\w+)$/m.exec(head)![1]!;
    replies.set(name, { name, status: response.status, text: await response.text() });
  }
  return [...replies.values()];
}

/** `data[0].id` of a body. */
function valueAt(body: unknown, path: string): string {
  let found = body;
  for (const part of path.split(/[.[\]]+/).filter(Boolean)) found = (found as Record<string, unknown>)[part];
  if (typeof found !== "string") throw new Error(`${path} is not in ${JSON.stringify(body)}`);
  return found;
}

import type { ExampleCall } from "./example_call.ts";

/**
 * The call as a command for a POSIX shell. It reads the variables `CRM_URL` and `CRM_KEY`, `ID` for `{id}`, and
 * `DEAL_ID` for a required `deal_id`.
 */
export function curlOf({ method, path, query, needsKey, body }: ExampleCall): string {
  const variable = (name: string) => `$${name.toUpperCase()}`;
  const address = path.replace(/\{(\w+)\}/g, (_, name) => variable(name));
  const search = query.map(({ name, value }) => `${name}=${value ?? variable(name)}`).join("&");
  const isPlain = method === "GET" || method === "POST" && body !== undefined;
  const parts = [
    `curl ${isPlain ? "" : `-X ${method} `}"$CRM_URL${address}${search && `?${search}`}"`,
    ...(needsKey ? [`-H "X-API-Key: $CRM_KEY"`] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

/** The body in single quotes, indented below its `-d`. */
function quoted(body: unknown): string {
  return `'${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`).replaceAll("\n", "\n  ")}'`;
}

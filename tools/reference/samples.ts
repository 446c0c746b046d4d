// The sample call of an operation as a program. A program reads the same variables as the curl command: CRM_URL,
// CRM_KEY, and ID, DEAL_ID, … for ids of records.
import { methodName } from "../../clients/sdk/src/methods.ts";
import { type OperationId, OPERATIONS } from "../../clients/sdk/src/operations.ts";
import type { ExampleCall } from "./example_call.ts";

/** A program in one language. */
export interface Sample {
  title: string;
  /** The language for highlighting. */
  language: string;
  code: string;
}

/** The sample call in TypeScript with the SDK, and in Python and PHP without packages. */
export function samplesOf(id: string, call: ExampleCall): Sample[] {
  return [
    { title: "TypeScript (SDK)", language: "ts", code: typeScriptOf(id as OperationId, call) },
    { title: "Python", language: "py", code: pythonOf(call) },
    { title: "PHP", language: "php", code: phpOf(call) },
  ];
}

const variableOf = (parameter: string) => parameter.toUpperCase();

function pathWith(path: string, replacement: (parameter: string) => string): string {
  return path.replace(/\{(\w+)\}/g, (_, parameter: string) => replacement(parameter));
}

function typeScriptOf(id: OperationId, { path, query, body }: ExampleCall): string {
  const { takes = [], list } = OPERATIONS[id];
  const env = (parameter: string) => `process.env.${variableOf(parameter)}!`;
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => env(parameter!));
  const queried = Object.fromEntries(query.map(({ name, value }) => [name, value ?? new Code(env(name))]));
  const given = takes.map((name) => {
    const [part, member] = name.split(".") as ["query" | "body", string?];
    const whole = (part === "body" ? body : queried) as Record<string, unknown> | undefined;
    const value = member === undefined ? whole : whole?.[member];
    return typeScript(id.endsWith(".batch") ? whole?.items : value);
  });
  while (given.at(-1) === "{}" || given.at(-1) === "undefined") given.pop();
  const method = `crm.${methodName(id)}(${[...ids, ...given].join(", ")})`;
  return [
    `import process from "node:process";`,
    `import { Crm } from "@crm-api/sdk";`,
    "",
    "const crm = new Crm({ key: process.env.CRM_KEY, baseUrl: process.env.CRM_URL });",
    "",
    list ? `for await (const item of ${method}) console.log(item);` : `console.log(await ${method});`,
  ].join("\n");
}

function pythonOf({ method, path, query, needsKey, body }: ExampleCall): string {
  const env = (name: string) => `os.environ['${variableOf(name)}']`;
  const search = query.map(({ name, value }) => `${name}=${value ?? `{${env(name)}}`}`).join("&");
  const address = `{os.environ['CRM_URL']}${pathWith(path, (name) => `{${env(name)}}`)}${
    search && `?${search}`
  }`;
  return [
    "import json, os, urllib.request",
    "",
    "request = urllib.request.Request(",
    `    f"${address}",`,
    `    method="${method}",`,
    ...(needsKey || body !== undefined
      ? [`    headers={${headers(needsKey, body).map(python).join(", ")}},`]
      : []),
    ...(body === undefined ? [] : [`    data=json.dumps(${indented(literal(body, PYTHON))}).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as reply:",
    "    print(reply.status, reply.read().decode())",
  ].join("\n");

  function python([name, value]: [string, string | null]): string {
    return `"${name}": ${value === null ? `os.environ["CRM_KEY"]` : `"${value}"`}`;
  }
}

function phpOf({ method, path, query, needsKey, body }: ExampleCall): string {
  const env = (name: string) => `getenv("${variableOf(name)}")`;
  const search = query.map(({ name, value }) => `${name}=${value ?? `" . ${env(name)} . "`}`).join("&");
  const address = `getenv("CRM_URL") . "${pathWith(path, (name) => `" . ${env(name)} . "`)}${
    search && `?${search}`
  }"`;
  return [
    "<?php",
    `$context = stream_context_create(["http" => [`,
    `    "method" => "${method}",`,
    ...(needsKey || body !== undefined
      ? [`    "header" => [${headers(needsKey, body).map(php).join(", ")}],`]
      : []),
    ...(body === undefined ? [] : [`    "content" => json_encode(${indented(literal(body, PHP))}),`]),
    `    "ignore_errors" => true,`,
    "]]);",
    `echo file_get_contents(${address.replace(/ \. ""/g, "")}, false, $context);`,
  ].join("\n");

  function php([name, value]: [string, string | null]): string {
    return value === null ? `"${name}: " . getenv("CRM_KEY")` : `"${name}: ${value}"`;
  }
}

/** The headers; null for the key. */
function headers(needsKey: boolean, body: unknown): [string, string | null][] {
  return [
    ...(needsKey ? [["X-API-Key", null] as [string, null]] : []),
    ...(body === undefined ? [] : [["Content-Type", "application/json"] as [string, string]]),
  ];
}

const indented = (text: string, by = "    ") => text.replaceAll("\n", `\n${by}`);

/** How a language writes values. */
interface Syntax {
  indent: string;
  null: string;
  true: string;
  false: string;
  object: [string, string];
  /** An object without fields. */
  empty: string;
  key(name: string): string;
  text(value: string): string;
}

const TYPESCRIPT: Syntax = {
  indent: "  ",
  null: "null",
  true: "true",
  false: "false",
  object: ["{", "}"],
  empty: "{}",
  key: (name) => /^\w+$/.test(name) ? `${name}: ` : `"${name}": `,
  text: (value) => JSON.stringify(value),
};

const PYTHON: Syntax = {
  ...TYPESCRIPT,
  indent: "    ",
  null: "None",
  true: "True",
  false: "False",
  key: (name) => `"${name}": `,
};

const PHP: Syntax = {
  ...TYPESCRIPT,
  indent: "    ",
  object: ["[", "]"],
  empty: "new stdClass()",
  key: (name) => `"${name}" => `,
  text: (value) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
};

/** An expression inside a value. */
class Code {
  constructor(readonly code: string) {}
}

const typeScript = (value: unknown) => value === undefined ? "undefined" : literal(value, TYPESCRIPT);

/** A JSON value as a literal of a language, one field per line. */
function literal(value: unknown, syntax: Syntax): string {
  if (value instanceof Code) return value.code;
  if (value === null || value === true || value === false) return syntax[`${value}`];
  if (typeof value === "string") return syntax.text(value);
  if (typeof value !== "object") return String(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : syntax.object;
  const members = Array.isArray(value)
    ? value.map((item) => literal(item, syntax))
    : Object.entries(value).map(([name, item]) => syntax.key(name) + literal(item, syntax));
  if (members.length === 0) return Array.isArray(value) ? "[]" : syntax.empty;
  return `${open}\n${
    members.map((member) => `${syntax.indent}${indented(member, syntax.indent)},`).join("\n")
  }\n${close}`;
}

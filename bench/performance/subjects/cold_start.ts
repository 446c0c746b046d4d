import { join, relative, sep } from "node:path";
import { resources } from "../../../tools/resources.ts";
import { generateKey } from "../../../supabase/functions/_shared/keys/generate_key.ts";
import { atMost, count, measureInTurns, type Measurement, median, ratio } from "../../harness/figures.ts";
import { openWorld } from "../../harness/world.ts";
import { type Start, timeFirstReply } from "../cold_start/first_reply.ts";
import { type ImportGraph, readImportGraph } from "../cold_start/import_graph.ts";
import type { Conditions, Subject } from "../../harness/subject.ts";

const FUNCTIONS = join(import.meta.dirname!, "..", "..", "..", "supabase", "functions");
const COLD_START = join(import.meta.dirname!, "..", "cold_start");
/** Supabase's limit for one deployed function, in megabytes. */
const BUNDLE_LIMIT = 20;
/** The allowed multiples of the time of a minimal function, and of one that queries the database. */
const TARGET = 2;
const TARGET_DATABASE = 1.4;

/** A function with its possible first requests. */
interface Target {
  name: string;
  withoutDatabase: Start;
  withDatabase?: Start;
}

const HELLO: Start = { file: join(COLD_START, "hello.ts"), method: "GET", path: "/hello", expect: 200 };
const HELLO_DATABASE: Start = { ...HELLO, file: join(COLD_START, "hello_database.ts") };

/** Every deployed function. */
const TARGETS: Target[] = [
  ...resources.filter(({ gate }) => gate === "key").map(({ name }) => ({
    name,
    withoutDatabase: start(name, "GET", "", 401),
    withDatabase: { ...start(name, "GET", "", 401), headers: { "X-API-Key": generateKey() } },
  })),
  {
    name: "proposals",
    withoutDatabase: start("proposals", "GET", "/x", 404),
    withDatabase: start("proposals", "GET", `/${"x".repeat(43)}`, 404),
  },
  {
    name: "api-v1-health",
    withoutDatabase: start("api-v1-health", "PUT", "", 405),
    withDatabase: start("api-v1-health", "GET", "", 200),
  },
  { name: "webhook-dispatcher", withoutDatabase: start("webhook-dispatcher", "GET", "", 405) },
  {
    name: "mcp",
    withoutDatabase: start("mcp", "GET", "", 405),
    withDatabase: {
      ...start("mcp", "POST", "", 401),
      headers: { "Content-Type": "application/json", "X-API-Key": generateKey() },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    },
  },
];
/** It reaches every resource, whose table of endpoints it loads with the first call of one. */
const REACHES_ALL = "mcp";

/** The first reply of a function that was not running, compared with a minimal function. */
export const coldStart: Subject = {
  name: "cold-start",
  title: "Cold start, and the imports of each function",
  async measure(conditions) {
    return [...await measureStarts(conditions), ...await measureGraphs(conditions)];
  },
};

async function measureStarts({ short, note }: Conditions): Promise<Measurement[]> {
  await using world = await openWorld();
  const env = { DATABASE_URL: world.functionsDatabaseUrl, SUPABASE_URL: "https://crm.example" };
  const rounds = short ? 3 : 9;
  const withoutDatabase = await compareStarts(
    [HELLO, ...TARGETS.map(({ withoutDatabase }) => withoutDatabase)],
    env,
    rounds,
  );
  const asking = TARGETS.flatMap(({ name, withDatabase }) => withDatabase ? [{ name, withDatabase }] : []);
  const withDatabase = await compareStarts(
    [
      HELLO_DATABASE,
      ...asking.map(({ withDatabase }) => withDatabase),
    ],
    env,
    rounds,
  );
  for (const [index, { name }] of asking.entries()) {
    note(`${name}, by way of the database: × ${withDatabase[index]!.toFixed(2)}`);
  }
  const slowest = "First reply through the database, the slowest function, to Hono and the driver alone";
  return [
    ...TARGETS.map(({ name }, index) =>
      ratio(`First reply of ${name}, to Hono's hello-world`, withoutDatabase[index]!, "lower", TARGET)
    ),
    ratio(slowest, Math.max(...withDatabase), "lower", TARGET_DATABASE),
  ];
}

/** Medians of starts in turns, divided by that of the first start. */
async function compareStarts(
  starts: Start[],
  env: Record<string, string>,
  rounds: number,
): Promise<number[]> {
  const times = await measureInTurns(starts.map((start) => () => timeFirstReply(start, env)), rounds);
  const [least, ...others] = times.map(median) as [number, ...number[]];
  return others.map((ms) => ms / least);
}

async function measureGraphs({ note }: Conditions): Promise<Measurement[]> {
  let largest = 0;
  let foreign = 0;
  for (const { name, withoutDatabase } of TARGETS) {
    if (name === REACHES_ALL) continue;
    const graph = await readImportGraph(withoutDatabase.file);
    const megabytes = graph.bytes / 2 ** 20;
    const { files, packages } = graph;
    note(`${name}: ${files.length} files, ${packages.join(", ")}; ${megabytes.toFixed(1)} MB`);
    const foreignNames = foreignFiles(name, graph);
    for (const file of foreignNames) note(`  ${file} belongs to another function`);
    largest = Math.max(largest, megabytes);
    foreign += foreignNames.length;
  }
  return [
    atMost(
      "Deployed size of the largest function, its packages whole",
      Math.round(largest * 10) / 10,
      "MB",
      BUNDLE_LIMIT,
    ),
    count(
      "Files of another function that a function pulls in, beside the schemas of records that it shows",
      foreign,
      "files",
    ),
  ];
}

/** The files that belong to another function, except the schemas and texts of its record. */
function foreignFiles(name: string, { files }: ImportGraph): string[] {
  return files.map((file) => relative(FUNCTIONS, file)).filter((file) => {
    const [folder, ...rest] = file.split(sep);
    return ![name, "_shared"].includes(folder!) && !SHAPES.includes(rest.join("/"));
  });
}

/** The files of a record, in the folder of its function. */
const SHAPES = ["record.ts", "schema.ts", "docs.ts"];

function start(name: string, method: string, path: string, expect: number): Start {
  return { file: join(FUNCTIONS, name, "index.ts"), method, path: `/${name}${path}`, expect };
}

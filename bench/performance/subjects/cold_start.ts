import { join, relative, sep } from "node:path";
import { generateKey } from "../../../supabase/functions/_shared/keys/generate_key.ts";
import { FUNCTIONS, resources } from "../../../tools/resources.ts";
import { atMost, count, measureInTurns, type Measurement, median, ratio } from "../../harness/figures.ts";
import type { Conditions, Subject } from "../../harness/run_subjects.ts";
import { openWorld } from "../../harness/world.ts";
import { type Start, timeFirstReply } from "../cold_start/first_reply.ts";
import { readImportGraph } from "../cold_start/import_graph.ts";

const COLD_START = join(import.meta.dirname!, "..", "cold_start");
/** Supabase's limit for one deployed function, in megabytes. */
const BUNDLE_LIMIT = 20;
/** The allowed multiples of the time of a minimal function, and of one that queries the database. */
const TARGET = 2;
const TARGET_DATABASE = 1.4;

const HELLO: Start = { file: join(COLD_START, "hello.ts"), method: "GET", path: "/hello", expect: 200 };
const HELLO_DATABASE: Start = { ...HELLO, file: join(COLD_START, "hello_database.ts") };

function start(name: string, method: string, path: string, expect: number, more: Partial<Start> = {}): Start {
  return { file: join(FUNCTIONS, name, "index.ts"), method, path: `/${name}${path}`, expect, ...more };
}

/** Every deployed function, with a first request that needs no database and one that does. */
const TARGETS: { name: string; without: Start; withDatabase?: Start }[] = [
  ...resources.filter(({ gate }) => gate === "key").map(({ name }) => ({
    name,
    without: start(name, "GET", "", 401),
    withDatabase: start(name, "GET", "", 401, { headers: { "X-API-Key": generateKey() } }),
  })),
  {
    name: "proposals",
    without: start("proposals", "GET", "/x", 404),
    withDatabase: start("proposals", "GET", `/${"x".repeat(43)}`, 404),
  },
  {
    name: "api-v1-health",
    without: start("api-v1-health", "PUT", "", 405),
    withDatabase: start("api-v1-health", "GET", "", 200),
  },
  { name: "webhook-dispatcher", without: start("webhook-dispatcher", "GET", "", 405) },
  {
    name: "mcp",
    without: start("mcp", "GET", "", 405),
    withDatabase: start("mcp", "POST", "", 401, {
      headers: { "Content-Type": "application/json", "X-API-Key": generateKey() },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    }),
  },
];

/** The first reply of a function that was not running, compared with a minimal function. */
export const coldStart: Subject = {
  name: "cold-start",
  title: "Cold start, and the imports of each function",
  measure: async (conditions) => [...await measureStarts(conditions), ...await measureGraphs()],
};

async function measureStarts({ short, note }: Conditions): Promise<Measurement[]> {
  await using world = await openWorld();
  const env = { DATABASE_URL: world.functionsDatabaseUrl, SUPABASE_URL: "https://crm.example" };
  /** Medians of starts in turns, divided by that of the first start. */
  const compare = async (starts: Start[]) => {
    const times = await measureInTurns(
      starts.map((start) => () => timeFirstReply(start, env)),
      short ? 3 : 9,
    );
    const [least, ...others] = times.map(median) as [number, ...number[]];
    return others.map((ms) => ms / least);
  };
  const without = await compare([HELLO, ...TARGETS.map((target) => target.without)]);
  const asking = TARGETS.filter((target) => target.withDatabase);
  const withDatabase = await compare([HELLO_DATABASE, ...asking.map((target) => target.withDatabase!)]);
  for (const [index, { name }] of asking.entries()) {
    note(`${name}, by way of the database: × ${withDatabase[index]!.toFixed(2)}`);
  }
  const slowest = "First reply through the database, the slowest function, to Hono and the driver alone";
  return [
    ...TARGETS.map(({ name }, index) =>
      ratio(`First reply of ${name}, to Hono's hello-world`, without[index]!, "lower", TARGET)
    ),
    ratio(slowest, Math.max(...withDatabase), "lower", TARGET_DATABASE),
  ];
}

async function measureGraphs(): Promise<Measurement[]> {
  let largest = 0;
  let foreign = 0;
  for (const { name, without } of TARGETS) {
    // Left out, because it can call every resource, and loads a resource's table only with the first call to it.
    if (name === "mcp") continue;
    const { bytes, files } = await readImportGraph(without.file);
    largest = Math.max(largest, bytes / 2 ** 20);
    foreign += files.filter((file) => isForeign(name, relative(FUNCTIONS, file))).length;
  }
  const size = Math.round(largest * 10) / 10;
  return [
    atMost("Deployed size of the largest function, its packages whole", size, "MB", BUNDLE_LIMIT),
    count(
      "Files of another function that a function pulls in, beside the schemas of records that it shows",
      foreign,
      "files",
    ),
  ];
}

/** Whether a file belongs to another function, except the schemas and texts of its record. */
function isForeign(name: string, file: string): boolean {
  const [folder, ...rest] = file.split(sep);
  return ![name, "_shared"].includes(folder!) &&
    !["record.ts", "schema.ts", "docs.ts"].includes(rest.join("/"));
}

import { join, relative, sep } from "node:path";
import { resources } from "../../../contract/resources.ts";
import { generateKey } from "../../../operator/generate_key.ts";
import { count, measureInTurns, type Measurement, median, ratio } from "../../harness/figures.ts";
import { openWorld } from "../../harness/world.ts";
import { type Start, timeFirstReply } from "../cold_start/first_reply.ts";
import { type ImportGraph, readImportGraph } from "../cold_start/import_graph.ts";
import type { Conditions, Subject } from "../subject.ts";

const FUNCTIONS = join(import.meta.dirname!, "..", "..", "..", "supabase", "functions");
const COLD_START = join(import.meta.dirname!, "..", "cold_start");
/** Megabytes of one function, deployed on Supabase. */
const BUNDLE_LIMIT = 20;
/** How many times as long as the least function one may take. */
const TARGET = 2;

/** A function with the requests that are its first: `known` is answered without the database. */
interface Target {
  name: string;
  known: Start;
  asked?: Start;
}

const HELLO: Start = { file: join(COLD_START, "hello.ts"), method: "GET", path: "/hello", expect: 200 };
const HELLO_DATABASE: Start = { ...HELLO, file: join(COLD_START, "hello_database.ts") };

/** Every function that is live. */
const TARGETS: Target[] = [
  ...resources.filter(({ gate }) => gate === "key").map(({ name }) => ({
    name,
    known: start(name, "GET", "", 401),
    asked: { ...start(name, "GET", "", 401), headers: { "X-API-Key": generateKey() } },
  })),
  {
    name: "proposals",
    known: start("proposals", "GET", "/x", 404),
    asked: start("proposals", "GET", `/${"x".repeat(43)}`, 404),
  },
  {
    name: "api-v1-health",
    known: start("api-v1-health", "PUT", "", 405),
    asked: start("api-v1-health", "GET", "", 200),
  },
  { name: "webhook-dispatcher", known: start("webhook-dispatcher", "GET", "", 405) },
];

/** What a function costs that nobody has called for a while, against the least that one can be. */
export const coldStart: Subject = {
  name: "cold-start",
  title: "Cold start, and what each function pulls in",
  async measure(conditions) {
    return [...await measureStarts(conditions), ...await measureGraphs(conditions)];
  },
};

async function measureStarts({ short, note }: Conditions): Promise<Measurement[]> {
  await using world = await openWorld();
  const env = { DATABASE_URL: world.databaseUrl, SUPABASE_URL: "https://crm.example" };
  const rounds = short ? 3 : 9;
  const known = await compareStarts([HELLO, ...TARGETS.map(({ known }) => known)], env, rounds);
  const asking = TARGETS.flatMap(({ name, asked }) => asked ? [{ name, asked }] : []);
  const asked = await compareStarts([HELLO_DATABASE, ...asking.map(({ asked }) => asked)], env, rounds);
  for (const [index, { name }] of asking.entries()) {
    note(`${name}, by way of the database: × ${asked[index]!.toFixed(2)}`);
  }
  const slowest = "First reply through the database, the slowest function, to Hono and the driver alone";
  return [
    ...TARGETS.map(({ name }, index) =>
      ratio(`First reply of ${name}, to Hono's hello-world`, known[index]!, "lower", TARGET)
    ),
    ratio(slowest, Math.max(...asked), "lower", TARGET),
  ];
}

/** Medians of starts in turns, each over that of the first. One round before fills the caches and does not count. */
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
  for (const { name, known } of TARGETS) {
    const graph = await readImportGraph(known.file);
    const megabytes = graph.bytes / 2 ** 20;
    const { files, packages } = graph;
    note(`${name}: ${files.length} files, ${packages.join(", ")}; ${megabytes.toFixed(1)} MB`);
    const strangers = foreignFiles(name, graph);
    for (const file of strangers) note(`  ${file} is not its own`);
    largest = Math.max(largest, megabytes);
    foreign += strangers.length;
  }
  return [
    {
      name: "Deployed size of the largest function, its packages whole",
      value: Math.round(largest * 10) / 10,
      unit: "MB",
      target: BUNDLE_LIMIT,
      better: "lower",
    },
    count(
      "Files of another function that a function pulls in, beside the schemas of records that it shows",
      foreign,
      "files",
    ),
  ];
}

/** What is neither the function's own, nor shared by the functions, nor the shape and texts of another's record. */
function foreignFiles(name: string, { files }: ImportGraph): string[] {
  return files.map((file) => relative(FUNCTIONS, file)).filter((file) => {
    const [folder, ...rest] = file.split(sep);
    return ![name, "_shared"].includes(folder!) && !SHAPES.includes(rest.join("/"));
  });
}

/** Of a record, in the folder of its function. */
const SHAPES = ["record.ts", "schema.ts", "docs.ts"];

function start(name: string, method: string, path: string, expect: number): Start {
  return { file: join(FUNCTIONS, name, "index.ts"), method, path: `/${name}${path}`, expect };
}

import { join, relative, sep } from "node:path";
import { startOwnPostgres } from "../../../local/own_postgres.ts";
import { resources } from "../../../contract/resources.ts";
import { type ImportGraph, readImportGraph } from "../cold_start/import_graph.ts";
import { type Start, timeFirstReply } from "../cold_start/first_reply.ts";
import { type Conditions, type Measurement, median, type Subject } from "../figure.ts";

const FUNCTIONS = join(import.meta.dirname!, "..", "..", "supabase", "functions");
const COLD_START = join(import.meta.dirname!, "..", "cold_start");
/** Of one function, deployed on Supabase. */
const BUNDLE_LIMIT_MB = 20;

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
    asked: { ...start(name, "GET", "", 401), headers: { "X-API-Key": "svc_nobody" } },
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
  const postgres = await startOwnPostgres("crm-bench-");
  try {
    const env = { DATABASE_URL: postgres.databaseUrl, SUPABASE_URL: "https://crm.example" };
    const asked = TARGETS.flatMap((target) => target.asked ? [{ ...target, first: target.asked }] : []);
    const known = TARGETS.map((target) => ({ ...target, first: target.known }));
    const rounds = short ? 3 : 9;
    const withoutDatabase = await compare(HELLO, known, env, rounds);
    const withDatabase = await compare(HELLO_DATABASE, asked, env, rounds);
    for (const { name, ms, ratio } of withDatabase) {
      note(`${name}, by way of the database: ${ms} ms, × ${ratio}`);
    }
    return [
      ...withoutDatabase.map(({ name, ratio }) =>
        ratioOf(`First reply of ${name}, to Hono's hello-world`, ratio)
      ),
      ratioOf(
        "First reply through the database, the slowest function, to Hono and the driver alone",
        Math.max(...withDatabase.map(({ ratio }) => ratio)),
      ),
    ];
  } finally {
    await postgres.close();
  }
}

function ratioOf(name: string, value: number): Measurement {
  return { name, value, unit: "ratio", target: 2, better: "lower" };
}

/** Medians of starts in turns, against those of the first. One round before fills the caches and does not count. */
async function compare(
  least: Start,
  targets: { name: string; first: Start }[],
  env: Record<string, string>,
  rounds: number,
): Promise<{ name: string; ms: number; ratio: number }[]> {
  const starts = [least, ...targets.map(({ first }) => first)];
  const times = starts.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, start] of starts.entries()) {
      const ms = await timeFirstReply(start, env);
      if (round > 0) times[index]!.push(ms);
    }
  }
  const [leastMs, ...medians] = times.map(median) as [number, ...number[]];
  return medians.map((ms, index) => ({
    name: targets[index]!.name,
    ms: Math.round(ms),
    ratio: Math.round(ms / leastMs * 100) / 100,
  }));
}

async function measureGraphs({ note }: Conditions): Promise<Measurement[]> {
  let largest = 0;
  let foreign = 0;
  for (const { name, known } of TARGETS) {
    const graph = await readImportGraph(known.file);
    const megabytes = graph.bytes / 1024 / 1024;
    const strangers = foreignFiles(name, graph);
    const later = graph.laterPackages.length > 0 ? `; later ${graph.laterPackages.join(", ")}` : "";
    note(
      `${name}: ${graph.files.length} files, ${graph.packages.join(", ")}${later}; ${
        megabytes.toFixed(1)
      } MB` +
        strangers.map((file) => `, ${file} is not its own`).join(""),
    );
    largest = Math.max(largest, megabytes);
    foreign += strangers.length;
  }
  return [
    {
      name: "Deployed size of the largest function, its packages whole",
      value: Math.round(largest * 10) / 10,
      unit: "MB",
      target: BUNDLE_LIMIT_MB,
      better: "lower",
    },
    {
      name: "Files of another function that a function pulls in, beside the schemas of records that it shows",
      value: foreign,
      unit: "files",
      target: 0,
      better: "equal",
    },
  ];
}

/** What is neither the function's own, nor shared by the functions, nor the shape and texts of another's record. */
function foreignFiles(name: string, { files }: ImportGraph): string[] {
  return files.map((file) => relative(FUNCTIONS, file))
    .filter((file) => ![name, "_shared"].includes(file.split(sep)[0]!))
    .filter((file) => !["schema.ts", "docs.ts"].includes(file.split(sep)[1] ?? ""));
}

function start(name: string, method: string, path: string, expect: number): Start {
  return { file: join(FUNCTIONS, name, "index.ts"), method, path: `/${name}${path}`, expect };
}

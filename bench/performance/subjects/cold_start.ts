import { join } from "node:path";
import { generateKey } from "../../../supabase/functions/_shared/keys/generate_key.ts";
import { FUNCTIONS, resources } from "../../../tools/resources.ts";
import { measureInTurns, median, ratio } from "../../harness/figures.ts";
import { spawnScript } from "../../harness/processes.ts";
import type { Subject } from "../../harness/run_subjects.ts";
import { openWorld } from "../../harness/world.ts";

const COLD_START = join(import.meta.dirname!, "..", "cold_start");
/** Maximum times, as multiples of a minimal function's time: without a query to the database, and with a query. */
const TARGET = 2;
const TARGET_DATABASE = 1.4;

interface Start {
  file: string;
  method: string;
  /** The path as the function receives it, beginning with the function's name. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  expect: number;
}

const HELLO: Start = { file: join(COLD_START, "hello.ts"), method: "GET", path: "/hello", expect: 200 };
const HELLO_DATABASE: Start = { ...HELLO, file: join(COLD_START, "hello_database.ts") };

function start(name: string, method: string, path: string, expect: number, more: Partial<Start> = {}): Start {
  return { file: join(FUNCTIONS, name, "index.ts"), method, path: `/${name}${path}`, expect, ...more };
}

interface Target {
  name: string;
  without: Start;
  withDatabase?: Start;
}

/**
 * Every function except `api-v1` and `app-v1-*`. Each has a first request that needs no database, and each except the
 * dispatcher also has a first request that needs the database.
 */
const TARGETS: Target[] = [
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

/** The time to the first reply of a function that was not running, compared with that of a minimal function. */
export const coldStart: Subject = {
  name: "cold-start",
  title: "Cold start",
  async measure({ short, note }) {
    await using world = await openWorld();
    const env = { DATABASE_URL: world.functionsDatabaseUrl, SUPABASE_URL: "https://crm.example" };
    /** Starts all in turns. Returns the slowest function's median time, divided by the median time of `least`. */
    const compare = async (least: Start, functions: Target[], startOf: (target: Target) => Start) => {
      const starts = [least, ...functions.map(startOf)];
      const times = await measureInTurns(
        starts.map((start) => () => timeFirstReply(start, env)),
        short ? 3 : 9,
      );
      const [base, ...others] = times.map(median) as [number, ...number[]];
      for (const [index, { name }] of functions.entries()) {
        note(`${name}: × ${(others[index]! / base).toFixed(2)} of ${least.path}`);
      }
      return Math.max(...others) / base;
    };
    const without = await compare(HELLO, TARGETS, (target) => target.without);
    const asking = TARGETS.filter(({ withDatabase }) => withDatabase);
    const withDatabase = await compare(HELLO_DATABASE, asking, (target) => target.withDatabase!);
    const slowest = "First reply through the database, the slowest function, to Hono and the driver alone";
    return [
      ratio("First reply of the slowest function, to Hono's hello-world", without, "lower", TARGET),
      ratio(slowest, withDatabase, "lower", TARGET_DATABASE),
    ];
  },
};

/**
 * With this flag, Deno reads dynamically imported files only when they are needed, as in a deployed bundle. Deno 2.3
 * and older do not have the flag.
 */
const LAZY = /^2\.[0-3]\./.test(Deno.version.deno) ? [] : ["--unstable-lazy-dynamic-imports"];

/** Measures the milliseconds from the start of the function's process to the end of its first reply. */
async function timeFirstReply(
  { file, path, expect, ...init }: Start,
  env: Record<string, string>,
): Promise<number> {
  const started = performance.now();
  const child = spawnScript([...LAZY, "--cached-only", join(COLD_START, "starter.ts"), file], {
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    const port = parseInt((await reader.read()).value ?? "");
    if (!(port > 0)) throw new Error(`${file} does not start; see the error above`);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const text = await response.text();
    if (response.status !== expect) {
      throw new Error(`${file}, ${init.method} ${path}: ${response.status} ${text}`);
    }
    return performance.now() - started;
  } finally {
    child.kill("SIGKILL");
    await Promise.all([child.status, reader.cancel()]);
  }
}

import { join } from "node:path";
import { type Server, startServer } from "../../harness/functions.ts";
import { openLineProcess, spawnScript } from "../../harness/processes.ts";
import { openWorld } from "../../harness/world.ts";
import type { LoadPlan, LoadResult } from "./generator_process.ts";
import { seedWorkspaces, type Sizes } from "./workspaces.ts";

export type LoadWorld = Awaited<ReturnType<typeof openLoadWorld>>;

/** Starts a process that sends requests. @param priority Unix niceness; 19 is the lowest priority */
export function startGenerator(priority?: number) {
  const script = join(import.meta.dirname!, "generator_process.ts");
  const args = priority === undefined ? [script] : [script, String(priority)];
  const process = openLineProcess(spawnScript(args, { stdin: "piped", stdout: "piped" }), script);
  return {
    ...process,
    send: async (plan: LoadPlan): Promise<LoadResult> => JSON.parse(await process.request(plan)),
  };
}

export async function openLoadWorld(sizes: Sizes) {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await openWorld({ max: 2 }));
  const { send } = stack.use(startGenerator());
  const workspaces = await seedWorkspaces(world.sql, sizes);
  const opened = stack.move();
  return {
    ...world,
    workspaces,
    send,
    /** Serves the functions from this database. @param folders of further functions */
    serve: (env: Record<string, string>, folders?: string[]): Promise<Server> =>
      startServer(
        { DATABASE_URL: world.functionsDatabaseUrl, OWNER_DATABASE_URL: world.databaseUrl, ...env },
        folders,
      ),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export function countAnswers({ latencies }: LoadResult): number {
  return latencies.reduce((total, { length }) => total + length, 0);
}

/**
 * Sends requests, and returns how many were answered in how many seconds.
 * @throws Error if an answer was not as expected, because such answers would falsify the rate
 */
export async function sendFlawlessly(send: LoadWorld["send"], plan: LoadPlan) {
  const result = await send(plan);
  const { unexpected, unanswered, example, seconds } = result;
  const count = countAnswers(result);
  if (unexpected + unanswered === 0) return { count, seconds };
  throw new Error(
    `Of ${count} answers ${unexpected} were not as expected, ${unanswered} had none: ${example}`,
  );
}

import { join } from "node:path";
import { type Server, startServer } from "../../harness/functions.ts";
import { startLineProcess } from "../../harness/processes.ts";
import { openWorld } from "../../harness/world.ts";
import type { LoadPlan, LoadResult } from "./generator_process.ts";
import { seedWorkspaces, type Sizes } from "./workspaces.ts";

export type LoadWorld = Awaited<ReturnType<typeof openLoadWorld>>;

/** Starts a Postgres with workspaces, and a process that sends requests. */
export async function openLoadWorld(sizes: Sizes) {
  const world = await openWorld({ max: 2 });
  const generator = startLineProcess([join(import.meta.dirname!, "generator_process.ts")]);
  async function close() {
    await generator[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  }
  try {
    return {
      ...world,
      workspaces: await seedWorkspaces(world.sql, sizes),
      generatorPid: generator.pid,
      /** Sends requests from a process apart from the one that answers them. */
      send: async (plan: LoadPlan): Promise<LoadResult> => JSON.parse(await generator.request(plan)),
      /** Serves the functions from this database. @param folders of further functions */
      serve: (env: Record<string, string>, folders?: string[]): Promise<Server> =>
        startServer(
          { DATABASE_URL: world.functionsDatabaseUrl, BARE_DATABASE_URL: world.databaseUrl, ...env },
          folders,
        ),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The number of requests that were answered. */
export function countAnswers({ latencies }: LoadResult): number {
  return latencies.reduce((total, { length }) => total + length, 0);
}

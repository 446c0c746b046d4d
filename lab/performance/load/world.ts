import { type Server, startServer } from "../../harness/functions.ts";
import { openWorld, type World } from "../../harness/world.ts";
import { type LoadGenerator, startLoadGenerator } from "./generator.ts";
import { type LoadWorkspace, seedWorkspaces, type Sizes } from "./workspaces.ts";

/** A Postgres with workspaces, and a load generator. */
export interface LoadWorld extends World {
  workspaces: LoadWorkspace[];
  generator: LoadGenerator;
  /** Serves the functions from this database. @param folders of further functions */
  serve(env: Record<string, string>, folders?: string[]): Promise<Server>;
}

export async function openLoadWorld(sizes: Sizes): Promise<LoadWorld> {
  const world = await openWorld({ max: 2 });
  const generator = startLoadGenerator();
  async function close() {
    await generator[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  }
  try {
    return {
      ...world,
      workspaces: await seedWorkspaces(world.sql, sizes),
      generator,
      serve: (env, folders) => startServer({ DATABASE_URL: world.databaseUrl, ...env }, folders),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

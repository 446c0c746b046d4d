import type { Hono } from "hono";
import { addressNotLive } from "../contract/errors.ts";
import { createCall, functionApp, type RequestHandler } from "./app.ts";
import { outcomeWithoutDatabase } from "./outcome.ts";
import { PACES } from "./pace.ts";
import { respond } from "./respond.ts";

/**
 * Creates the handler for a path that the spec reserves: it answers 404 to any method, with or without a key (spec
 * 4.5).
 *
 * @param addLive adds the live paths below the reserved path
 */
export function serveNotLive(name: string, addLive?: (app: Hono) => void): RequestHandler {
  const app = functionApp(name, "key");
  const error = addressNotLive(name);
  addLive?.(app);
  app.all("*", async (c) => {
    const call = createCall(c, name, { gateName: "none", gate: null, target: error });
    await PACES.none.wait();
    return respond(call, outcomeWithoutDatabase(error));
  });
  return app.fetch;
}

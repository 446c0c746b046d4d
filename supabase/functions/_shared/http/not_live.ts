import { ApiError } from "../contract/errors.ts";
import { functionApp, type RequestHandler, toCall } from "./app.ts";
import { unasked } from "./outcome.ts";
import { respond } from "./respond.ts";

/** The handler of an address that is announced but not live: 404, any method, with or without a key (spec 4.5). */
export function serveNotLive(name: string): RequestHandler {
  const app = functionApp(name);
  const error = new ApiError("not_found");
  app.all("*", (c) => respond(toCall(c, name, "none", error), unasked(error)));
  return app.fetch;
}

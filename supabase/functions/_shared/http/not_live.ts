import { functionApp, type RequestHandler } from "./app.ts";
import { ApiError } from "../contract/errors.ts";
import { errorReply, identified } from "./reply.ts";

/** The handler of an address that is announced but not live: 404, any method, with or without a key (spec 4.5). */
export function serveNotLive(name: string): RequestHandler {
  const app = functionApp(name);
  app.all("*", () => identified(errorReply(new ApiError("not_found"))));
  return app.fetch;
}

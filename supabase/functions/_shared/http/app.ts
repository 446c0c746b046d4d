import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import type { Endpoint, GateName } from "../contract/endpoint.ts";
import type { ApiError } from "../contract/errors.ts";
import { IDEMPOTENCY_HEADER } from "./idempotency.ts";
import type { Call } from "./outcome.ts";
import { REPLY_HEADERS } from "./reply.ts";

/** A handler for Deno.serve. */
export type RequestHandler = (request: Request) => Response | Promise<Response>;

/**
 * Creates a Hono app with the function's name as its base path: on Supabase and behind the local gateway, the path of
 * every request starts with `/<name>`. Environment: CORS_ALLOWED_ORIGINS, origins separated by commas.
 */
export function functionApp(name: string): Hono {
  const app = new Hono({ strict: false }).basePath(`/${name}`);
  const origins = Deno.env.get("CORS_ALLOWED_ORIGINS");
  // CORS is off by default: an API key must not be used in a browser, where its user can read it.
  if (origins) {
    app.use(async (c, next) => {
      await next();
      // The answer to a preflight request is not made by `respond`.
      c.header("X-Content-Type-Options", "nosniff");
    });
    app.use(cors({
      origin: origins.split(",").map((origin) => origin.trim()),
      allowHeaders: ["Content-Type", "X-API-Key", IDEMPOTENCY_HEADER],
      exposeHeaders: [...REPLY_HEADERS],
    }));
  }
  return app;
}

/** Creates the call for a request that Hono has routed, with a new id and the current time. */
export function createCall(c: Context, resource: string, gate: GateName, target: Endpoint | ApiError): Call {
  return {
    id: crypto.randomUUID(),
    started: performance.now(),
    request: c.req.raw,
    method: c.req.method,
    resource,
    gate,
    params: { id: c.req.param("id"), token: c.req.param("token") },
    target,
  };
}

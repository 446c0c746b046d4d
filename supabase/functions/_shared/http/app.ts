import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import type { Endpoint, GateName } from "../contract/endpoint.ts";
import type { ApiError } from "../contract/errors.ts";
import { IDEMPOTENCY_HEADER } from "./idempotency.ts";
import type { Call } from "./outcome.ts";
import { REPLY_HEADERS } from "./reply.ts";

/** What Deno.serve takes. */
export type RequestHandler = (request: Request) => Response | Promise<Response>;

/**
 * A Hono app under the function's own name: on Supabase and in the local gateway a function sees `/<name>/…`.
 * Environment: CORS_ALLOWED_ORIGINS, origins separated by commas.
 */
export function functionApp(name: string): Hono {
  const app = new Hono({ strict: false }).basePath(`/${name}`);
  const origins = Deno.env.get("CORS_ALLOWED_ORIGINS");
  // Off unless asked for: an integrator's key does not belong in a browser.
  if (origins) {
    app.use(cors({
      origin: origins.split(",").map((origin) => origin.trim()),
      allowHeaders: ["Content-Type", "X-API-Key", IDEMPOTENCY_HEADER],
      exposeHeaders: [...REPLY_HEADERS],
    }));
  }
  return app;
}

/** The request that Hono has routed, with its id and the time it came in. */
export function toCall(c: Context, resource: string, gate: GateName, target: Endpoint | ApiError): Call {
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

import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import type { GateName } from "../contract/declaration.ts";
import { WORKSPACE_HEADER } from "./gates.ts";
import { IDEMPOTENCY_HEADER } from "./idempotency.ts";
import type { Call } from "./call.ts";
import { appOrigin } from "../runtime/service.ts";
import { REPLY_HEADERS } from "./reply.ts";

export type RequestHandler = (request: Request) => Response | Promise<Response>;

/** The request headers that a page may send. */
const ALLOWED_HEADERS: Record<GateName, string[]> = {
  key: [
    "Content-Type",
    "X-API-Key",
    "Authorization",
    IDEMPOTENCY_HEADER,
    "If-Match",
    "If-None-Match",
    "Prefer",
  ],
  // The headers that Supabase's client adds, and the choice of the workspace.
  session: ["Authorization", "apikey", "X-Client-Info", "Content-Type", WORKSPACE_HEADER],
  link: ["Content-Type"],
  none: ["Content-Type"],
};

/**
 * Creates a Hono app with the base path `/<name>`: on Supabase and behind the local gateway, the path of every request
 * starts with it. Environment: CORS_ALLOWED_ORIGINS, comma-separated origins whose pages may call everything that needs
 * no session; APP_ORIGIN, the address of the console, whose pages may use sessions and public links.
 */
export function functionApp(name: string, gate: GateName): Hono {
  const app = new Hono({ strict: false }).basePath(`/${name}`);
  const origins = allowedOrigins(gate);
  // CORS is off by default, because a browser's user can read the API key that a page sends.
  if (origins.length > 0) {
    const allow = cors({
      origin: origins,
      allowHeaders: ALLOWED_HEADERS[gate],
      exposeHeaders: [...REPLY_HEADERS, "Deprecation", "Sunset", "Link"],
      // By default browsers keep a preflight reply for only 5 s: many calls of the console would need a new one.
      maxAge: 600,
    });
    app.use(async (c, next) => {
      // Only browsers send Origin, so CORS is skipped for other clients: OPTIONS gets a 405, and no reply gets CORS
      // headers. Adding these would make Hono send the body of a finished reply in chunks.
      if (c.req.header("Origin") === undefined) return await next();
      // `respond` does not create the reply to a preflight request, so this header is set here.
      const preflight = await allow(c, next);
      preflight?.headers.set("X-Content-Type-Options", "nosniff");
      return preflight;
    });
  }
  return app;
}

/** The origins whose pages may call functions with this gate. */
export function allowedOrigins(gate: GateName): string[] {
  const listed = gate === "session" ? [] : (Deno.env.get("CORS_ALLOWED_ORIGINS") ?? "").split(",");
  const console = gate === "session" || gate === "link" ? appOrigin() : "";
  return [...listed.map((origin) => origin.trim()), console].filter((origin) => origin !== "");
}

/** Creates the call for a routed request, with a new request id and the current time. */
export function createCall(
  c: Context,
  resource: string,
  routed: Pick<Call, "gateName" | "gate" | "target">,
): Call {
  return {
    id: crypto.randomUUID(),
    started: performance.now(),
    request: c.req.raw,
    method: c.req.method,
    resource,
    ...routed,
    params: c.req.param(),
  };
}

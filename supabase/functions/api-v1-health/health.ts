import { functionApp, type RequestHandler } from "../_shared/http/app.ts";
import { query } from "../_shared/postgres/database.ts";
import { ApiError } from "../_shared/contract/errors.ts";
import { errorReply, identified, jsonReply } from "../_shared/http/reply.ts";
import { SERVICE_VERSION } from "../_shared/runtime/service.ts";

/** Milliseconds after which a database that doesn't answer counts as away. */
const PATIENCE_MS = 3_000;

/** GET: 200 when the service can answer requests, 503 when its database is away. Needs no key. */
export function serveHealth(): RequestHandler {
  const app = functionApp("api-v1-health");
  app.get("/", async () => {
    const database = await probe();
    const [code, status] = database.status === "up" ? [200, "ok"] as const : [503, "unavailable"] as const;
    return identified(jsonReply(code, JSON.stringify({ status, version: SERVICE_VERSION, database })));
  });
  app.all("/", () => {
    const response = identified(errorReply(new ApiError("method_not_allowed")));
    response.headers.set("Allow", "GET");
    return response;
  });
  app.all("*", () => identified(errorReply(new ApiError("not_found"))));
  return app.fetch;
}

async function probe(): Promise<{ status: "up" | "down"; version: string | null }> {
  try {
    const [row] = await query<{ version: string }>({
      name: "server_version",
      text: "select current_setting('server_version') as version",
      timeout: PATIENCE_MS,
    });
    return { status: "up", version: row!.version };
  } catch {
    // Why is not for the public: it is in the database's log and in the next request's.
    return { status: "down", version: null };
  }
}

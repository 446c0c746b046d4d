import type { z } from "zod";
import { query } from "../_shared/postgres/database.ts";
import { SERVICE_VERSION } from "../_shared/runtime/service.ts";
import type { Health } from "./schema.ts";

/** Milliseconds after which a database that does not answer counts as away. */
const PATIENCE_MS = 3_000;

type Report = z.output<typeof Health>;

/** 200 when the service can answer requests, 503 when its database is away. */
export async function checkHealth(): Promise<{ status: 200 | 503; body: Report }> {
  const database = await checkDatabase();
  const [code, status] = database.status === "up" ? [200, "ok"] as const : [503, "unavailable"] as const;
  return { status: code, body: { status, version: SERVICE_VERSION, database } };
}

async function checkDatabase(): Promise<Report["database"]> {
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

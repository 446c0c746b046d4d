import type { z } from "zod";
import { query } from "../_shared/postgres/database.ts";
import { SERVICE_VERSION } from "../_shared/runtime/service.ts";
import type { Health } from "./schema.ts";

/** Milliseconds without an answer after which the database counts as unavailable. */
const TIMEOUT_MS = 3_000;

type Report = z.output<typeof Health>;

/** Returns 200 if the service can answer requests, 503 if its database is unavailable. */
export async function checkHealth(): Promise<{ status: 200 | 503; body: Report }> {
  const { webhooks, ...database } = await checkDatabase();
  const [code, status] = database.status === "up" ? [200, "ok"] as const : [503, "unavailable"] as const;
  return { status: code, body: { status, version: SERVICE_VERSION, database, webhooks } };
}

async function checkDatabase(): Promise<Report["database"] & Pick<Report, "webhooks">> {
  try {
    const [row] = await query<Pick<Report, "webhooks"> & { read_only: boolean }>({
      name: "check_health",
      text:
        "select crm.check_health() as webhooks, current_setting('transaction_read_only')::boolean as read_only",
      timeout: TIMEOUT_MS,
    });
    const { read_only, webhooks } = row!;
    // Every call writes: it counts against its rate limit.
    return { status: read_only ? "down" : "up", webhooks };
  } catch {
    // The cause must not be public. It is in the log of the database, and in that of the next failed request.
    return { status: "down", webhooks: null };
  }
}

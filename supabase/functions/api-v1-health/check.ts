import type { z } from "zod";
import { query } from "../_shared/postgres/database.ts";
import { SERVICE_VERSION } from "../_shared/runtime/service.ts";
import type { Health } from "./schema.ts";

/** Milliseconds after which a database without an answer counts as unavailable. */
const TIMEOUT_MS = 3_000;

type Report = z.output<typeof Health>;

/** Status 200 if the service can answer requests; 503 if its database is unavailable or read-only. */
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
    // A read-only database cannot answer calls, because every call writes its count for the rate limit.
    return { status: read_only ? "down" : "up", webhooks };
  } catch {
    // Without the cause, which must not be public. The next request that fails logs the cause.
    return { status: "down", webhooks: null };
  }
}

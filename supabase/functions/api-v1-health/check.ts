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
    const [row] = await query<Pick<Report, "webhooks">>({
      name: "check_health",
      text: "select crm.check_health() as webhooks",
      timeout: TIMEOUT_MS,
    });
    return { status: "up", ...row! };
  } catch {
    // The cause must not be public. It is in the log of the database, and in that of the next failed request.
    return { status: "down", webhooks: null };
  }
}

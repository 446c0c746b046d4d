import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { shareResult } from "../_shared/runtime/share_result.ts";
import { SERVICE_VERSION } from "../_shared/runtime/service.ts";
import { checkHealth } from "./check.ts";
import { Health } from "./schema.ts";

export const health = resource("api-v1-health", {
  "GET /": endpoint({
    summary: doc("Diz se o serviço está no ar", "Show whether the service is up"),
    gate: "none",
    operation: "health",
    reply: Health,
    replies: {
      200: doc("Está no ar", "It is up"),
      503: doc("O banco de dados está fora do ar", "The database is unavailable", {
        status: "unavailable",
        version: SERVICE_VERSION,
        database: { status: "down" },
        webhooks: null,
      }),
    },
    // Anybody may call it, so that however often it is called the database gets one query a second.
    answer: shareResult(checkHealth, 1_000),
  }),
}, doc("O estado do serviço", "The state of the service"));

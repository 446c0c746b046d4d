import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { SERVICE_VERSION } from "../_shared/runtime/service.ts";
import { Health } from "./schema.ts";

export const health = resource("api-v1-health", {
  "GET /": endpoint({
    summary: doc("Diz se o serviço está no ar", "Show whether the service is up"),
    gate: "none",
    operation: "health",
    reply: Health,
    replies: {
      200: doc("Está no ar", "It is up"),
      503: doc(
        "O banco de dados está fora do ar ou só aceita leituras",
        "The database is unavailable or read-only",
        {
          status: "unavailable",
          version: SERVICE_VERSION,
          database: { status: "down" },
          webhooks: null,
        },
      ),
    },
  }),
}, doc("O estado do serviço", "The state of the service"));

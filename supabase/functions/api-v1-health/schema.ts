import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { SERVICE_VERSION } from "../_shared/runtime/service.ts";

/** The reply to the health check, with status 200 or 503. */
export const Health = z.object({
  status: z.enum(["ok", "unavailable"]),
  version: z.string(),
  database: z.object({ status: z.enum(["up", "down"]) }),
  webhooks: z.enum(["ok", "degraded"]).nullable(),
}).meta({
  id: "Health",
  ...doc("O estado do serviço", "The state of the service"),
  fields: {
    status: doc("Se pode atender", "Whether it can answer"),
    version: doc("Versão", "Version", SERVICE_VERSION),
    database: doc("O banco de dados", "The database"),
    webhooks: doc(
      "`degraded`: há entregas à espera há mais de um minuto, e nada as envia; `null` sem banco de dados",
      "`degraded`: deliveries have waited for over a minute and nothing sends them; `null` without a database",
      "ok",
    ),
  },
});

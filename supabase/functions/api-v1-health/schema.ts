import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { field, object } from "../_shared/contract/object.ts";
import { SERVICE_VERSION } from "../_shared/runtime/service.ts";

export const Health = object({
  status: field(z.enum(["ok", "unavailable"]), ["Se pode atender", "Whether it can answer"]),
  version: field(z.string(), ["Versão", "Version", SERVICE_VERSION]),
  database: field(z.object({ status: z.enum(["up", "down"]) }), ["O banco de dados", "The database"]),
  webhooks: field(z.enum(["ok", "degraded"]).nullable(), [
    "`degraded`: há entregas à espera há mais de um minuto, e nada as envia; `null` sem banco de dados",
    "`degraded`: deliveries have waited for over a minute and nothing sends them; `null` without a database",
    "ok",
  ]),
}).meta(named("Health", "O estado do serviço", "The state of the service"));

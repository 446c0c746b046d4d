import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { field, object } from "../_shared/contract/object.ts";
import { SERVICE_VERSION } from "../_shared/runtime/service.ts";

export const Health = object({
  status: z.enum(["ok", "unavailable"]),
  version: field(z.string(), ["Versão", "Version", SERVICE_VERSION]),
  database: field(z.object({ status: z.enum(["up", "down"]) }), ["O banco de dados", "The database"]),
  // Null without a database.
  webhooks: z.enum(["ok", "degraded"]).nullable(),
}).meta(named("Health", "O estado do serviço", "The state of the service"));

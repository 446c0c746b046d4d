import { z } from "zod";
import { doc } from "../supabase/functions/_shared/contract/doc.ts";
import { SERVICE_VERSION } from "../supabase/functions/_shared/runtime/service.ts";
import { exampleOf } from "./examples.ts";
import type { ErrorReplies } from "./error_replies.ts";

/** What the health check answers, 200 and 503 alike. */
export const Health = z.object({
  status: z.enum(["ok", "unavailable"]),
  version: z.string(),
  database: z.object({ status: z.enum(["up", "down"]), version: z.string().nullable() }).meta({
    fields: { version: doc("Versão do Postgres", "Version of Postgres", "17.4") },
  }),
}).meta({
  id: "Health",
  ...doc("O estado do serviço", "The state of the service"),
  fields: {
    status: doc("Se pode atender", "Whether it can answer"),
    version: doc("Versão", "Version", SERVICE_VERSION),
    database: doc("O banco de dados", "The database"),
  },
});

/** The one address that needs no key; it is no resource, so it is written down here. */
export function healthPath(errors: ErrorReplies): Record<string, unknown> {
  const { schemas } = errors;
  const schema = schemas.add(Health, "output");
  const example = exampleOf(schema, schemas, "output");
  const reply = (text: object, example: unknown) => ({
    ...text,
    content: { "application/json": { schema, example } },
  });
  return {
    "/api-v1-health": {
      get: {
        operationId: "health",
        tags: ["health"],
        summary: "Diz se o serviço está no ar",
        summary_en: "Tell whether the service is up",
        security: [],
        responses: {
          200: reply(doc("Está no ar", "It is up"), example),
          ...errors.of(["method_not_allowed"]),
          503: reply(doc("O banco de dados está fora do ar", "The database is away"), {
            status: "unavailable",
            version: SERVICE_VERSION,
            database: { status: "down", version: null },
          }),
        },
      },
    },
  };
}

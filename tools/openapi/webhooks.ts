import { type Doc, doc } from "../../supabase/functions/_shared/contract/doc.ts";
import { EVENT_TYPES, EVENTS, type EventType } from "../../supabase/functions/_shared/contract/events.ts";
import { deliveryBody, deliveryExample } from "./events.ts";
import type { Schemas } from "./schemas.ts";

/** The tag of deliveries, the requests that the service itself sends. */
export const DELIVERIES = "deliveries";

/** The deliveries that a receiver gets, as OpenAPI `webhooks`. */
export function webhooks(schemas: Schemas): Record<string, unknown> {
  return Object.fromEntries(EVENT_TYPES.map((event) => [event, { post: delivery(event, schemas) }]));
}

function delivery(event: EventType, schemas: Schemas) {
  const { when } = EVENTS[event];
  const schema = schemas.add(deliveryBody(event), "output");
  return {
    operationId: `on_${event.replace(".", "_")}`,
    tags: [DELIVERIES],
    summary: when.description,
    summary_en: when.description_en,
    security: [],
    parameters: [
      header("X-Service-Event", doc("O evento", "The event"), { type: "string", const: event }),
      ...Object.keys(deliveryHeaders()).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    requestBody: {
      required: true,
      content: { "application/json": { schema, example: deliveryExample(event, schemas) } },
    },
    responses: {
      "2XX": doc("Recebido; o corpo não é lido", "Received; the body is not read"),
      default: doc(
        "Falha, redirecionamentos inclusive: nova tentativa após 30 segundos, 5 minutos, 30 minutos e 6 horas",
        "A failure, redirects included: tried again after 30 seconds, 5 minutes, 30 minutes and 6 hours",
      ),
    },
  };
}

const SIGNATURE = { type: "string", pattern: "^sha256=[0-9a-f]{64}$" };

/** The headers that have the same form in every delivery (spec 6.3, 6.4), as parameters of the document. */
export function deliveryHeaders(): Record<string, unknown> {
  return Object.fromEntries(
    [
      header(
        "X-Service-Event-Id",
        doc(
          "Identificador do evento, o mesmo nas entregas a outras assinaturas e em GET /api-v1-events",
          "The event's id, the same in deliveries to other subscriptions and in GET /api-v1-events",
        ),
        { type: "string", format: "uuid" },
      ),
      header(
        "X-Service-Delivery-Id",
        doc(
          "Identificador da entrega, para descartar repetições",
          "The delivery's id; use it to drop repetitions",
        ),
        { type: "string", format: "uuid" },
      ),
      header(
        "X-Service-Timestamp",
        doc(
          "Segundos Unix da tentativa. Recuse um horário que difira do seu relógio em mais de 5 minutos: alguém pode " +
            "estar repetindo uma entrega antiga",
          "Unix time of the attempt, in seconds. Refuse a time that differs from your clock by more than 5 minutes: " +
            "somebody may be repeating an old delivery",
        ),
        { type: "string", pattern: "^[0-9]+$" },
      ),
      header(
        "X-Service-Signature",
        doc(
          "`sha256=` e o HMAC-SHA256, em hexadecimal, de `<timestamp>.<corpo>` com o segredo da assinatura",
          "`sha256=` and the HMAC-SHA256, in hex, of `<timestamp>.<raw body>` with the subscription's secret",
        ),
        SIGNATURE,
      ),
      {
        ...header(
          "X-Service-Signature-Next",
          doc(
            "A mesma assinatura com o segredo novo; só durante a troca do segredo (POST /api-v1-webhooks/<id>/rotate-secret)",
            "The same signature with the new secret; only while the secret is being replaced (POST " +
              "/api-v1-webhooks/<id>/rotate-secret)",
          ),
          SIGNATURE,
        ),
        required: false,
      },
    ].map((parameter) => [parameter.name, parameter]),
  );
}

function header(name: string, text: Doc, schema: Record<string, unknown>) {
  return { name, in: "header", required: true, ...text, schema };
}

import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { datetime, timestamp, uuid } from "../_shared/contract/fields.ts";
import { knownEvent } from "./record.ts";

/** Maximum seconds for which a replaced secret still signs: 7 days. */
const MAX_OVERLAP_SECONDS = 604_800;

export const TestOptions = z.object({ event_type: knownEvent().optional() }).meta({
  id: "TestOptions",
  ...doc("O evento a testar", "The event to test"),
  fields: {
    event_type: doc(
      "Um dos eventos da assinatura; o primeiro se ausente",
      "One of the subscription's events; the first if absent",
    ),
  },
});

export const TestSent = z.object({ delivery_id: uuid(), held: z.boolean() }).meta({
  id: "TestSent",
  ...doc("A entrega de teste", "The test delivery"),
  fields: {
    delivery_id: doc("A entrega do evento de teste", "The delivery of the test event"),
    held: doc(
      "Se ela aguarda porque o workspace está suspenso ou sem a API pública",
      "Whether it waits because the workspace is suspended or has no public API",
      false,
    ),
  },
});

/** The body of a recovery: a period of time. */
export const RecoveryWindow = z.object({ since: datetime(), until: datetime().optional() }).meta({
  id: "RecoveryWindow",
  ...doc("Os eventos a recuperar", "The events to recover"),
  fields: {
    since: doc(
      "Eventos a partir deste momento, que já passou: ISO 8601; sem fuso, UTC",
      "Events at or after this moment in the past: ISO 8601; without an offset, UTC",
      "2026-11-20T18:00:00Z",
    ),
    until: doc(
      "Eventos antes deste momento; agora se ausente",
      "Events before this moment; now if absent",
    ),
  },
});

export const Recovery = z.object({
  count: z.int(),
  has_more: z.boolean(),
  next_since: timestamp().nullable(),
}).meta({
  id: "Recovery",
  ...doc("O que foi posto na fila", "What was queued"),
  fields: {
    count: doc("Entregas postas na fila, 50.000 no máximo", "Deliveries queued, 50,000 at most", 137),
    has_more: doc(
      "Se há mais na janela: repita com since igual a next_since",
      "Whether the window has more: repeat with next_since as since",
      false,
    ),
    next_since: doc("Onde continuar; null se não há mais", "Where to continue; null if there is no more"),
  },
});

export const SecretRotation = z.object({ overlap_seconds: z.int().min(0).max(MAX_OVERLAP_SECONDS) }).meta({
  id: "SecretRotation",
  ...doc("Como trocar o segredo", "How to replace the secret"),
  fields: {
    overlap_seconds: doc(
      "Por quantos segundos X-Service-Signature ainda é do segredo antigo, e X-Service-Signature-Next do novo; 0: troca " +
        "já",
      "For how many seconds X-Service-Signature still uses the old secret, and X-Service-Signature-Next the new one; 0: " +
        "replace at once",
      86_400,
    ),
  },
});

const RevokedMaker = z.object({ id: uuid(), name: z.string(), prefix: z.string() }).meta({
  id: "RevokedMaker",
  ...doc("Uma chave revogada", "A key that is revoked"),
  fields: {
    name: doc("Nome", "Name", "Site"),
    prefix: doc("Começo da chave", "The first characters of the key", "svc_u8g0YZp1"),
  },
});

/** The fields that the reply to a reactivation adds to the subscription. */
export const reactivation = {
  fields: { resumed: z.int(), revoked_key: RevokedMaker.nullable() },
  texts: {
    resumed: doc("Quantas entregas aguardavam", "How many deliveries were waiting", 3),
    revoked_key: doc(
      "A chave que criou a assinatura, se está revogada",
      "The key that created the subscription, if it is revoked",
    ),
  },
};

import { z } from "zod";
import { doc, named } from "../_shared/contract/doc.ts";
import { datetime, timestamp, uuid } from "../_shared/contract/fields.ts";
import { field, object } from "../_shared/contract/object.ts";
import { held, Redeliveries, RedeliveryList } from "./delivery.ts";
import { knownEvent } from "./record.ts";

/** Maximum seconds for which a replaced secret still signs: 7 days. */
const MAX_OVERLAP_SECONDS = 604_800;

const TestOptions = object({
  event_type: field(knownEvent().optional(), [
    "Um dos eventos da assinatura; o primeiro se ausente",
    "One of the subscription's events; the first if absent",
  ]),
}).meta(named("TestOptions", "O evento a testar", "The event to test"));

const TestSent = object({
  delivery_id: field(uuid(), ["A entrega do evento de teste", "The delivery of the test event"]),
  held,
}).meta(named("TestSent", "A entrega de teste", "The test delivery"));

/** The body of a recovery: the period whose events are sent. */
const RecoveryWindow = object({
  since: field(datetime(), [
    "Eventos a partir deste momento, que já passou: ISO 8601; sem fuso, UTC",
    "Events at or after this moment in the past: ISO 8601; without an offset, UTC",
    "2026-11-20T18:00:00Z",
  ]),
  until: field(datetime().optional(), [
    "Eventos antes deste momento; agora se ausente",
    "Events before this moment; now if absent",
  ]),
  before_creation: field(z.boolean().nullish(), [
    "true: também eventos de antes da criação da assinatura",
    "true: also events from before the subscription was created",
    false,
  ]),
  dry_run: field(z.boolean().nullish(), [
    "true: só responde quantos seriam enviados",
    "true: only answers how many would be sent",
    false,
  ]),
}).meta(named("RecoveryWindow", "Os eventos a recuperar", "The events to recover"));

export const Recovery = object({
  count: field(z.int(), [
    "Entregas postas na fila, 20.000 no máximo; com dry_run, as que seriam postas",
    "Deliveries queued, 20,000 at most; with dry_run, those that would be queued",
    137,
  ]),
  has_more: field(z.boolean(), [
    "Se o período tem mais eventos; se sim, repita a chamada com next_since em since",
    "Whether the period has more events; if so, repeat the call with next_since as since",
    false,
  ]),
  next_since: field(timestamp().nullable(), [
    "Onde continuar; null se não há mais",
    "Where to continue; null if there is no more",
  ]),
  since: field(timestamp(), [
    "O início do período: o since da chamada ou, se posterior, a criação da assinatura",
    "The start of the period: the since of the call or, if later, the subscription's creation",
    "2026-11-20T18:00:00.000Z",
  ]),
}).meta(named("Recovery", "O que foi posto na fila", "What was queued"));

const errors = ["subscription_inactive", "queue_full"] as const;

/** The declarations of the endpoints that keys and members share, without scope or role, and without the verb. */
export const operations = {
  redeliver: {
    summary: doc("Reenvia várias entregas", "Send several deliveries again"),
    body: RedeliveryList,
    reply: Redeliveries,
    errors,
  },
  test: {
    summary: doc("Envia um evento de teste", "Send a test event"),
    body: TestOptions,
    bodyOptional: true,
    reply: TestSent,
    errors,
  },
  recover: {
    summary: doc("Envia os eventos que faltaram", "Send the events that were missed"),
    body: RecoveryWindow,
    reply: Recovery,
    status: 202,
    errors,
  },
} as const;

export const SecretRotation = object({
  overlap_seconds: field(z.int().min(0).max(MAX_OVERLAP_SECONDS), [
    "Por quantos segundos X-Service-Signature ainda usa o segredo antigo, e X-Service-Signature-Next, o novo; 0: " +
    "troca na hora",
    "For how many seconds X-Service-Signature still uses the old secret, and X-Service-Signature-Next the new one; 0: " +
    "replace at once",
    86_400,
  ]),
}).meta(named("SecretRotation", "Como trocar o segredo", "How to replace the secret"));

const RevokedMaker = object({
  id: uuid(),
  name: field(z.string(), ["Nome", "Name", "Site"]),
  prefix: field(z.string(), ["Começo da chave", "The first characters of the key", "svc_u8g0YZp1"]),
}).meta(named("RevokedMaker", "Uma chave revogada", "A key that is revoked"));

/** The fields that the reply to a reactivation adds to the subscription. */
export const reactivation = {
  resumed: field(z.int(), ["Quantas entregas aguardavam", "How many deliveries were waiting", 3]),
  revoked_key: field(RevokedMaker.nullable(), [
    "A chave que criou a assinatura, se está revogada",
    "The key that created the subscription, if it is revoked",
  ]),
};

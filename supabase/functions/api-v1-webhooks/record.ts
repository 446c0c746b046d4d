import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { EVENT_TYPES, isEventType } from "../_shared/contract/events.ts";
import { MAX_URL_LENGTH, text, timestamp, withCode } from "../_shared/contract/fields.ts";
import { record } from "../_shared/contract/record.ts";
import * as field from "../_shared/contract/record_fields.ts";
import { checkTarget } from "../_shared/webhooks/target.ts";
import { Filters, StoredFilters } from "./filters.ts";
import { HeaderName, OwnHeader } from "./own_header.ts";

export const knownEvent = () =>
  z.string()
    .refine(isEventType, withCode("invalid_event_type", `Deve ser um de ${EVENT_TYPES.join(", ")}`))
    .meta({ enum: [...EVENT_TYPES] });

const publicTarget = () =>
  text(MAX_URL_LENGTH, 1)
    .refine((url) => checkTarget(url).ok, {
      params: { code: "invalid_target_url" },
      error: ({ input }) => {
        const target = checkTarget(String(input));
        return target.ok ? undefined : target.message;
      },
    })
    .overwrite(withPlainHost)
    .meta({ minLength: 1, maxLength: MAX_URL_LENGTH, format: "uri" });

/**
 * Writes a target's host as the URL parser does, without a root dot (`ex%61mple.com.` becomes `example.com`): the limit
 * on attempts to a host compares hosts as text. Returns an invalid target unchanged.
 */
function withPlainHost(text: string): string {
  const target = checkTarget(text);
  if (!target.ok) return text;
  const { protocol, hostname, port } = target.url;
  const host = hostname.replace(/\.$/, "") + (port && `:${port}`);
  const plain = text.replace(/^\w+:\/*[^/?]*/, () => `${protocol}//${host}`);
  // The text may be too long by now: punycode is longer than the name for which it stands.
  return plain.length > MAX_URL_LENGTH ? text : plain;
}

/**
 * A webhook subscription (spec 2.6). Its signing secret and the value of its own header are in another table. Only the
 * reply that creates the secret shows the secret (schema.ts), and no reply shows the header's value.
 */
export const subscription = record("subscription", {
  table: "webhook_subscriptions",
  schema: "Subscription",
  text: doc("Uma assinatura de webhook", "A webhook subscription"),
  create: doc("Uma assinatura a criar", "A subscription to create"),
  update: doc("Mudanças numa assinatura", "Changes of a subscription"),
}, {
  // The function creates the id: it encrypts the secret for this id before the row exists (routes.ts).
  id: field.readOnlyId({ written: "by the verb" }),
  event_types: field.eventTypes(
    // Removes duplicates: a type that is listed twice means the same as once.
    z.array(knownEvent()).min(1).transform((events) => [...new Set(events)]),
    z.array(z.enum(EVENT_TYPES)),
    {
      text: doc("Os eventos assinados", "The events subscribed to", ["lead.received", "deal.won"]),
      presence: "required",
    },
  ),
  target_url: field.textWith(publicTarget(), {
    text: doc(
      "Endereço que recebe as entregas: https e público",
      "The address that deliveries go to: https and public",
      "https://example.com/hooks/crm",
    ),
    presence: "required",
    written: "on create",
  }),
  is_active: field.flag({
    text: doc(
      "Se recebe entregas; deixa de receber na 5ª falha de uma entrega, ou quando é removida",
      "Whether it gets deliveries; it becomes inactive after the 5th failure of a delivery, or when it is deleted",
      true,
    ),
    presence: "required",
    written: "by the database",
  }),
  failure_count: field.readOnlyNumber({
    text: doc("Tentativas que falharam desde o último sucesso", "Failed attempts since the last success", 0),
  }),
  last_success_at: field.readOnlyDatetime({
    text: doc(
      "A última tentativa que deu certo; pode ser até 10 s anterior à última entrega",
      "The last attempt that succeeded; may be up to 10 s older than the last delivery",
    ),
  }),
  last_failure_at: field.readOnlyDatetime({
    text: doc("A última tentativa que falhou", "The last attempt that failed"),
  }),
  created_at: field.autoTimestamp(),
  key_id: field.readOnlyId({
    presence: "optional",
    written: "by the verb",
    text: doc(
      "A chave que criou a assinatura, que para se a chave é revogada; null se foi criada no console",
      "The key that created the subscription, which stops if the key is revoked; null if created in the console",
    ),
  }),
  deactivated_at: field.readOnlyDatetime({
    text: doc(
      "Quando deixou de receber; null enquanto ativa",
      "When it became inactive; null while it is active",
    ),
  }),
  deactivated_reason: field.choice(["deleted", "failures", "key_revoked"], { written: "by the database" }),
  held: field.computed("boolean", "crm.holds_webhooks(t.workspace_id)", z.boolean(), {
    text: doc(
      "Se as entregas aguardam porque o workspace está suspenso ou sem a API pública",
      "Whether deliveries wait because the workspace is suspended or has no public API",
      false,
    ),
  }),
  behind_since: field.readOnlyDatetime({
    presence: "optional",
    text: doc(
      "Desde quando há eventos à espera de lugar na fila; as entregas deles são criadas depois, em ordem. null se " +
        "não há",
      "Since when events wait for room in the queue; their deliveries are created later, in order. null if none wait",
    ),
  }),
  old_secret_until: field.computed(
    "timestamptz",
    "crm.iso(crm.old_secret_until(t.workspace_id, t.id))",
    timestamp(),
    {
      presence: "optional",
      text: doc(
        "Até quando X-Service-Signature ainda é do segredo antigo; null sem troca em andamento",
        "Until when X-Service-Signature uses the old secret; null unless the secret is being replaced",
      ),
    },
  ),
  filters: field.object(Filters, {
    text: doc(
      "Só os eventos que passam por todos os filtros; null: todos os dos tipos assinados",
      "Only the events that pass every filter; null: all events of the types",
    ),
  }, StoredFilters),
  payload: field.choice(["full", "ids"], {
    presence: "defaulted",
    text: doc(
      "O que data traz. full: o objeto; ids: só o id dele. Ausente ou null: full",
      "What data contains. full: the object; ids: only the object's id. Absent or null means full",
      "full",
    ),
  }),
  header: field.object(OwnHeader, {
    text: doc(
      "Um cabeçalho que cada tentativa leva, para receptores que pedem um. O valor é guardado cifrado e nunca é mostrado",
      "A header that every attempt has, for receivers that want one. Its value is stored encrypted and never shown",
    ),
  }, HeaderName),
  name: field.name({
    presence: "optional",
    text: doc("O nome da assinatura para as pessoas", "The subscription's name for people", "ERP"),
  }, 80),
});

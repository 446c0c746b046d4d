import { z } from "zod";
import { doc, named } from "../_shared/contract/doc.ts";
import { EVENT_TYPES } from "../_shared/contract/events.ts";
import { timestamp, uuid } from "../_shared/contract/fields.ts";
import { field, object } from "../_shared/contract/object.ts";
import { ListQuery, pageOf } from "../_shared/contract/pagination.ts";
import { Reference } from "../_shared/contract/reference.ts";
import { DELIVERY_STATES } from "../api-v1-webhooks/delivery.ts";

/** Every action that the audit log can contain (crm.record_action). */
export const ACTIONS = [
  "workspace_updated",
  "member_invited",
  "member_updated",
  "member_signed_in",
  "invitation_accepted",
  "invitation_declined",
  "member_left",
  "key_created",
  "key_renamed",
  "key_networks_changed",
  "key_expiry_changed",
  "key_rotated",
  "key_revoked",
  "grant_created",
  "grant_revoked",
  "webhook_created",
  "webhook_updated",
  "webhook_deactivated",
  "webhook_stopped",
  "webhook_tested",
  "webhook_reactivated",
  "webhook_rotated",
  "webhook_recovered",
  "delivery_redelivered",
  "deliveries_redelivered",
  "custom_field_created",
  "custom_field_updated",
  "custom_field_archived",
  "custom_field_restored",
  "proposal_created",
  "proposal_link_replaced",
  "proposal_sent",
] as const;

export const CHANGED_OBJECTS = [
  "workspace",
  "member",
  "key",
  "grant",
  "webhook",
  "delivery",
  "custom_field",
  "proposal",
] as const;

export const ActivityQuery = ListQuery.pick({ cursor: true, limit: true });

const ChangedObject = object({
  type: field(z.enum(CHANGED_OBJECTS), ["Tipo", "Kind", "member"]),
  id: field(uuid(), ["Identificador", "Id"]),
  name: field(z.string(), [
    "Como se chamava naquele momento; uma proposta, como se chama agora",
    "Its name at that moment; for a proposal, its name now",
    "Ana Souza",
  ]),
}).meta(named("ChangedObject", "O que foi mudado", "What was changed"));

const Entry = object({
  id: field(uuid(), ["Identificador da linha", "The line's id"]),
  at: field(timestamp(), ["Quando", "When"]),
  actor: field(Reference.nullable(), [
    "Quem; null: o operador do serviço, ou ninguém, se falhas pararam um webhook",
    "Who; null: the operator of the service, or nobody, if failures stopped a webhook",
  ]),
  action: field(z.enum(ACTIONS), ["O que foi feito", "What was done", "member_updated"]),
  object: field(ChangedObject, ["Com o quê", "To what"]),
  details: field(z.record(z.string(), z.unknown()), [
    "Mais detalhes; numa alteração, cada campo com from e to",
    "Further details; for an update, each field with from and to",
    { role: { from: "vendedor", to: "gestor" } },
  ]),
}).meta(named("ActivityEntry", "O que alguém fez", "What somebody did"));

export const ActivityPage = pageOf(Entry);

export const EventFilter = ActivityQuery.extend({
  event: z.enum(EVENT_TYPES).optional().meta(doc("Só os deste tipo", "Only those of this type")),
  object_id: uuid().optional().meta(doc("Só os deste registro", "Only those of this record")),
  since: ListQuery.shape.since.meta(
    doc("Só os a partir deste momento", "Only those at or after this moment"),
  ),
  until: ListQuery.shape.until.meta(doc("Só os antes deste momento", "Only those before this moment")),
});

const EventDelivery = object({
  id: field(uuid(), ["A entrega", "The delivery"]),
  subscription_id: field(uuid(), ["O webhook", "The webhook"]),
  name: field(z.string().nullable(), ["Como o webhook se chama", "What the webhook is called", "ERP"]),
  target_url: field(z.string(), ["Para onde vai", "Where it goes", "https://example.com/hooks/crm"]),
  state: field(z.enum(DELIVERY_STATES), ["Estado", "State", "delivered"]),
  attempts: field(z.int(), ["Tentativas feitas, de 5", "Attempts made, of 5", 1]),
}).meta(named("EventDelivery", "A entrega de um evento", "The delivery of an event"));

const ShownEvent = object({
  id: field(uuid(), ["O evento", "The event"]),
  event: field(z.enum(EVENT_TYPES), ["O tipo do evento", "The type of the event", "deal.won"]),
  object_type: field(z.string(), ["O tipo do registro", "The type of the record", "deal"]),
  object_id: field(uuid(), ["O registro", "The record"]),
  object_name: field(z.string().nullable(), [
    "O nome do registro como está agora; null se foi apagado, e num teste",
    "The record's name as it is now; null if it was erased, and in a test",
    "Site novo",
  ]),
  is_test: field(z.boolean(), ["Se é um evento de teste", "Whether it is a test event", false]),
  changed_fields: field(z.array(z.string()), [
    "Os campos que mudaram; vazia se o evento não diz quais",
    "The fields that changed; empty if the event does not say which",
    ["value"],
  ]),
  occurred_at: field(timestamp(), ["Quando ocorreu", "When it occurred"]),
  deliveries: field(z.array(EventDelivery), [
    "As entregas; depois de 30 dias, nenhuma",
    "The deliveries; none after 30 days",
  ]),
}).meta(named("ShownEvent", "Um evento e as suas entregas", "An event and its deliveries"));

export const EventsPage = pageOf(ShownEvent);

import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { timestamp, uuid } from "../_shared/contract/fields.ts";
import { field, object } from "../_shared/contract/object.ts";
import { ListQuery, pageOf } from "../_shared/contract/pagination.ts";
import { Reference } from "../_shared/contract/reference.ts";

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
  "custom_field_created",
  "custom_field_updated",
  "custom_field_archived",
  "custom_field_restored",
] as const;

export const ActivityQuery = ListQuery.pick({ cursor: true, limit: true });

const ChangedObject = object({
  type: field(z.enum(["workspace", "member", "key", "grant", "webhook", "delivery", "custom_field"]), [
    "Tipo",
    "Kind",
    "member",
  ]),
  id: field(uuid(), ["Identificador", "Id"]),
  name: field(z.string(), ["Como se chamava naquele momento", "Its name at that moment", "Ana Souza"]),
}).meta({ id: "ChangedObject", ...doc("O que foi mudado", "What was changed") });

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
    "O que mais se sabe; numa alteração, cada campo com from e to",
    "Further details; for an update, each field with from and to",
    { role: { from: "vendedor", to: "gestor" } },
  ]),
}).meta({ id: "ActivityEntry", ...doc("O que alguém fez", "What somebody did") });

export const ActivityPage = pageOf(Entry);

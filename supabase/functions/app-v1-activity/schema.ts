import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { timestamp, uuid } from "../_shared/contract/fields.ts";
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
  "key_rotated",
  "key_revoked",
  "webhook_created",
  "webhook_deactivated",
  "webhook_tested",
  "webhook_reactivated",
  "webhook_rotated",
  "webhook_recovered",
  "delivery_redelivered",
] as const;

export const ActivityQuery = ListQuery.pick({ cursor: true, limit: true });

const ChangedObject = z.object({
  type: z.enum(["workspace", "member", "key", "webhook", "delivery"]),
  id: uuid(),
  name: z.string(),
}).meta({
  id: "ChangedObject",
  ...doc("O que foi mudado", "What was changed"),
  fields: {
    type: doc("Tipo", "Kind", "member"),
    id: doc("Identificador", "Id"),
    name: doc("Como se chamava naquele momento", "Its name at that moment", "Ana Souza"),
  },
});

const Entry = z.object({
  id: uuid(),
  at: timestamp(),
  actor: Reference.nullable(),
  action: z.enum(ACTIONS),
  object: ChangedObject,
  details: z.record(z.string(), z.unknown()),
}).meta({
  id: "ActivityEntry",
  ...doc("O que alguém fez", "What somebody did"),
  fields: {
    id: doc("Identificador da linha", "The line's id"),
    at: doc("Quando", "When"),
    actor: doc("Quem; null: o operador do serviço", "Who; null: the operator of the service"),
    action: doc("O que foi feito", "What was done", "member_updated"),
    object: doc("Com o quê", "To what"),
    details: doc(
      "O que mais se sabe; numa alteração, cada campo com from e to",
      "Further details; for an update, each field with from and to",
      { role: { from: "vendedor", to: "gestor" } },
    ),
  },
});

export const ActivityPage = pageOf(Entry);

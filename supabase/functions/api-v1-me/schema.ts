import { z } from "zod";
import { BATCH_BODY_LIMITS, MAX_BATCH_ITEMS } from "../_shared/contract/batch.ts";
import { doc } from "../_shared/contract/doc.ts";
import { DEFAULT_BODY_LIMITS } from "../_shared/contract/declaration.ts";
import { timestamp, uuid } from "../_shared/contract/fields.ts";
import { MAX_LIMIT } from "../_shared/contract/pagination.ts";
import { ROLES } from "../_shared/contract/roles.ts";

const OwnKey = z.object({
  id: uuid(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  created_at: timestamp(),
  expires_at: timestamp().nullable(),
}).meta({
  id: "OwnKey",
  ...doc("A chave usada na chamada", "The calling key"),
  fields: {
    name: doc("Para que serve a chave", "What the key is for", "ERP"),
    prefix: doc(
      "Com o que o valor mais novo da chave começa",
      "The first characters of the key's newest value",
      "svc_u8g0YZp1",
    ),
    scopes: doc("Os escopos da chave", "The key's scopes", ["contacts:read", "contacts:write"]),
    expires_at: doc("Quando vence; null: nunca", "When it expires; null: never", null),
  },
});

const OwnWorkspace = z.object({ id: uuid(), name: z.string() }).meta({
  id: "OwnWorkspace",
  ...doc("A empresa da chave", "The key's workspace"),
  fields: { name: doc("Nome da empresa", "The workspace's name", "Padaria Sol") },
});

const OwnMember = z.object({
  id: uuid(),
  name: z.string(),
  role: z.enum(ROLES),
  is_active: z.boolean(),
}).meta({
  id: "OwnMember",
  ...doc(
    "O membro que criou a chave: autor das anotações e responsável padrão",
    "The member who created the key: author of its notes and default owner",
  ),
  fields: {
    name: doc("Nome do membro", "The member's name", "Bruno Lima"),
    role: doc("Papel na empresa", "The role in the workspace", "admin"),
    is_active: doc(
      "Se ainda é um membro ativo; se não, a chave não cria anotações",
      "Whether the member is still active; if not, the key cannot create notes",
      true,
    ),
  },
});

const Limits = z.object({
  requests_per_minute: z.int(),
  page_size_max: z.int(),
  batch_items_max: z.int(),
  body_bytes_max: z.int(),
  batch_body_bytes_max: z.int(),
}).meta({
  id: "Limits",
  ...doc("Os limites da chave e do serviço", "The limits of the key and of the service"),
  fields: {
    requests_per_minute: doc(
      "Chamadas da chave em quaisquer 60 segundos",
      "Calls with the key in any 60 seconds",
      120,
    ),
    page_size_max: doc("Maior limit de uma lista", "Maximum limit of a list", MAX_LIMIT),
    batch_items_max: doc("Itens de um lote", "Items in a batch", MAX_BATCH_ITEMS),
    body_bytes_max: doc(
      "Bytes do corpo de uma chamada que não é um lote",
      "Bytes of a body, except in a batch",
      DEFAULT_BODY_LIMITS.bytes,
    ),
    batch_body_bytes_max: doc(
      "Bytes do corpo de um lote",
      "Bytes of a batch's body",
      BATCH_BODY_LIMITS.bytes,
    ),
  },
});

export const Me = z.object({ key: OwnKey, workspace: OwnWorkspace, member: OwnMember, limits: Limits }).meta({
  id: "Me",
  ...doc("A chave da chamada, de quem é e o que pode", "The calling key, whose it is and what it may do"),
  fields: {
    key: doc("A chave", "The key"),
    workspace: doc("A empresa", "The workspace"),
    member: doc("Quem criou a chave", "Who created the key"),
    limits: doc("Os limites", "The limits"),
  },
});

/** Adds the limits that are the same for all keys, because the database does not know them. */
export function withServiceLimits(reply: Record<string, unknown>): Promise<Record<string, unknown>> {
  const limits = {
    ...reply["limits"] as object,
    page_size_max: MAX_LIMIT,
    batch_items_max: MAX_BATCH_ITEMS,
    body_bytes_max: DEFAULT_BODY_LIMITS.bytes,
    batch_body_bytes_max: BATCH_BODY_LIMITS.bytes,
  };
  return Promise.resolve({ limits });
}

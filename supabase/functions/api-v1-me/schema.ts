import { z } from "zod";
import { BATCH_BODY_LIMITS, MAX_BATCH_ITEMS } from "../_shared/contract/batch.ts";
import { named } from "../_shared/contract/doc.ts";
import { DEFAULT_BODY_LIMITS } from "../_shared/contract/declaration.ts";
import { timestamp, uuid } from "../_shared/contract/fields.ts";
import { field, object } from "../_shared/contract/object.ts";
import { MAX_LIMIT } from "../_shared/contract/pagination.ts";
import { ROLES } from "../_shared/contract/roles.ts";

const OwnKey = object({
  id: uuid(),
  name: field(z.string(), ["Para que serve a chave", "What the key is for", "ERP"]),
  prefix: field(z.string(), [
    "O começo do valor mais novo da chave",
    "The first characters of the key's newest value",
    "svc_u8g0YZp1",
  ]),
  scopes: field(z.array(z.string()), ["Os escopos da chave", "The key's scopes", [
    "contacts:read",
    "contacts:write",
  ]]),
  created_at: timestamp(),
  expires_at: field(timestamp().nullable(), [
    "Quando vence; null: nunca",
    "When it expires; null: never",
    null,
  ]),
  allowed_networks: field(z.array(z.string()), [
    "As redes de onde a chave pode ser usada; vazia: de qualquer lugar",
    "The networks from which the key may be used; empty: from everywhere",
    ["203.0.113.0/24"],
  ]),
}).meta(named("OwnKey", "A chave usada na chamada", "The calling key"));

const OwnWorkspace = object({
  id: uuid(),
  name: field(z.string(), ["Nome da empresa", "The workspace's name", "Padaria Sol"]),
  time_zone: field(z.string(), [
    "Fuso em que assistentes leem e escrevem horas; a API usa UTC",
    "The time zone in which assistants read and write times; the API uses UTC",
    "America/Sao_Paulo",
  ]),
}).meta(named("OwnWorkspace", "A empresa da chave", "The key's workspace"));

const OwnMember = object({
  id: uuid(),
  name: field(z.string(), ["Nome do membro", "The member's name", "Bruno Lima"]),
  role: field(z.enum(ROLES), ["Papel na empresa", "The role in the workspace", "admin"]),
  is_active: field(z.boolean(), [
    "Se ainda é um membro ativo; se não, a chave não cria anotações",
    "Whether the member is still active; if not, the key cannot create notes",
    true,
  ]),
}).meta(
  named(
    "OwnMember",
    "O membro que criou a chave: autor das anotações e responsável padrão",
    "The member who created the key: author of its notes and default owner",
  ),
);

const Limits = object({
  requests_per_minute: field(z.int(), [
    "Chamadas da chave em quaisquer 60 segundos",
    "Calls with the key in any 60 seconds",
    120,
  ]),
  page_size_max: field(z.int(), ["Maior limit de uma lista", "Maximum limit of a list", MAX_LIMIT]),
  batch_items_max: field(z.int(), ["Itens de um lote", "Items in a batch", MAX_BATCH_ITEMS]),
  body_bytes_max: field(z.int(), [
    "Bytes do corpo de uma chamada que não é um lote",
    "Bytes of a body, except in a batch",
    DEFAULT_BODY_LIMITS.bytes,
  ]),
  batch_body_bytes_max: field(z.int(), [
    "Bytes do corpo de um lote",
    "Bytes of a batch's body",
    BATCH_BODY_LIMITS.bytes,
  ]),
}).meta(named("Limits", "Os limites da chave e do serviço", "The limits of the key and of the service"));

export const Me = object({
  key: field(OwnKey, ["A chave", "The key"]),
  workspace: field(OwnWorkspace, ["A empresa", "The workspace"]),
  member: field(OwnMember, ["Quem criou a chave", "Who created the key"]),
  limits: field(Limits, ["Os limites", "The limits"]),
}).meta(
  named(
    "Me",
    "A chave da chamada, de quem é e o que pode",
    "The calling key, whose it is and what it may do",
  ),
);

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

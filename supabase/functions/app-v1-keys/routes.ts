import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { generateKeySecret } from "../_shared/keys/generate_key.ts";
import { warnOfUnused } from "../_shared/keys/unused_scopes.ts";
import { RequestFilter, RequestList } from "../_shared/contract/request_log.ts";
import {
  CreatedKey,
  Key,
  KeyChange,
  KeyDetail,
  KeyList,
  NewKey,
  Revocation,
  RevokedKey,
  RotatedKey,
  Rotation,
} from "./schema.ts";

/** Warns, in Portuguese, about a scope that grants nothing, and suggests scopes that may have been meant. */
function warn(scope: string, meant: string): string {
  const question = meant && `. Você quis dizer ${meant}?`;
  return `Nenhuma operação exige "${scope}": a permissão fica guardada e não dá acesso a nada${question}`;
}

export const keys = resource(
  "app-v1-keys",
  {
    "GET /": endpoint({
      summary: doc("Lista as chaves", "List the keys"),
      role: "vendedor",
      reply: KeyList,
      verb: "key_list",
    }),
    "GET /:id": endpoint({
      summary: doc("Mostra uma chave", "Show a key"),
      role: "vendedor",
      reply: KeyDetail,
      verb: "key_get",
    }),
    "GET /:id/requests": endpoint({
      summary: doc("Lista as requisições de uma chave", "List the requests of a key"),
      role: "vendedor",
      query: RequestFilter,
      reply: RequestList,
      verb: "key_requests",
    }),
    "POST /": endpoint({
      summary: doc("Cria uma chave", "Create a key"),
      role: "gestor",
      body: NewKey,
      reply: CreatedKey,
      status: 201,
      verb: "key_create",
      errors: ["already_expired"],
      prepare: async (body, _, findWorkspace) => {
        const { value, stored } = generateKeySecret(await findWorkspace());
        return {
          args: {
            ...body,
            expires_at: body.expires_at ?? null,
            allowed_networks: body.allowed_networks ?? null,
            ...stored,
          },
          reveal: { key: value, warnings: warnOfUnused(body.scopes, "ou", warn) },
        };
      },
    }),
    "PATCH /:id": endpoint({
      summary: doc(
        "Muda o nome, as redes ou a validade de uma chave",
        "Change the name, networks or expiry of a key",
      ),
      role: "gestor",
      body: KeyChange,
      reply: Key,
      verb: "key_update",
      errors: ["already_expired", "key_revoked"],
    }),
    "POST /:id/rotate": endpoint({
      summary: doc("Troca o segredo de uma chave", "Give a key a new secret"),
      role: "gestor",
      body: Rotation,
      reply: RotatedKey,
      verb: "key_rotate",
      errors: ["key_revoked"],
      prepare: async (body, _, findWorkspace) => {
        const { value, stored } = generateKeySecret(await findWorkspace());
        return { args: { ...body, ...stored }, reveal: { key: value } };
      },
    }),
    "POST /:id/revoke": endpoint({
      summary: doc("Revoga uma chave", "Revoke a key"),
      role: "gestor",
      body: Revocation,
      bodyOptional: true,
      reply: RevokedKey,
      verb: "key_revoke",
    }),
  },
  doc("As chaves de API da empresa", "The workspace's API keys"),
);

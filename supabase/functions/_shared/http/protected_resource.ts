// What OAuth clients read about this service (RFC 9728): which server issues the tokens that the service accepts.
import { functionsUrl, issuerUrl } from "../runtime/service.ts";
import { readAppToken } from "./bearer.ts";
import { jsonReply } from "./reply.ts";

/**
 * Where a function serves its metadata. RFC 9728 places metadata at the root of the host, but an edge function cannot
 * serve the root.
 */
export const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** The functions that serve metadata: `api-v1` for every function of the API. */
export type ProtectedFunction = "mcp" | "api-v1";

/** `WWW-Authenticate` of a 401: where the metadata is, and whether an invalid token was sent. */
export function challengeHeader(name: ProtectedFunction, request: Request): Record<string, string> {
  const error = readAppToken(request.headers) !== null ? 'error="invalid_token", ' : "";
  return {
    "WWW-Authenticate": `Bearer ${error}resource_metadata="${functionsUrl()}/${name}${METADATA_PATH}"`,
  };
}

export function metadataReply(name: ProtectedFunction): Response {
  return jsonReply(
    200,
    JSON.stringify({
      // Clients require that the address that they call begins with `resource`.
      resource: name === "mcp" ? `${functionsUrl()}/mcp` : functionsUrl(),
      authorization_servers: [issuerUrl()],
      // Not the CRM's scopes, which the person chooses on the consent page. Clients request these scopes from Supabase
      // Auth, which refuses scopes that are not its own.
      scopes_supported: ["email"],
      bearer_methods_supported: ["header"],
      resource_name: "CRM",
    }),
  );
}

import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import type { Audience } from "./audience.ts";
import { REPLY_HEADERS } from "../../supabase/functions/_shared/http/reply.ts";

export type ReplyHeader = typeof REPLY_HEADERS[number];

const TEXT = { type: "string" };
const SECONDS = { type: "integer", minimum: 0 };

/** The reply headers, as components of the document. */
const HEADERS: Record<ReplyHeader, Record<string, unknown>> = {
  "X-Request-Id": {
    ...doc("Identificador da chamada; informe-o ao suporte", "The call's id; quote it to support"),
    schema: { type: "string", format: "uuid" },
  },
  "RateLimit-Policy": {
    ...doc(
      "A cota da chave: `q` chamadas a cada `w` segundos",
      "The key's quota: `q` calls in any `w` seconds",
    ),
    schema: TEXT,
    example: '"default";q=120;w=60',
  },
  "RateLimit": {
    ...doc(
      "O que resta: `r` chamadas; a próxima fica livre em `t` segundos",
      "What is left: `r` calls; the next one becomes available in `t` seconds",
    ),
    schema: TEXT,
    example: '"default";r=119;t=60',
  },
  "Retry-After": {
    ...doc("Segundos a esperar antes de repetir", "Seconds to wait before trying again"),
    schema: SECONDS,
    example: 12,
  },
  "Location": {
    ...doc("Endereço do registro criado", "Address of the record that was created"),
    schema: { type: "string", format: "uri" },
  },
  "Allow": {
    ...doc("Os métodos que o endereço aceita", "The methods that the path accepts"),
    schema: TEXT,
    example: "GET, HEAD, POST",
  },
  "WWW-Authenticate": {
    ...doc(
      "Onde um aplicativo lê quem emite os tokens (RFC 9728), e se o token que ele enviou é inválido",
      "Where an app reads who issues tokens (RFC 9728), and whether the token that it sent is invalid",
    ),
    schema: TEXT,
    example:
      'Bearer resource_metadata="https://project.supabase.co/functions/v1/api-v1/.well-known/oauth-protected-resource"',
  },
  "ETag": {
    ...doc(
      "A versão do registro, para If-None-Match e If-Match",
      "The record's version, for If-None-Match and If-Match",
    ),
    schema: TEXT,
    example: '"8f14e45fceea167a"',
  },
  "Preference-Applied": {
    ...doc("A preferência que foi atendida", "The preference that was applied"),
    schema: {
      type: "string",
      enum: ["handling=strict", "return=representation", "handling=strict, return=representation"],
    },
  },
  "Idempotent-Replayed": {
    ...doc("A resposta é a da chamada original", "The reply is that of the original call"),
    schema: { type: "string", enum: ["true"] },
  },
  "X-Ignored-Fields": {
    ...doc(
      "Campos do corpo que não foram usados: desconhecidos, só de leitura, ou de um win ou lose que nada mudou; separados " +
        "por vírgula",
      "Fields of the body that were not used: unknown, read-only, or of a win or lose that changed nothing; separated by " +
        "commas",
    ),
    schema: TEXT,
    example: "id, created_at",
  },
  "X-Possible-Duplicate": {
    ...doc(
      "Os ids de até 5 registros que já havia e se parecem com o novo, separados por vírgula; ausente se não há nenhum",
      "The ids of up to 5 records that existed before and resemble the new one, separated by commas; absent if there are none",
    ),
    schema: TEXT,
    example: "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5",
  },
};

/**
 * The reply headers of an audience. The console's document leaves out five headers: the console sends no
 * Idempotency-Key, versions or preferences, creates no contacts, and knows who issues its tokens.
 */
export function headersFor(audience: Audience): Record<string, unknown> {
  const {
    "Idempotent-Replayed": _,
    "ETag": _tag,
    "Preference-Applied": _applied,
    "X-Possible-Duplicate": _duplicate,
    "WWW-Authenticate": _challenge,
    ...others
  } = HEADERS;
  return audience === "api" ? HEADERS : others;
}

/** Creates the references to the headers of a reply. */
export function headers(names: readonly ReplyHeader[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

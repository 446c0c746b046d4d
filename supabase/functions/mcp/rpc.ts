import type { ApiError } from "../_shared/contract/errors.ts";
import { isObject, type Json } from "../_shared/contract/json.ts";

/** The codes of protocol errors, from JSON-RPC 2.0 and MCP. */
const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** A header contradicts the message. */
  headerMismatch: -32020,
  unsupportedRevision: -32022,
  /** An error of the API; `data` has the API's code. -32000 is the first code that JSON-RPC leaves to servers. */
  apiError: -32000,
} as const;

/** A protocol error. An error of a tool is a result instead, so that the model reads it. */
export class RpcError {
  /**
   * @param message Portuguese
   * @param status the status of the HTTP reply
   */
  constructor(
    readonly code: keyof typeof RPC_CODES,
    readonly message: string,
    readonly data?: Record<string, unknown>,
    readonly status = 200,
  ) {}

  /** The error for a request that breaks the protocol. */
  static invalid(message: string): RpcError {
    return new RpcError("invalidRequest", message, undefined, 400);
  }

  /** An error of the API for the whole request, with its HTTP status. */
  static ofApi(
    { code, message, details, status }: ApiError,
    kind: keyof typeof RPC_CODES = "apiError",
  ): RpcError {
    return new RpcError(kind, message, { code, ...(details && { details }) }, status);
  }
}

/** The id of a request; null if none could be read. */
export type RpcId = string | number | null;

export interface RpcRequest {
  id: string | number;
  method: string;
  params: Record<string, Json>;
}

/**
 * Returned for a message that needs no answer: a notification, or a response, although this server sends no requests.
 */
export const NO_ANSWER = Symbol("no answer");

/**
 * Reads one message of JSON-RPC 2.0 with MCP's additional rules: ids are strings or numbers, and parameters are an
 * object.
 */
export function readMessage(message: Json): RpcRequest | typeof NO_ANSWER | RpcError {
  if (!isObject(message)) return RpcError.invalid("Cada mensagem é um objeto");
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== "2.0") return RpcError.invalid('O campo "jsonrpc" deve ser "2.0"');
  if (method === undefined && (message["result"] !== undefined || message["error"] !== undefined)) {
    return NO_ANSWER;
  }
  if (typeof method !== "string") return RpcError.invalid('O campo "method" deve ser um texto');
  if (id === undefined) return NO_ANSWER;
  if (!isObject(params)) {
    return new RpcError("invalidParams", 'O campo "params" deve ser um objeto');
  }
  if (typeof id !== "string" && typeof id !== "number") {
    return RpcError.invalid('O campo "id" deve ser um texto ou um número');
  }
  return { id, method, params };
}

/** The id of a message, even of a malformed one: its sender learns which request failed. */
export function idOf(message: Json): RpcId {
  const id = isObject(message) ? message["id"] : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** A result as JSON text, so that a large result is not serialized twice. */
export class ResultText {
  constructor(readonly json: string) {}
}

/** The response to a request, as JSON text. */
export function rpcResponse(id: RpcId, result: object | RpcError): string {
  if (result instanceof ResultText) return rpcText(id, "result", result.json);
  if (!(result instanceof RpcError)) return rpcText(id, "result", JSON.stringify(result));
  const { code, message, data } = result;
  return rpcText(id, "error", JSON.stringify({ code: RPC_CODES[code], message, ...(data && { data }) }));
}

function rpcText(id: RpcId, field: "result" | "error", json: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${field}":${json}}`;
}

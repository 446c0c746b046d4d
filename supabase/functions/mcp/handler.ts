import { Buffer } from "node:buffer";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { DEFAULT_BODY_LIMITS } from "../_shared/contract/declaration.ts";
import { ApiError, type FieldError, methodNotAllowed, unknownAddress } from "../_shared/contract/errors.ts";
import { isTurnedAway, readAdmittedBody } from "../_shared/http/admitted_body.ts";
import { allowedOrigins, type RequestHandler } from "../_shared/http/app.ts";
import { GATES } from "../_shared/http/gates.ts";
import { isObject, type Json, type JsonObject } from "../_shared/contract/json.ts";
import { type JsonText, MAX_DEPTH, parseJson } from "../_shared/http/json_body.ts";
import { PACES } from "../_shared/http/pace.ts";
import { challengeHeader, METADATA_PATH, metadataReply } from "../_shared/http/protected_resource.ts";
import { jsonReply } from "../_shared/http/reply.ts";
import { callDoor } from "../_shared/postgres/door.ts";
import { logCount, logFault } from "../_shared/runtime/log.ts";
import { errorResult } from "./call_tool.ts";
import { type Caller, readCaller } from "./caller.ts";
import { answer } from "./methods.ts";
import { READONLY_HEADER, TOOLSETS_HEADER } from "./offer.ts";
import { REVISION_FIELD, REVISIONS, STATELESS, UNNAMED_REVISION, WITH_LISTS } from "./revisions.ts";
import { idOf, NO_ANSWER, readMessage, RpcError, type RpcId, rpcResponse } from "./rpc.ts";

const VERSION_HEADER = "MCP-Protocol-Version";
const MAX_MESSAGES = 20;
/** Bytes of a batch's reply beyond which the remaining messages are refused. This keeps the reply under 2 MB. */
const FULL_BYTES = 500_000;
/** Levels of JSON that enclose a tool's arguments: the batch, the message, `params`. */
const ENVELOPE_DEPTH = 3;

/**
 * Serves MCP's streamable HTTP without state: each POST carries its key or token and is answered with JSON. There are
 * neither sessions nor streams, so GET and DELETE are 405, except GET of the metadata for OAuth clients. Environment:
 * CORS_ALLOWED_ORIGINS and APP_ORIGIN, the origins whose pages may call. Pages of other origins are refused, as the
 * protocol requires against DNS rebinding.
 */
export function serveMcp(): RequestHandler {
  const app = new Hono({ strict: false }).basePath("/mcp");
  const origins = allowedOrigins("link");
  const allow = cors({
    origin: origins,
    allowMethods: ["POST", "GET"],
    allowHeaders: [
      "Content-Type",
      "X-API-Key",
      "Authorization",
      VERSION_HEADER,
      TOOLSETS_HEADER,
      READONLY_HEADER,
    ],
    exposeHeaders: ["X-Request-Id", "RateLimit-Policy", "RateLimit", "Retry-After", "WWW-Authenticate"],
    maxAge: 600,
  });
  app.use(async (c, next) => {
    const origin = c.req.header("Origin");
    if (origin === undefined) return await next();
    if (!origins.includes(origin)) {
      return await refuse(new RpcError("invalidRequest", FOREIGN_ORIGIN, undefined, 403), c.req.raw);
    }
    // `jsonReply` does not create the reply to a preflight request, so this header is set here.
    const preflight = await allow(c, next);
    preflight?.headers.set("X-Content-Type-Options", "nosniff");
    return preflight;
  });
  app.post("/", async (c: Context) => {
    const request = c.req.raw;
    const caller = await readCaller(request.headers);
    if (caller instanceof RpcError) return await refuse(caller, request);
    if (caller instanceof ApiError) return await refuse(RpcError.ofApi(caller), request);
    try {
      return await handle(caller, request);
    } catch (fault) {
      return internalError(caller, fault);
    }
  });
  app.get(METADATA_PATH, () => metadataReply("mcp"));
  app.all("/", (c) => refuse(RpcError.ofApi(onlyPost, "invalidRequest"), c.req.raw));
  app.all("*", (c) => refuse(RpcError.ofApi(unknownAddress, "invalidRequest"), c.req.raw));
  return app.fetch;
}

const FOREIGN_ORIGIN = "Páginas desta origem não podem chamar o servidor MCP";
const onlyPost = methodNotAllowed(["POST"]);

async function handle(caller: Caller, request: Request): Promise<Response> {
  const named = request.headers.get(VERSION_HEADER);
  const json = await readJson(caller, request);
  if (json instanceof RpcError) return await refuse(json, request);
  // In older revisions the error has no id, because the request is refused before its message is read.
  const refuseRevision = (error: RpcError) =>
    refuse(error, request, caller, error.code === "invalidRequest" ? null : idOf(json.value));
  const revision = revisionOf(json.value, named);
  if (revision instanceof RpcError) return await refuseRevision(revision);
  const contradiction = contradictionOf(json.value, request.headers);
  if (contradiction) return await refuseRevision(contradiction);
  const messages = splitMessages(json, revision);
  if (messages instanceof RpcError) return await refuse(messages, request);

  const responses: string[] = [];
  let bytes = 0;
  for (const message of messages) {
    const result = await answerMessage(caller, message, revision, bytes > FULL_BYTES);
    // The key was refused, or the request's only message is invalid, so this error is the whole HTTP reply.
    if (
      result instanceof RpcError && (result.status === 401 || (result.status !== 200 && !message.isListed))
    ) {
      return await refuse(result, request, caller, idOf(message.value));
    }
    if (result === NO_ANSWER) continue;
    const response = rpcResponse(idOf(message.value), result);
    bytes += Buffer.byteLength(response);
    responses.push(response);
  }
  // If no resource was called, no gate has checked the caller or paced the reply, so the reply is paced here.
  if (!caller.wasAnswered) await PACES.key.wait();
  logCount("request", { function: "mcp", messages: messages.length });
  if (responses.length === 0) return reply(caller, 202, null);
  return reply(caller, 200, Array.isArray(json.value) ? `[${responses.join(",")}]` : responses[0]!);
}

/** The protocol revision in a request's `_meta` or, if that has none, in the header. */
function revisionOf(value: Json, named: string | null): string | RpcError {
  const { method, params } = asObject(value);
  const claimed = asObject(asObject(params)["_meta"])[REVISION_FIELD];
  if (claimed === undefined) {
    const revision = named ?? UNNAMED_REVISION;
    if (REVISIONS.includes(revision)) return revision;
    return RpcError.invalid(`${VERSION_HEADER} deve ser um de ${REVISIONS.join(", ")}`);
  }
  if (named !== null && named !== claimed) return mismatch(VERSION_HEADER);
  if (typeof claimed === "string" && REVISIONS.includes(claimed)) return claimed;
  // Answers server/discover in any revision, because clients call it to learn the supported revisions.
  if (method === "server/discover") return STATELESS;
  const data = { supported: REVISIONS, requested: claimed };
  return new RpcError("unsupportedRevision", "Este servidor não fala essa revisão do MCP", data, 400);
}

/** The error if a header contradicts the message, because a proxy may have acted on the header; null if none does. */
function contradictionOf(value: Json, headers: Headers): RpcError | null {
  const { method, params } = asObject(value);
  const [called, name] = [headers.get("Mcp-Method"), headers.get("Mcp-Name")];
  if (called !== null && called !== method) return mismatch("Mcp-Method");
  if (name !== null && name !== asObject(params)["name"]) return mismatch("Mcp-Name");
  return null;
}

function mismatch(header: string): RpcError {
  return new RpcError(
    "headerMismatch",
    `O cabeçalho ${header} não diz o mesmo que a mensagem`,
    undefined,
    400,
  );
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Reads the body with the default limits of endpoints. May identify the caller first (`readAdmittedBody`). */
async function readJson(caller: Caller, request: Request): Promise<JsonText | RpcError> {
  const { credential } = caller;
  const identify = () =>
    callDoor(GATES.key.doorOf(credential), {
      requestId: caller.requestId,
      credential,
      address: caller.address,
      scope: null,
      verb: null,
      args: null,
    });
  const { bytes, values } = DEFAULT_BODY_LIMITS;
  const body = await readAdmittedBody(request, "key", credential, bytes, identify);
  if (isTurnedAway(body)) return RpcError.ofApi(body.error!);
  if (body instanceof ApiError) return RpcError.ofApi(body, "invalidRequest");
  const json = await parseJson(body, "bad_request", values, MAX_DEPTH + ENVELOPE_DEPTH);
  if (json === null || (json instanceof ApiError && json.code === "bad_request")) {
    return new RpcError("parseError", "O corpo não é JSON válido", undefined, 400);
  }
  return json instanceof ApiError ? RpcError.ofApi(json, "invalidRequest") : json;
}

/** A message, and errors for the values in it that Postgres cannot store unchanged. */
interface Message {
  value: Json;
  fieldErrors: FieldError[];
  isListed: boolean;
}

function splitMessages({ value, fieldErrors }: JsonText, revision: string): Message[] | RpcError {
  if (!Array.isArray(value)) return [{ value, fieldErrors, isListed: false }];
  if (!WITH_LISTS.includes(revision)) {
    return RpcError.invalid(`A revisão ${revision} não tem listas de mensagens`);
  }
  if (value.length === 0 || value.length > MAX_MESSAGES) {
    return RpcError.invalid(`Uma lista tem de 1 a ${MAX_MESSAGES} mensagens`);
  }
  // Refuses the whole list, because only 100 errors are collected, so a message without errors may still be invalid.
  if (fieldErrors.length > 0) {
    return RpcError.ofApi(new ApiError("validation_error", fieldErrors), "invalidRequest");
  }
  return value.map((message) => ({ value: message, fieldErrors, isListed: true }));
}

async function answerMessage(
  caller: Caller,
  { value, fieldErrors, isListed }: Message,
  revision: string,
  isFull: boolean,
): Promise<object | RpcError | typeof NO_ANSWER> {
  const request = readMessage(value);
  if (request instanceof RpcError || request === NO_ANSWER) return request;
  if (isFull) return new RpcError("invalidRequest", LIST_FULL);
  if (request.method === "initialize" && isListed) {
    return RpcError.invalid("initialize não pode estar em uma lista");
  }
  if (fieldErrors.length === 0) return await answer(caller, request, revision);
  const details = fieldErrors.map(({ field, message }) => ({ field: field.replace(ARGUMENTS, ""), message }));
  const error = new ApiError("validation_error", details);
  const areArguments = request.method === "tools/call" &&
    fieldErrors.every(({ field }) => ARGUMENTS.test(field));
  return areArguments ? errorResult(error.body()) : RpcError.ofApi(error, "invalidRequest");
}

const LIST_FULL =
  "Esta mensagem não foi executada, porque as anteriores da lista já têm uma resposta grande; " +
  "envie-a em outra requisição";

const ARGUMENTS = /^params\.arguments\./;

/** Refuses a whole request. The reply is paced, because a client can cause any number of refusals without a key. */
async function refuse(
  error: RpcError,
  request: Request,
  caller: Caller | null = null,
  id: RpcId = null,
): Promise<Response> {
  if (!caller?.wasAnswered) await PACES.key.wait();
  logCount("refused", { function: "mcp", status: error.status });
  return reply(caller, error.status, rpcResponse(id, error), {
    ...(error.status === 401 && challengeHeader("mcp", request)),
    ...(error.status === 405 && { "Allow": "POST" }),
  });
}

/** Logs an exception and returns an error that tells the client nothing about the cause. */
function internalError(caller: Caller, fault: unknown): Response {
  const { requestId } = caller;
  logFault(requestId, fault);
  const { code, message, status } = new ApiError("internal_error");
  const error = new RpcError("internalError", message, { code, request_id: requestId }, status);
  return reply(caller, status, rpcResponse(null, error));
}

function reply(
  caller: Caller | null,
  status: number,
  body: string | null,
  headers: Record<string, string> = {},
): Response {
  const all = { "X-Request-Id": caller?.requestId ?? crypto.randomUUID(), ...caller?.headers, ...headers };
  return jsonReply(status, body, all);
}

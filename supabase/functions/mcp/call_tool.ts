import { ApiError, type FieldError } from "../_shared/contract/errors.ts";
import { canonicalJson } from "../_shared/http/idempotency.ts";
import { isUuid } from "../_shared/runtime/uuid.ts";
import { type Json, type JsonObject, MAX_DETAILS } from "../_shared/contract/json.ts";
import { unknownParameter } from "../_shared/http/unknown_names.ts";
import { sha256 } from "../_shared/runtime/sha256.ts";
import { conciseList, short } from "./concise.ts";
import { type Caller, type ResourceReply, rpcErrorOf } from "./caller.ts";
import { LocalTime } from "./local_time.ts";
import { ResultText, type RpcError } from "./rpc.ts";
import { FORMAT_ARGUMENT, IDEMPOTENCY_ARGUMENT, nameTools, type Tool } from "./tools.ts";

type Arguments = Record<string, Json>;

/** The result of a failed tool call (`CallToolResult`). */
interface ErrorResult {
  content: { type: "text"; text: string }[];
  structuredContent: unknown;
  isError: true;
}

/**
 * Calls a tool. Errors in arguments and errors about records are returned as results, so that the model reads them and
 * can correct the call. Only an invalid key is a protocol error.
 */
export async function callTool(
  caller: Caller,
  tool: Tool,
  args: Arguments,
): Promise<ResultText | ErrorResult | RpcError> {
  const { request } = tool;
  const moments = momentsOf(tool, args);
  if (moments.length > 0) {
    const time = await caller.localTime();
    // Without the time zone the times would be stored wrongly.
    if (!(time instanceof LocalTime)) return failureOf(time);
    args = { ...args, ...Object.fromEntries(moments.map((name) => [name, time.withOffset(args[name]!)])) };
  }
  const errors = findErrors(tool, args);
  if (errors.length > 0) return errorResult((await asError(errors)).body());
  const { resource, method } = request;
  const reply = await caller.call({
    resource,
    method,
    path: addressOf(tool, args),
    ...(request.body && { body: bodyOf(tool, args) }),
    ...(request.idempotent && { idempotencyKey: idempotencyKeyOf(caller, tool, args) }),
  });
  if (reply.status >= 300) return failureOf(reply);
  return await successResult(caller, tool, reply, args[FORMAT_ARGUMENT] === "detailed");
}

/** The names of the arguments with a date and time. A value without an offset gets the workspace's offset. */
function momentsOf({ definition }: Tool, args: Arguments): string[] {
  const { properties } = definition.inputSchema;
  return Object.keys(args).filter((name) =>
    Object.hasOwn(properties, name) && properties[name]!["format"] === "date-time"
  );
}

function failureOf(reply: ResourceReply): RpcError | ErrorResult {
  return reply.status === 401 ? rpcErrorOf(reply) : errorResult(reply.text, reply.headers);
}

/**
 * The errors that the resource cannot report: a missing id for the path, an invalid `format` or idempotency key. After
 * such an error, and for a request without query and body, this function also reports unknown arguments. Otherwise the
 * resource reports them.
 */
function findErrors({ definition, request }: Tool, args: Arguments): FieldError[] {
  const { properties } = definition.inputSchema;
  const missing = pathParameters(request).filter((name) =>
    typeof args[name] !== "string" || args[name] === ""
  );
  const key = args[IDEMPOTENCY_ARGUMENT] ?? "";
  const format = args[FORMAT_ARGUMENT] ?? "concise";
  const badFormat = FORMAT_ARGUMENT in properties && format !== "concise" && format !== "detailed";
  const badKey = request.idempotent && (typeof key !== "string" || !/^[\x20-\x7e]{0,200}$/.test(key));
  const errors = [
    ...missing.map((field) => ({ field, message: "Campo obrigatório: o id, um texto" })),
    ...(badFormat ? [{ field: FORMAT_ARGUMENT, message: 'Deve ser "concise" ou "detailed"' }] : []),
    ...(badKey
      ? [{ field: IDEMPOTENCY_ARGUMENT, message: "Deve ter até 200 letras, dígitos e sinais de ASCII" }]
      : []),
  ];
  const isNamedByResource = request.body || request.query.length > 0;
  if (isNamedByResource && errors.length === 0) return [];
  const among = Object.keys(properties).filter((name) => args[name] === undefined || missing.includes(name));
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(properties, name));
  return [
    ...errors,
    ...unknown.map((name) => unknownParameter(name, among)),
  ].slice(0, MAX_DETAILS);
}

async function asError(errors: FieldError[]): Promise<ApiError> {
  const { nameNearest } = await import("../_shared/http/nearest_name.ts");
  return new ApiError("validation_error", nameNearest(errors, { left: MAX_DETAILS }));
}

function pathParameters({ path }: Tool["request"]): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
}

/** Stands in the path for an id that is not a UUID. Every resource answers this path with not_found, after its gate. */
const NO_ID = "-";

function addressOf({ request }: Tool, args: Arguments): string {
  // Only UUIDs are inserted, because `summary` or `..` would lead to another endpoint.
  const segment = (value: Json | undefined) => typeof value === "string" && isUuid(value) ? value : NO_ID;
  const path = request.path.replace(/:(\w+)/g, (_, name) => segment(args[name]));
  const query = new URLSearchParams();
  const inPath = pathParameters(request);
  // If there is no body, unknown arguments are put into the query, so that the resource reports them.
  const elsewhere = [...inPath, ...(request.expand ? [FORMAT_ARGUMENT] : [])];
  const names = request.body ? request.query : Object.keys(args).filter((name) => !elsewhere.includes(name));
  if (request.expand) query.set("expand", request.expand.join());
  for (const name of names) {
    const value = args[name];
    if (value === undefined || (value === null && request.query.includes(name))) continue;
    for (const [parameter, text] of parametersOf(name, value)) query.set(parameter, text);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The query parameters for an argument: one, or several for an object (`custom[key]`, `custom[key][gte]`). */
function parametersOf(name: string, value: Json): [string, string][] {
  if (Array.isArray(value)) return [[name, value.map(textOf).join(",")]];
  if (typeof value !== "object" || value === null) return [[name, textOf(value)]];
  const members = Object.entries(value);
  // Sends an empty bound for an empty range: the API refuses an empty bound, but returns all records without a bound.
  if (members.length === 0 && name.includes("[")) return [[`${name}[gte]`, ""]];
  return members.flatMap(([key, member]) => parametersOf(`${name}[${key}]`, member));
}

function textOf(value: Json): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * The arguments that belong neither in the path nor in the query, including unknown arguments, which the resource
 * reports.
 */
function bodyOf({ request }: Tool, args: Arguments): Arguments {
  const elsewhere = new Set([
    ...pathParameters(request),
    ...request.query,
    ...(request.idempotent ? [IDEMPOTENCY_ARGUMENT] : []),
  ]);
  return Object.fromEntries(Object.entries(args).filter(([name]) => !elsewhere.has(name)));
}

/**
 * Derives the idempotency key from credential, tool and arguments, so that a model or host can repeat a call without
 * creating a record twice. To create an equal record on purpose, a model sends another `idempotency_key`.
 */
function idempotencyKeyOf({ credential }: Caller, { definition }: Tool, args: Arguments): string {
  return `mcp-${sha256(`${credential}\n${definition.name}\n`, canonicalJson(args))}`;
}

/** The fields of a reply that decide what the model is told. `results` is the field of a batch's reply. */
interface CallReply {
  idempotent?: boolean;
  status?: string;
  results?: { error?: Failure }[];
}

async function successResult(
  caller: Caller,
  { request }: Tool,
  { text, headers }: ResourceReply,
  isDetailed: boolean,
): Promise<ResultText> {
  const reply = text === "" ? {} : JSON.parse(text) as CallReply;
  for (const item of reply.results ?? []) if (item.error) item.error = withTools(item.error);
  // Even a detailed reply is serialized again, to remove the database's white space, which would cost the model tokens.
  const isList = request.expand !== undefined && pathParameters(request).length === 0;
  const concise = async () =>
    isList ? conciseList(reply as never, await caller.shownTime()) : short(reply as Json);
  const shown = (isDetailed ? reply : await concise()) as JsonObject;
  const ignored = headers.get("X-Ignored-Fields");
  const duplicates = headers.get("X-Possible-Duplicate");
  const notices = [
    ...(headers.has("Idempotent-Replayed") ? [REPLAYED] : []),
    ...(reply.idempotent && reply.status && /\/(win|lose)$/.test(request.path)
      ? [alreadyClosed(reply.status)]
      : []),
    ...(ignored === null ? [] : [`Não foram usados, porque nada mudou: ${ignored}`]),
    ...(duplicates === null
      ? []
      : [`Já havia registros parecidos; talvez seja o mesmo cadastro: ${duplicates}`]),
  ];
  // In the structured content too, because some clients show the model nothing else.
  const json = JSON.stringify({ ...shown, ...(notices.length > 0 && { notices }) });
  const content = JSON.stringify({ type: "text", text: json === "{}" ? "Feito" : json });
  return new ResultText(`{"content":[${content}],"structuredContent":${json}}`);
}

/**
 * The text for a call of `deals_win` or `deals_lose` on a deal that was already closed, perhaps with the other result
 * (spec 3).
 */
function alreadyClosed(status: string): string {
  return `O negócio já estava fechado, com o status ${status}, e nada mudou. Para mudar o resultado ou o motivo, ` +
    'reabra com deals_update (status "aberto") e feche outra vez';
}

const REPLAYED =
  "Esta é a resposta de uma chamada igual das últimas 24 horas: nada foi criado agora, e o registro pode ter " +
  `mudado desde então. Para criar de propósito outro igual, envie ${IDEMPOTENCY_ARGUMENT}`;

interface Failure {
  message: string;
  details?: FieldError[];
}

/** The error with the names of tools in its messages. */
function withTools(error: Failure): Failure {
  const named = <Part extends { message: string }>(part: Part) => ({
    ...part,
    message: nameTools(part.message),
  });
  return { ...named(error), ...(error.details && { details: error.details.map(named) }) };
}

/**
 * An error of the API, converted for a model: it names tools instead of operations, and includes the request id and the
 * seconds to wait from the headers.
 */
export function errorResult(text: string, headers = new Headers()): ErrorResult {
  const { error } = JSON.parse(text) as { error: Failure };
  const requestId = headers.get("X-Request-Id");
  const retryAfter = headers.get("Retry-After");
  const structuredContent = {
    error: {
      ...withTools(error),
      ...(requestId !== null && { request_id: requestId }),
      ...(retryAfter !== null && { retry_after: Number(retryAfter) }),
    },
  };
  return {
    content: [{ type: "text", text: JSON.stringify(structuredContent) }],
    structuredContent,
    isError: true,
  };
}

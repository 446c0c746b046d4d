import { ApiError } from "../_shared/contract/errors.ts";
import type { RequestHandler } from "../_shared/http/app.ts";
import { readAppToken, readBearer } from "../_shared/http/bearer.ts";
import { addressHeader, clientAddress } from "../_shared/http/client_address.ts";
import { readKeyOrToken } from "../_shared/http/gates.ts";
import { IDEMPOTENCY_HEADER } from "../_shared/http/idempotency.ts";
import { serveResource } from "../_shared/http/serve.ts";
import { loadOnce } from "../_shared/runtime/load_once.ts";
import { RESOURCES } from "./resources.ts";
import { type Offer, readOffer } from "./offer.ts";
import { LocalTime } from "./local_time.ts";
import { RpcError } from "./rpc.ts";

/** The headers that are copied from a resource's reply to this function's reply. */
const PASSED_ON = ["X-Request-Id", "RateLimit-Policy", "RateLimit", "Retry-After"];

export interface ResourceRequest {
  resource: string;
  method: string;
  /** The path below the resource's function, with the query. */
  path: string;
  body?: unknown;
  idempotencyKey?: string | undefined;
}

export interface ResourceReply {
  status: number;
  headers: Headers;
  text: string;
}

/** Converts a resource's error to a protocol error. The HTTP status is 401 for a refused key, otherwise 200. */
export function rpcErrorOf({ status, headers, text }: ResourceReply): RpcError {
  const { error: { message, ...error } } = JSON.parse(text) as { error: { message: string } };
  const data = { ...error, request_id: headers.get("X-Request-Id") };
  return new RpcError("apiError", message, data, status === 401 ? 401 : 200);
}

/** The parts of the reply to `GET /api-v1-me` that this function uses. */
export interface Me {
  key: { name: string; scopes: string[] };
  workspace: { name: string; time_zone: string };
  member: { name: string };
}

/** The workspace's time zone for each key or token, cached for ten minutes. */
const timeZones = new Map<string, { time: LocalTime; until: number }>();
const TIME_ZONE_KEPT_MS = 600_000;
const MAX_TIME_ZONES = 1000;

/** The handler of each resource. The first call of a handler loads the resource's table. */
const HANDLERS: ReadonlyMap<string, () => Promise<RequestHandler>> = new Map(
  Object.keys(RESOURCES).map((name) => [name, loadOnce(async () => serveResource(await RESOURCES[name]!()))]),
);

/** The sender of a request. Resources are called with the sender's key or token, and address. */
export class Caller {
  /** The request id of the reply if no resource is called. A resource's reply has its own id. */
  readonly requestId = crypto.randomUUID();
  /** Headers for the reply, from the resource that was called last. */
  readonly headers: Record<string, string> = {};

  /**
   * @param credential what the gate read from `sent`
   * @param sent the header with the key or the token
   */
  constructor(
    readonly credential: string,
    readonly sent: Readonly<Record<string, string>>,
    readonly offer: Offer,
    readonly address: string | null,
  ) {}

  /** Whether a resource was called; its gate has then admitted or refused the caller. */
  get wasAnswered(): boolean {
    return Object.keys(this.headers).length > 0;
  }

  /** Reads the key's own data; returns the reply if it is an error. */
  async identify(): Promise<Me | ResourceReply> {
    const reply = await this.call({ resource: "api-v1-me", method: "GET", path: "/" });
    if (reply.status !== 200) return reply;
    const me = JSON.parse(reply.text) as Me;
    if (timeZones.size >= MAX_TIME_ZONES) timeZones.clear();
    const time = new LocalTime(me.workspace.time_zone);
    timeZones.set(this.credential, { time, until: Date.now() + TIME_ZONE_KEPT_MS });
    return me;
  }

  /** The time zone of the workspace, cached for ten minutes; if reading it fails, the resource's error reply. */
  async localTime(): Promise<LocalTime | ResourceReply> {
    const kept = timeZones.get(this.credential);
    if (kept && kept.until > Date.now()) return kept.time;
    const me = await this.identify();
    return timeZones.get(this.credential)?.time ?? me as ResourceReply;
  }

  /** The time zone for times that are shown: UTC if it cannot be read. */
  async shownTime(): Promise<LocalTime> {
    const time = await this.localTime();
    return time instanceof LocalTime ? time : new LocalTime("UTC");
  }

  /**
   * Calls the handler that also serves the resource over HTTP. So the same gate, limits, checks, SQL statement and log
   * line apply.
   */
  async call({ resource, method, path, body, idempotencyKey }: ResourceRequest): Promise<ResourceReply> {
    const handler = await HANDLERS.get(resource)!();
    const request = new Request(`http://mcp/${resource}${path === "/" ? "" : path}`, {
      method,
      headers: {
        ...this.sent,
        ...addressHeader(this.address),
        // Strict, so that the model learns of a misspelt field.
        ...(body !== undefined && { "Content-Type": "application/json", "Prefer": "handling=strict" }),
        ...(idempotencyKey !== undefined && { [IDEMPOTENCY_HEADER]: idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await handler(request);
    for (const name of PASSED_ON) {
      const value = response.headers.get(name);
      if (value !== null) this.headers[name] = value;
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

/**
 * Reads the key from `X-API-Key` or, if this header is absent, a key or an app's token from `Authorization: Bearer`,
 * because some clients can send only one of these headers.
 */
export async function readCaller(headers: Headers): Promise<Caller | ApiError | RpcError> {
  const key = headers.get("X-API-Key") ?? readBearer(headers);
  if (key === null) return new ApiError("missing_api_key", undefined, MISSING_KEY);
  const sent = readAppToken(headers) === null ? { "X-API-Key": key } : { "Authorization": `Bearer ${key}` };
  const credential = await readKeyOrToken(new Headers(sent));
  if (credential instanceof ApiError) return credential;
  const offer = readOffer(headers);
  return offer instanceof RpcError ? offer : new Caller(credential, sent, offer, clientAddress(headers));
}

const MISSING_KEY = "Envie a chave de API no cabeçalho X-API-Key ou em Authorization: Bearer";

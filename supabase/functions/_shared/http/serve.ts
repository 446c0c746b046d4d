import type { Context } from "hono";
import { answer } from "./answer.ts";
import { functionApp, type RequestHandler } from "./app.ts";
import { callDoor, type DoorReply } from "../postgres/door.ts";
import type { Endpoint, Resource } from "../contract/endpoint.ts";
import { ApiError, keepApiError } from "../contract/errors.ts";
import { hashRequest, readIdempotencyKey } from "./idempotency.ts";
import { type Json, type JsonBody, readJsonBody } from "./json_body.ts";
import { hashKey, KEY_PREFIX } from "./keys.ts";
import { ignoredFieldsHeader, jsonReply } from "./reply.ts";
import { validateBody, validateQuery } from "./validation.ts";
import { functionsUrl } from "../runtime/service.ts";

/**
 * The handler of a resource. Every request is taken the same way (design §1): read and validate, ask the door, answer.
 * An answer known without the door (404, 405, 400, 422) is given after it all the same: the gate comes first.
 */
export function serveResource(resource: Resource): RequestHandler {
  const app = functionApp(resource.name);
  for (const [path, endpoints] of resource.byPath()) {
    for (const [method, endpoint] of endpoints) {
      app.on(method, path, (c) => respond(c, resource, endpoint));
    }
    const allow = [...endpoints.keys()].join(", ");
    const refusal = new ApiError(
      "method_not_allowed",
      undefined,
      `Método não aceito neste endereço; use ${allow}`,
    );
    app.all(path, async (c) => {
      const response = await respond(c, resource, refusal);
      response.headers.set("Allow", allow);
      return response;
    });
  }
  app.all("*", (c) => respond(c, resource, new ApiError("not_found")));
  return app.fetch;
}

/** A request that passed validation. */
interface Input {
  args: Record<string, Json>;
  ignored: string[];
  reveal: Record<string, unknown> | undefined;
  idempotency: { key: string; requestHash: string } | undefined;
}

function respond(c: Context, resource: Resource, target: Endpoint | ApiError): Promise<Response> {
  return answer<DoorReply>(c, async (keep) => {
    const keyHash = readKey(c.req.raw.headers);
    const [endpoint, input] = target instanceof ApiError
      ? [null, target] as const
      : [target, await read(c, resource, target).catch(keepApiError)] as const;
    const call = { keyHash, scope: endpoint?.scope ?? null };
    if (endpoint === null || input instanceof ApiError) {
      const { refusal } = keep(await callDoor({ ...call, verb: null, args: {} }));
      throw refusal ?? input;
    }
    const { verb } = endpoint;
    const door = keep(await callDoor({ ...call, verb, args: input.args, idempotency: input.idempotency }));
    if (door.refusal) throw door.refusal;
    return success(resource, endpoint, input, door);
  }, (door) => ({
    function: resource.name,
    verb: target instanceof ApiError ? null : target.verb,
    key_id: door?.keyId,
  }));
}

/** @throws {ApiError} missing_api_key, invalid_api_key; anything that looks like a key is for the database to judge */
function readKey(headers: Headers): string {
  const key = headers.get("X-API-Key");
  if (key === null) throw new ApiError("missing_api_key");
  if (!key.startsWith(KEY_PREFIX)) throw new ApiError("invalid_api_key");
  return hashKey(key);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @throws {ApiError} in this order: not_found, the malformed body's code, validation_error, invalid_idempotency_key */
async function read(c: Context, resource: Resource, endpoint: Endpoint): Promise<Input> {
  const { raw } = c.req;
  const id = c.req.param("id");
  if (id !== undefined && !UUID.test(id)) throw new ApiError("not_found");
  const input: Input = { args: {}, ignored: [], reveal: undefined, idempotency: undefined };

  let body: JsonBody | null = null;
  if (endpoint.body) {
    body = await readJsonBody(raw, endpoint.malformed);
    if (body === null && !endpoint.bodyOptional) throw new ApiError(endpoint.malformed);
  }
  const query = validateQuery(endpoint.query, searchOf(raw.url));
  if (endpoint.body) {
    const { args, ignored } = validateBody(endpoint.body, body ?? { value: {}, faults: [] });
    input.args = args;
    input.ignored = ignored;
    if (endpoint.idempotent) {
      const key = readIdempotencyKey(raw.headers);
      if (key !== null) {
        input.idempotency = { key, requestHash: hashRequest(resource.name, body?.value ?? {}) };
      }
    }
  }
  if (endpoint.prepare) {
    const prepared = await endpoint.prepare(input.args as never);
    input.args = prepared.args;
    input.reveal = prepared.reveal;
  }
  Object.assign(input.args, query, id !== undefined && { id });
  return input;
}

/** Of the text: the rest of the URL is made of the Host header, which may be no host at all. */
function searchOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start));
}

function success(resource: Resource, endpoint: Endpoint, input: Input, door: DoorReply): Response {
  const headers = ignoredFieldsHeader(input.ignored);
  if (door.replayed) headers["Idempotent-Replayed"] = "true";
  if (endpoint.status === 204) return jsonReply(204, null, headers);
  if (endpoint.status === 201 && resource.hasDetail) {
    const { id } = JSON.parse(door.body!) as { id: string };
    headers["Location"] = `${functionsUrl()}/${resource.name}/${id}`;
  }
  const body = input.reveal ? JSON.stringify({ ...JSON.parse(door.body!), ...input.reveal }) : door.body;
  return jsonReply(door.replayed ? 200 : endpoint.status, body, headers);
}

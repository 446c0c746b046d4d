import assert from "node:assert/strict";
import { z } from "zod";
import { type ErrorCode, ERRORS } from "../../supabase/functions/_shared/contract/errors.ts";
import { errorCodes } from "../../tools/errors/error_codes.ts";
import type { Route } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { readReply, type Reply } from "./reply.ts";
import { resources } from "./resources.ts";
import { baseUrl } from "./stack.ts";

export type { Reply };

/** The error envelope (spec 7), without any other field. */
const ErrorEnvelope = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode]),
    message: z.string().min(1),
    details: z.array(
      z.strictObject({
        field: z.string(),
        message: z.string().min(1),
        id: z.uuid().optional(),
        choices: z.array(
          z.strictObject({ id: z.uuid(), name: z.string().min(1), type: z.string().optional() }),
        ).min(1).max(20).optional(),
      }),
    ).min(1).optional(),
  }),
});

interface CallOptions {
  /** Null: no X-API-Key header. */
  key?: string | null;
  /** An access token; null: no Authorization header. */
  session?: string | null;
  /** Sent as JSON, unless it is text or bytes already. */
  body?: unknown;
  headers?: Record<string, string> | undefined;
  /** The URL of functions other than the shared stack's. */
  base?: string;
}

/**
 * Calls the API as an integrator would. Every reply is validated by the schema of its operation or by the error
 * envelope; an error's status must match its code.
 */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
  const { key = null, session = null, body, headers, base = baseUrl } = options;
  const raw = body === undefined || typeof body === "string" || body instanceof Uint8Array ||
    body instanceof ReadableStream;
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(key !== null && { "X-API-Key": key }),
      ...(session !== null && { Authorization: `Bearer ${session}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: raw ? body as BodyInit : JSON.stringify(body) }),
    redirect: "manual",
  });
  const reply = await readReply(response);
  checkReply(method, path, reply);
  return reply;
}

/** Calls the API with one key. */
export function client(key: string) {
  return clientWith({ key });
}

/** Calls the API as a member who is signed in. */
export function memberClient(session: string) {
  return clientWith({ session });
}

function clientWith(credentials: Pick<CallOptions, "key" | "session">) {
  const send = (method: string) => (path: string, body?: unknown, headers?: Record<string, string>) =>
    call(method, path, { ...credentials, body, headers });
  return {
    get: (path: string, headers?: Record<string, string>) => call("GET", path, { ...credentials, headers }),
    post: send("POST"),
    patch: send("PATCH"),
    delete: send("DELETE"),
  };
}

/** Asserts that the reply is an error with that code and details about exactly these fields. Returns them by field. */
export function assertError(
  reply: Reply,
  code: ErrorCode,
  fields?: readonly string[],
  message?: string,
): Record<string, string> {
  assert.equal(reply.body?.error?.code, code, reply.text);
  assert.equal(reply.status, ERRORS[code].status);
  const details: { field: string; message: string }[] = reply.body.error.details ?? [];
  const byField = Object.fromEntries(details.map(({ field, message }) => [field, message]));
  if (fields !== undefined) assert.deepEqual(Object.keys(byField), fields, message ?? reply.text);
  return byField;
}

function checkReply(method: string, path: string, reply: Reply): void {
  if (method !== "HEAD" && reply.status !== 204 && reply.status !== 304) {
    assert.equal(reply.headers.get("Content-Type"), "application/json; charset=utf-8");
  }
  const route = findRoute(method, path);
  const open = route?.endpoint.gate === "none" && reply.status in route.endpoint.replies;
  if ((reply.status >= 400 || reply.status === ERRORS.merged.status) && !open) {
    if (method === "HEAD") return;
    const { error } = ErrorEnvelope.parse(reply.body);
    assert.equal(reply.status, ERRORS[error.code].status);
    if (route !== undefined) {
      assert.ok(documentedCodes(route).includes(error.code), `${error.code} is not documented`);
    }
    return;
  }
  if (route === undefined) return;
  const { endpoint } = route;
  if (endpoint.reply === null || reply.status === 304) {
    assert.equal(reply.text, "");
    return;
  }
  // Parsing must drop no field: clients would rely on a field that the schema does not declare.
  assert.deepEqual(endpoint.reply.parse(reply.body), reply.body);
}

const codesByRoute = new Map<Route, ErrorCode[]>();

/** The error codes of a route. They are kept, because deriving them takes longer than many calls. */
function documentedCodes(route: Route): ErrorCode[] {
  const codes = codesByRoute.get(route) ?? errorCodes(route);
  codesByRoute.set(route, codes);
  return codes;
}

/** Finds the route of a call; undefined if the service has none. */
export function findRoute(method: string, path: string): Route | undefined {
  const [name, ...parts] = path.split("?")[0]!.split("/").filter(Boolean);
  const matches = (pattern: string) => {
    const wanted = pattern.split("/").filter(Boolean);
    return wanted.length === parts.length &&
      wanted.every((part, at) => part.startsWith(":") || part === parts[at]);
  };
  const routes = resources.find((resource) => resource.name === name)?.routes ?? [];
  return routes.filter((route) => route.method === method && matches(route.path))
    .sort((a, b) => Number(a.path.includes(":")) - Number(b.path.includes(":")))[0];
}

import type { Context } from "hono";
import { DEFAULT_BODY_LIMITS } from "../contract/declaration.ts";
import type { Endpoint, Resource } from "../contract/endpoint.ts";
import { ApiError, methodNotAllowed, unknownAddress } from "../contract/errors.ts";
import {
  allowedMethods,
  byPath,
  hasDetail,
  type RouteEntry,
  type RouteTable,
} from "../contract/route_table.ts";
import { callDoor, type DoorCall, type DoorReply, workspaceOf } from "../postgres/door.ts";
import { loadOnce } from "../runtime/load_once.ts";
import { logFault } from "../runtime/log.ts";
import { functionsUrl } from "../runtime/service.ts";
import { isTurnedAway, readAdmittedBody } from "./admitted_body.ts";
import { createCall, functionApp, type RequestHandler } from "./app.ts";
import { completeResults } from "./batch_results.ts";
import type { Call, Gate } from "./call.ts";
import { clientAddress } from "./client_address.ts";
import { GATES } from "./gates.ts";
import { type Input, type Reading, readInput } from "./input.ts";
import { isRepeatable, type Outcome, outcomeWithoutDatabase, type Success } from "./outcome.ts";
import { PACES } from "./pace.ts";
import { ignoredFieldsHeader } from "./reply.ts";
import { respond } from "./respond.ts";
import { addedFieldAt, notModifiedOr, versionHeaders } from "./version.ts";

/** Computes the reply of an endpoint that requires no credential. */
export type Answer = () => Promise<{ status: number; body: unknown }>;

/**
 * Creates the handler of a resource: `handle` determines the outcome of each call, `respond` makes the response.
 *
 * @param gate by default the table's gate from gates.ts; a resource with sessions must pass the gate of session_gate.ts
 */
export function serveResource(table: RouteTable, gate: Gate = gateOf(table)): RequestHandler {
  const served = { table, load: loadOnce(table.load) };
  return serve(table, gate, (call) => handle(call, gate, served));
}

/** Creates the handler of a resource that requires no credential. `answers` has a function for each operation. */
export function serveOpen(table: RouteTable, answers: Readonly<Record<string, Answer>>): RequestHandler {
  return serve(table, null, async ({ target }) => {
    if (target instanceof ApiError) return outcomeWithoutDatabase(target);
    const { status, body } = await answers[target.operation]!();
    return outcomeWithoutDatabase({ status, body: JSON.stringify(body) });
  });
}

function serve(
  { name, gate: gateName, routes }: RouteTable,
  gate: Gate | null,
  outcomeOfCall: (call: Call) => Promise<Outcome>,
): RequestHandler {
  const app = functionApp(name, gateName);
  const handlerFor = (target: RouteEntry | ApiError) => async (c: Context) => {
    const call = createCall(c, name, { gateName, gate, target });
    const outcome = await outcomeOfCall(call).catch((fault) =>
      outcomeWithoutDatabase(internalError(call, fault))
    );
    if (isRepeatable(outcome)) await PACES[gateName].wait();
    return respond(call, outcome);
  };
  for (const [path, entries] of byPath(routes)) {
    const archives = routes.some((route) => route.path === `${path}/archive`);
    const archive = archives ? `POST /${name}${path}/archive` : undefined;
    const rejectMethod = handlerFor(methodNotAllowed(allowedMethods(entries), archive));
    for (const [method, entry] of entries) {
      const handler = handlerFor(entry);
      const headHandler = entry.head === false ? rejectMethod : handler;
      // Hono calls the handler of GET for HEAD too.
      app.on(method, path, (c) => c.req.method === "HEAD" ? headHandler(c) : handler(c));
    }
    app.all(path, rejectMethod);
  }
  app.all("*", handlerFor(unknownAddress));
  return app.fetch;
}

function gateOf({ name, gate }: RouteTable): Gate {
  const known = gate === "session" ? null : GATES[gate];
  if (known === null) throw new Error(`${name} must be served with its gate, or by serveOpen`);
  return known;
}

/** A resource. The first call that needs its endpoints with their schemas loads them. */
interface Served {
  readonly table: RouteTable;
  readonly load: () => Promise<Resource>;
}

async function endpointOf({ load }: Served, { operation }: RouteEntry): Promise<Endpoint> {
  const { routes } = await load();
  return routes.find(({ endpoint }) => endpoint.operation === operation)!.endpoint;
}

/**
 * Determines the outcome of a call. Errors of the gate take precedence over errors of the request (spec 5.7). The
 * request is nevertheless validated before the gate runs, so that one statement is enough. If the request is invalid,
 * that statement runs the gate without a verb.
 */
async function handle(call: Call, gate: Gate, served: Served): Promise<Outcome> {
  const { target } = call;
  const credential = await gate.readCredential(call);
  if (credential instanceof ApiError) return outcomeWithoutDatabase(credential);

  const ask = (question: Partial<DoorCall>) =>
    callDoor(gate.doorOf(credential), {
      requestId: call.id,
      credential,
      address: clientAddress(call.request.headers),
      scope: null,
      verb: null,
      args: {},
      ...question,
    });
  if (target instanceof ApiError) return outcomeOf(await ask({}), () => target);

  const load = () => endpointOf(served, target);
  const reading = await receive(call, target, credential, () => ask({ args: null }), load);
  if ("error" in reading) return outcomeOf(reading, () => reading.error!);
  const { input, idempotency } = reading;
  const valid = !(input instanceof ApiError) && { verb: target.operation, args: input.args };
  const door = await ask({ scope: target.requirement, idempotency, ...valid });
  const result = async () => {
    // A replay takes precedence: a new release may refuse a request that an earlier release answered.
    if (input instanceof ApiError && !door.replayed) return input;
    const success = await createSuccess(served, target, input, door);
    return target.method === "GET" ? notModifiedOr(success, call.request) : success;
  };
  // Exceptions are caught here, where the caller is known, so that the caller's request log shows the error too.
  return outcomeOf(door, () => result().catch((fault) => internalError(call, fault)));
}

/** Stands for the workspace of a caller whom the door does not know and will refuse. */
const NO_WORKSPACE = "00000000-0000-0000-0000-000000000000";

/**
 * Reads and validates the input. Returns the door's reply instead if the door refused the caller before the body was
 * read. Separate from `handle`, so that the bytes are freed while the call waits for the database.
 */
async function receive(
  call: Call,
  entry: RouteEntry,
  credential: string,
  identify: () => Promise<DoorReply>,
  load: () => Promise<Endpoint>,
): Promise<Reading | DoorReply> {
  const findWorkspace = async () =>
    workspaceOf(credential) ?? (await identify()).admission.workspaceId ?? NO_WORKSPACE;
  if (!entry.body) return await readInput(call, entry, null, load, findWorkspace);
  const { request, gateName } = call;
  const { bytes } = entry.body.limits ?? DEFAULT_BODY_LIMITS;
  const body = await readAdmittedBody(request, gateName, credential, bytes, identify);
  return isTurnedAway(body) ? body : await readInput(call, entry, body, load, findWorkspace);
}

/** The outcome of a call that reached the door: the door's error or, if there is none, what `resultOf` returns. */
async function outcomeOf(
  { admission, events, error }: DoorReply,
  resultOf: () => Success | ApiError | Promise<Success | ApiError>,
): Promise<Outcome> {
  return { admission, events, result: error ?? await resultOf() };
}

/** Creates the reply from the verb's reply. If `input` is an error, the verb's reply is a replay. */
async function createSuccess(
  served: Served,
  entry: RouteEntry,
  input: Input | ApiError,
  { body, replayed, found }: DoorReply,
): Promise<Success> {
  const { ignored = [], reveal, headers: own }: Partial<Input> = input instanceof ApiError ? {} : input;
  const ignoredHeaders = ignoredFieldsHeader([...ignored, ...unappliedFields(entry, input, body)]);
  const headers: Record<string, string> = {
    ...ignoredHeaders,
    // A replay shows an old state of the record, so it gets neither ETag nor Preference-Applied.
    ...(replayed
      ? { "Idempotent-Replayed": "true" }
      : { ...own, ...(body && showsRecord(entry, input) && versionHeaders(entry, body)) }),
  };
  if (entry.status === 204) return { status: 204, body: null, headers };
  const operation = entry.continues && operationOf(body!);
  if (operation) return { status: 202, body, headers: { ...ignoredHeaders, ...own, "Location": operation } };
  const status = replayed || found ? 200 : entry.status;
  const finish = entry.finish && await finishOf(served, entry);
  const isCreation = entry.status === 201 && !found;
  // An upsert with dry_run creates nothing, but names the records that the new record would resemble.
  const namesDuplicates = entry.status === 201 && addedFieldAt(body!, DUPLICATES) !== -1;
  // A reply that is returned unchanged need not be parsed.
  if (!isCreation && !namesDuplicates && !reveal && !finish) return { status, body, headers };

  const { [DUPLICATES]: duplicates, ...reply } = JSON.parse(body!) as CreationReply;
  if (duplicates !== undefined) headers[DUPLICATES] = duplicates;
  const added = { ...reveal, ...await finish?.(reply) };
  const kept = duplicates === undefined ? body! : `${body!.slice(0, addedFieldAt(body!, DUPLICATES))}}`;
  const text = reveal || finish ? JSON.stringify({ ...reply, ...added }) : kept;
  if (!isCreation) return { status, body: text, headers };
  const createdId = reply.id ?? reply.lead?.deal_id;
  const { table } = served;
  // An object below a record, such as a deal's contact, has no address, so its reply has no `Location`.
  const location = createdId !== undefined && hasDetail(table.routes) &&
    { "Location": `${functionsUrl()}/${table.name}/${createdId}` };
  return {
    status,
    body: text,
    headers: { ...headers, ...location },
    createdId,
  };
}

/** Whether the reply is one record. The reply to a new contact is the record only if the request has `Prefer`. */
function showsRecord({ etag }: RouteEntry, input: Input | ApiError): boolean {
  return etag || !(input instanceof ApiError) && "prefer" in input.args;
}

/** The header with the ids of records similar to the new one. The verb appends a field with this name to its reply. */
const DUPLICATES = "X-Possible-Duplicate";

interface CreationReply {
  id?: string;
  lead?: { deal_id: string };
  results?: unknown;
  [DUPLICATES]?: string;
}

/** The address of the background operation that the call began; undefined if the call completed all work. */
function operationOf(body: string): string | undefined {
  const { operation } = JSON.parse(body) as { operation?: { id: string } };
  return operation && `${functionsUrl()}/api-v1-operations/${operation.id}`;
}

/** The hook that completes the verb's reply. */
async function finishOf(served: Served, entry: RouteEntry) {
  if (entry.finish === "batch results") return completeResults;
  return (await endpointOf(served, entry)).finish;
}

/**
 * The sent fields that an action did not apply because the record was already in the requested state. Fields with the
 * record's own values are left out, so that a client that merely repeats an action gets no names.
 */
function unappliedFields(entry: RouteEntry, input: Input | ApiError, body: string | null): string[] {
  if (!entry.namesUnapplied || input instanceof ApiError || body === null) return [];
  const sent = Object.entries(input.sent);
  if (sent.length === 0) return [];
  const reply = JSON.parse(body) as Record<string, unknown>;
  return reply["idempotent"] === true
    ? sent.flatMap(([name, value]) => reply[name] === value ? [] : name)
    : [];
}

/**
 * Logs an exception with the request id, and returns internal_error, which tells the client nothing about the cause.
 */
function internalError(call: Call, fault: unknown): ApiError {
  logFault(call.id, fault);
  return new ApiError("internal_error");
}

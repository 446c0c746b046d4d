import type { Context } from "hono";
import { allowedMethods, type Endpoint, requirementOf, type Resource } from "../contract/endpoint.ts";
import { ApiError, methodNotAllowed } from "../contract/errors.ts";
import { bodyAllowance, callDoor, type DoorCall, type DoorReply } from "../postgres/door.ts";
import { log } from "../runtime/log.ts";
import { functionsUrl } from "../runtime/service.ts";
import { createCall, functionApp, type RequestHandler } from "./app.ts";
import { BodyReader } from "./body_reader.ts";
import { type Gate, GATES } from "./gates.ts";
import { type Input, type Reading, readInput } from "./input.ts";
import { type Call, isRepeatable, type Outcome, outcomeWithoutDatabase, type Success } from "./outcome.ts";
import { PACES } from "./pace.ts";
import { ignoredFieldsHeader } from "./reply.ts";
import { respond } from "./respond.ts";

/**
 * Creates the handler of a resource. Calls of every gate take the same path: `handle` determines the outcome, and
 * `respond` creates the response from it.
 *
 * @param gate the gate of a resource for sessions; the others are known here
 */
export function serveResource(resource: Resource, gate: Gate | null = gateOf(resource)): RequestHandler {
  const app = functionApp(resource.name, resource.gate);
  const handlerFor = (target: Endpoint | ApiError) => async (c: Context) => {
    const call = createCall(c, resource.name, { gateName: resource.gate, gate, target });
    const outcome = await handle(call, resource).catch((fault) =>
      outcomeWithoutDatabase(internalError(call, fault))
    );
    if (isRepeatable(outcome)) await PACES[call.gateName].wait();
    return respond(call, outcome);
  };
  for (const [path, endpoints] of resource.byPath()) {
    const rejectMethod = handlerFor(methodNotAllowed(allowedMethods(endpoints)));
    for (const [method, endpoint] of endpoints) {
      const handler = handlerFor(endpoint);
      const headHandler = endpoint.head ? handler : rejectMethod;
      // Hono routes HEAD requests to the handler of GET.
      app.on(method, path, (c) => c.req.method === "HEAD" ? headHandler(c) : handler(c));
    }
    app.all(path, rejectMethod);
  }
  app.all("*", handlerFor(new ApiError("not_found")));
  return app.fetch;
}

function gateOf({ name, gate }: Resource): Gate | null {
  if (gate === "session") throw new Error(`${name} must be served with sessionGate`);
  return GATES[gate];
}

/**
 * Determines the outcome of a call. The errors of the gate take precedence over those of the request (spec 5.7),
 * although the request is validated first: for an invalid request the statement runs only the gate, without a verb, so
 * that every call is one statement.
 */
async function handle(call: Call, resource: Resource): Promise<Outcome> {
  const { target, gate } = call;
  if (gate === null) return outcomeWithoutDatabase(await callOpenEndpoint(target));
  const credential = await gate.readCredential(call);
  if (credential instanceof ApiError) return outcomeWithoutDatabase(credential);

  const ask = (question: Partial<DoorCall>) =>
    callDoor(gate.door, { requestId: call.id, credential, scope: null, verb: null, args: {}, ...question });
  if (target instanceof ApiError) return outcomeOf(await ask({}), () => target);

  const reading = await receive(call, target, credential, () => ask({ args: null }));
  if ("error" in reading) return outcomeOf(reading, () => reading.error!);
  const { input, idempotency } = reading;
  const valid = !(input instanceof ApiError) && { verb: input.verb, args: input.args };
  const door = await ask({ scope: requirementOf(target), idempotency, ...valid });
  // The original reply is repeated even if the same request is invalid by now.
  return outcomeOf(
    door,
    () => input instanceof ApiError && !door.replayed ? input : createSuccess(resource, target, input, door),
  );
}

/**
 * Reads and validates the input, or returns the reply of the door that turned the caller away before its body was read.
 * A function of its own, so that the bytes are not kept while the call waits for the database.
 */
async function receive(
  call: Call,
  endpoint: Endpoint,
  credential: string,
  identify: () => Promise<DoorReply>,
): Promise<Reading | DoorReply> {
  if (!endpoint.body) return await readInput(call, endpoint, null);
  const reader = new BodyReader(call.request, endpoint.bodyLimits.bytes);
  const allowance = bodyAllowance(credential, PACES[call.gateName].isBusy);
  if (allowance === "none" || (allowance === "small" && !await reader.readSmall())) {
    const door = await identify();
    if (door.error) return door;
  }
  return await readInput(call, endpoint, await reader.readAll());
}

/** The outcome of a call that a door has answered: its error, or else the result of the function. */
async function outcomeOf(
  { admission, events, error }: DoorReply,
  resultOf: () => Success | ApiError | Promise<Success>,
): Promise<Outcome> {
  return { admission, events, result: error ?? await resultOf() };
}

/** Runs an endpoint that requires no credential. */
async function callOpenEndpoint(target: Endpoint | ApiError): Promise<Success | ApiError> {
  if (target instanceof ApiError) return target;
  if (target.gate !== "none") throw new Error(`${target.operation} has a gate`);
  const { status, body } = await target.answer();
  return { status, body: JSON.stringify(body) };
}

/** Creates the reply of a verb. Of an input that is invalid, only the original reply is repeated. */
async function createSuccess(
  resource: Resource,
  endpoint: Endpoint,
  input: Input | ApiError,
  { body, replayed }: DoorReply,
): Promise<Success> {
  const { ignored = [], reveal = undefined } = input instanceof ApiError ? {} : input;
  const headers = ignoredFieldsHeader(ignored);
  if (replayed) headers["Idempotent-Replayed"] = "true";
  if (endpoint.status === 204) return { status: 204, body: null, headers };
  const status = replayed ? 200 : endpoint.status;
  const { finish } = endpoint;
  const isCreation = endpoint.status === 201;
  // The text of a reply to which nothing is added is returned without being parsed.
  if (!isCreation && !reveal && !finish) return { status, body, headers };

  const reply = JSON.parse(body!) as { id?: string; lead?: { deal_id: string } };
  const added = { ...reveal, ...await finish?.(reply) };
  const text = reveal || finish ? JSON.stringify({ ...reply, ...added }) : body;
  if (!isCreation) return { status, body: text, headers };
  const createdId = reply.id ?? reply.lead?.deal_id;
  if (resource.hasDetail) headers["Location"] = `${functionsUrl()}/${resource.name}/${createdId}`;
  return { status, body: text, headers, createdId };
}

/** Logs an exception with the request's id, and returns internal_error: the cause must not reach the client. */
function internalError(call: Call, fault: unknown): ApiError {
  log("error", {
    request_id: call.id,
    error: fault instanceof Error ? fault.stack ?? fault.message : String(fault),
  });
  return new ApiError("internal_error");
}

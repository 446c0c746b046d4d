import type { Context } from "hono";
import type { Endpoint, Resource } from "../contract/endpoint.ts";
import { ApiError, methodNotAllowed } from "../contract/errors.ts";
import { callDoor, type DoorReply } from "../postgres/door.ts";
import { log } from "../runtime/log.ts";
import { functionsUrl } from "../runtime/service.ts";
import { createCall, functionApp, type RequestHandler } from "./app.ts";
import { GATES } from "./gates.ts";
import { type Input, readInput } from "./input.ts";
import { type Call, type Outcome, outcomeWithoutDatabase, type Success } from "./outcome.ts";
import { ignoredFieldsHeader } from "./reply.ts";
import { respond } from "./respond.ts";

/**
 * Creates the handler of a resource. Calls of every gate take the same path: `handle` determines the outcome, and
 * `respond` creates the response from it.
 */
export function serveResource(resource: Resource): RequestHandler {
  const app = functionApp(resource.name);
  const handlerFor = (target: Endpoint | ApiError) => async (c: Context) => {
    const call = createCall(c, resource.name, resource.gate, target);
    return respond(
      call,
      await handle(call, resource).catch((fault) => outcomeWithoutDatabase(internalError(call, fault))),
    );
  };
  for (const [path, endpoints] of resource.byPath()) {
    const rejectMethod = handlerFor(methodNotAllowed(endpoints.keys()));
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

/**
 * Determines the outcome of a call. The errors of the gate take precedence over those of the request (spec 5.7),
 * although the request is validated first: for an invalid request the statement runs only the gate, without a verb, so
 * that every call is one statement.
 */
async function handle(call: Call, resource: Resource): Promise<Outcome> {
  const { target } = call;
  const gate = GATES[call.gate];
  if (gate === null) return outcomeWithoutDatabase(await callOpenEndpoint(target));
  const credential = gate.readCredential(call);
  if (credential instanceof ApiError) return outcomeWithoutDatabase(credential);

  const input = target instanceof ApiError ? target : await readInput(call, target);
  const door = await callDoor(gate.door, {
    requestId: call.id,
    credential,
    scope: target instanceof ApiError ? null : target.scope,
    ...(input instanceof ApiError ? { verb: null, args: {} } : input),
  });
  const { admission, events } = door;
  if (door.error) return { admission, events, result: door.error };
  return {
    admission,
    events,
    result: input instanceof ApiError ? input : createSuccess(resource, input, door),
  };
}

/** Runs an endpoint that requires no credential. */
async function callOpenEndpoint(target: Endpoint | ApiError): Promise<Success | ApiError> {
  if (target instanceof ApiError) return target;
  if (target.gate !== "none") throw new Error(`${target.operation} has a gate`);
  const { status, body } = await target.answer();
  return { status, body: JSON.stringify(body) };
}

function createSuccess(resource: Resource, input: Input, door: DoorReply): Success {
  const { endpoint } = input;
  const headers = ignoredFieldsHeader(input.ignored);
  if (door.replayed) headers["Idempotent-Replayed"] = "true";
  if (endpoint.status === 204) return { status: 204, body: null, headers };
  if (endpoint.status === 201 && resource.hasDetail) {
    const { id } = JSON.parse(door.body!) as { id: string };
    headers["Location"] = `${functionsUrl()}/${resource.name}/${id}`;
  }
  const body = input.reveal ? JSON.stringify({ ...JSON.parse(door.body!), ...input.reveal }) : door.body;
  return { status: door.replayed ? 200 : endpoint.status, body, headers };
}

/** Logs an exception with the request's id, and returns internal_error: the cause must not reach the client. */
function internalError(call: Call, fault: unknown): ApiError {
  log("error", {
    request_id: call.id,
    error: fault instanceof Error ? fault.stack ?? fault.message : String(fault),
  });
  return new ApiError("internal_error");
}

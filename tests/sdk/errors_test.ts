import assert from "node:assert/strict";
import { Crm, CrmError } from "../../clients/sdk/src/index.ts";
import { test } from "../support/scenario.ts";
import { recordingCrm } from "../support/sdk.ts";
import { baseUrl } from "../support/stack.ts";

async function errorOf(call: Promise<unknown>): Promise<CrmError> {
  const error = await call.then(() => null, (error) => error);
  assert.ok(error instanceof CrmError, String(error));
  return error;
}

function serve(answer: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  return {
    url: `http://127.0.0.1:${server.addr.port}/functions/v1`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

test("An error has the code, the status, the invalid fields and the id of the request", async ({ workspace: { key } }) => {
  const { crm, sent } = recordingCrm(key);
  const error = await errorOf(crm.contacts.create({ name: "Ana", email: "ana@", custom_fields: null }));
  assert.deepEqual([error.code, error.status, error.retryAfter], ["validation_error", 422, null]);
  assert.deepEqual(error.details.map(({ field }) => field), ["email"]);
  assert.match(error.requestId ?? "", /^[0-9a-f-]{36}$/);
  assert.ok(error.message.length > 0);
  assert.equal(sent.length, 1);
});

test("An unknown field is ignored, or is an error if the client or the call is strict", async ({ workspace: { key } }) => {
  const contact = { name: "Ana", nickname: "Aninha" };
  assert.ok((await recordingCrm(key).crm.contacts.create(contact)).id);
  const { crm } = recordingCrm(key, { strict: true });
  assert.equal((await errorOf(crm.contacts.create(contact))).details[0]!.field, "nickname");
  assert.ok((await crm.contacts.create(contact, { strict: false })).id);
});

test("ifMatch refuses to overwrite a change that somebody made meanwhile, and ifNoneMatch returns only a changed record", async ({ workspace: { key } }) => {
  const { crm } = recordingCrm(key);
  const { id } = await crm.contacts.create({ name: "Ana" });
  const seen = await crm.contacts.get(id);
  assert.equal(await crm.contacts.get(id, { ifNoneMatch: seen }), null);
  const changed = await crm.contacts.update(id, { job_title: "Compradora" }, { ifMatch: seen });
  assert.equal((await crm.contacts.get(id, { ifNoneMatch: seen }))?.job_title, "Compradora");
  const error = await errorOf(crm.contacts.update(id, { job_title: "Diretora" }, { ifMatch: seen }));
  assert.deepEqual([error.code, error.status], ["precondition_failed", 412]);
  assert.equal((await crm.contacts.update(id, { name: "Bia" }, { ifMatch: changed })).name, "Bia");
  await assert.rejects(crm.contacts.update(id, { name: "Bia" }, { ifMatch: { id } }), TypeError);
});

test("Reading a contact that was merged returns the contact that stays, also through several merges", async ({ workspace: { key } }) => {
  const { crm } = recordingCrm(key);
  const [a, b, c] = await Promise.all(["A", "B", "C"].map((name) => crm.contacts.create({ name })));
  await crm.contacts.merge(b!.id, a!.id);
  await crm.contacts.merge(c!.id, b!.id);
  assert.equal((await crm.contacts.get(a!.id)).id, c!.id);
  const error = await errorOf(crm.contacts.update(a!.id, { name: "D" }));
  assert.deepEqual([error.code, error.details[0]!.id], ["record_merged", c!.id]);
});

Deno.test("A missing key or address, and a malformed key, is a TypeError when the client is created", () => {
  for (const key of [undefined, ""]) assert.throws(() => new Crm({ key, baseUrl }), /key is missing/);
  assert.throws(() => new Crm({ key: "svc_", baseUrl: undefined }), /baseUrl is missing/);
  assert.throws(() => new Crm({ key: "svc_a\nsvc_b", baseUrl }), /^TypeError: new Crm: key is malformed$/);
  assert.throws(() => new Crm({ key: "svc_", baseUrl: "crm.example.com" }), /is not a URL/);
});

Deno.test("An empty id, `.` or `..` is a TypeError, because it would change the address", async () => {
  const { crm, sent } = recordingCrm("svc_x");
  await assert.rejects(crm.contacts.get(""), /id is missing/);
  await assert.rejects(crm.contacts.get("."), TypeError);
  await assert.rejects(crm.webhooks.delivery("x", ".."), TypeError);
  assert.equal(sent.length, 0);
});

Deno.test("A service that cannot be reached is no_answer, and a silent service is a timeout", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const address = `http://127.0.0.1:${listener.addr.port}`;
  const { crm } = recordingCrm("svc_x", { baseUrl: address, retries: 0 });
  assert.equal((await errorOf(crm.me({ timeout: 200 }))).code, "timeout");
  listener.close();
  const error = await errorOf(crm.contacts.list({ email: "ana@exemplo.com.br" }).page());
  assert.deepEqual([error.code, error.status], ["no_answer", 0]);
  // Messages are often logged, so they must not contain the query, which has an e-mail address.
  assert.equal(error.message, `No reply from GET ${address}/api-v1-contacts`);
  assert.ok(error.cause instanceof Error);
});

Deno.test("An aborted signal ends a call and its waits with the signal's reason", async () => {
  const reason = new Error("the user left");
  const { crm } = recordingCrm("svc_x");
  await assert.rejects(crm.me({ signal: AbortSignal.abort(reason) }), reason);
  await using silent = serve(() => new Promise(() => {}));
  const waiting = recordingCrm("svc_x", { baseUrl: silent.url });
  const controller = new AbortController();
  const call = waiting.crm.me({ signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(call, reason);
  await using down = serve(() => new Response(null, { status: 502 }));
  const stop = new AbortController();
  const { crm: repeating } = recordingCrm("svc_x", { baseUrl: down.url, onRetry: () => stop.abort(reason) });
  await assert.rejects(repeating.me({ signal: stop.signal }), reason);
});

Deno.test("A reply that is not the API's is unexpected_reply, and is repeated only if it is a 5xx", async () => {
  const answers: [status: number, body: string, calls: number][] = [
    [502, "<h1>Bad gateway</h1>", 2],
    [546, '{"code":"WORKER_LIMIT","message":"limit"}', 2],
    [404, '{"code":"NOT_FOUND","message":"no function"}', 1],
    [200, "<h1>Welcome</h1>", 1],
  ];
  // All at the same time, because the SDK waits a second before it repeats a call.
  await Promise.all(answers.map(async ([status, body, calls]) => {
    await using server = serve(() => new Response(body, { status }));
    const { crm, sent } = recordingCrm("svc_x", { baseUrl: server.url, retries: 1 });
    const error = await errorOf(crm.contacts.create({ name: "Ana" }));
    assert.deepEqual([error.code, error.status, sent.length], ["unexpected_reply", status, calls], body);
  }));
});

Deno.test("The SDK waits as Retry-After says, up to maxWait, and shortens a longer wait of its own to maxWait", async () => {
  for (const asked of ["120", null]) {
    const headers: HeadersInit = asked === null ? {} : { "Retry-After": asked };
    await using busy = serve(() => new Response(null, { status: 503, headers }));
    const maxWait = Number(asked);
    const stop = new AbortController();
    const waits: number[] = [];
    const { crm } = recordingCrm("svc_x", {
      baseUrl: busy.url,
      maxWait,
      onRetry: ({ wait }) => {
        waits.push(wait);
        stop.abort(new Error("seen enough"));
      },
    });
    await assert.rejects(crm.me({ signal: stop.signal }), /seen enough/);
    assert.ok(waits[0]! >= maxWait && waits[0]! <= maxWait + 1, `waited ${waits} s`);
  }
});

Deno.test("A redirect to another host is not followed, so that the key stays with the service", async () => {
  const keys: (string | null)[] = [];
  await using other = serve((request) => {
    keys.push(request.headers.get("X-API-Key"));
    return Response.json({});
  });
  await using server = serve(() => Response.redirect(other.url, 301));
  const { crm } = recordingCrm("svc_x", { baseUrl: server.url });
  assert.equal((await errorOf(crm.me())).code, "unexpected_reply");
  assert.deepEqual(keys, []);
});

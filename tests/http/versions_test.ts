// Versions of records: ETag, If-None-Match, If-Match (RFC 9110, section 13).
import assert from "node:assert/strict";
import { pause } from "../../bench/harness/waiting.ts";
import { assertError, call, client } from "../support/client.ts";
import { makeWorkspace, type TestWorkspace } from "../support/fixtures.ts";
import { create, eventsOf, UNKNOWN_ID } from "../support/record_fixtures.ts";
import { inputSchema } from "../support/input_schema.ts";
import { keyEndpoints } from "../support/resources.ts";
import { makeOperation, makeSamples, type Samples } from "../support/samples.ts";
import { sql, test } from "../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";
const STRONG = /^"[0-9a-f]{16}(\.[0-9a-f]{16})?"$/;

/** The resources that have this method on `/:id`. */
const pathsOf = (method: string) =>
  keyEndpoints.filter(({ route }) => route.method === method && route.path === "/:id")
    .map(({ resource: { name }, route: { endpoint } }) => ({ name, path: `/${name}`, endpoint }));

let made: Promise<TestWorkspace & Samples> | undefined;

/** Makes a workspace with a record of each kind, once for all tests of this file. Tests may change the records. */
function sampleWorkspace(): Promise<TestWorkspace & Samples> {
  return made ??= (async () => {
    const workspace = await makeWorkspace(sql);
    const samples = await makeSamples(workspace.key, workspace.stages);
    samples.records["api-v1-operations"] = await makeOperation(sql, workspace.id);
    return { ...workspace, ...samples };
  })();
}

for (const { name, path, endpoint } of pathsOf("GET")) {
  Deno.test(`GET ${path}/:id returns an ETag, answers 304 to a caller who sends it, and the record to others`, async () => {
    assert.ok(endpoint.etag, "it declares etag");
    const { key, records } = await sampleWorkspace();
    const address = `${path}/${records[name]}`;
    const read = (tag?: string, method = "GET") =>
      call(method, address, { key, ...(tag !== undefined && { headers: { "If-None-Match": tag } }) });
    const first = await read();
    const tag = first.headers.get("ETag")!;
    assert.match(tag, STRONG, "strong, although the client takes compressed replies");
    assert.equal((await read()).headers.get("ETag"), tag, "the same while nothing changes");

    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, `"a,b",W/"c" , ,${tag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const reply = await read(known, method);
        assert.deepEqual([reply.status, reply.text], [304, ""], `${method} ${known}`);
        assert.equal(reply.headers.get("ETag"), tag);
        assert.equal(reply.headers.get("Cache-Control"), first.headers.get("Cache-Control"));
        assert.match(reply.headers.get("RateLimit")!, /r=\d+/);
        assert.equal(reply.headers.get("Content-Type"), null);
      }
    }
    // Another tag gets the whole record. So does a malformed value, because it is ignored.
    for (const other of ['"other"', `"${tag.slice(1, 5)}"`, tag.slice(1, -1), `${tag}${tag}`, `"open`, ""]) {
      const reply = await read(other);
      assert.deepEqual([reply.status, reply.text], [200, first.text], other);
    }
    const head = await call("HEAD", address, { key });
    assert.equal(head.headers.get("ETag"), tag);
  });
}

// A subscription's ETag also covers the figures in its detail, so its PATCH ignores If-Match.
for (const { name, path, endpoint } of pathsOf("PATCH").filter(({ name }) => name !== "api-v1-webhooks")) {
  const field = ["name", "title"].find((field) => field in inputSchema(endpoint.body!).properties!)!;
  const change = (value: number) => ({ [field]: `Texto ${value}` });

  Deno.test(`PATCH ${path}/:id with If-Match changes the version that it names, and answers with the next one (spec 7)`, async () => {
    assert.ok(endpoint.etag, "it declares etag");
    const { key, records } = await sampleWorkspace();
    const address = `${path}/${records[name]}`;
    const patch = (value: number, ifMatch: string) =>
      client(key).patch(address, change(value), { "If-Match": ifMatch });
    const first = await client(key).get(address);

    const changed = await patch(1, first.headers.get("ETag")!);
    assert.equal(changed.status, 200, changed.text);
    const tag = changed.headers.get("ETag")!;
    const read = await client(key).get(address);
    assert.ok(
      read.headers.get("ETag")!.startsWith(tag.slice(0, -1)),
      "the tag of GET begins with that of PATCH",
    );

    for (const stale of [first.headers.get("ETag")!, `W/${tag}`, '"other"', '""']) {
      assertError(await patch(2, stale), "precondition_failed");
    }
    assert.equal((await client(key).get(address)).text, read.text, "nothing has changed");
    for (const [value, known] of [[3, `"other", ${tag}`], [4, "*"]] as const) {
      assert.equal((await patch(value, known)).status, 200, known);
    }
    const latest = (await client(key).get(address)).headers.get("ETag")!;
    const idle = await patch(4, latest);
    assert.equal(idle.status, 200);
    assert.ok(latest.startsWith(idle.headers.get("ETag")!.slice(0, -1)), "no change, no new version");
  });

  Deno.test(`of 20 simultaneous PATCHes ${path}/:id with one If-Match exactly one takes effect`, async () => {
    const { id, key, records } = await sampleWorkspace();
    const address = `${path}/${records[name]}`;
    const tag = (await client(key).get(address)).headers.get("ETag")!;
    // Leaves out activity.overdue, which a job may emit for the sample activity meanwhile.
    const changes = () => eventsOf(sql, id, "activity.overdue");
    const before = await changes();
    const replies = await Promise.all(
      Array.from(
        { length: 20 },
        (_, value) => client(key).patch(address, change(value + 10), { "If-Match": tag }),
      ),
    );
    const done = replies.filter(({ status }) => status === 200);
    assert.equal(done.length, 1, replies.map(({ status }) => status).join());
    for (const reply of replies) if (reply !== done[0]) assertError(reply, "precondition_failed");
    const { body } = await client(key).get(address);
    assert.equal(body.updated_at, done[0]!.body.updated_at);
    assert.ok((await changes()).length - before.length <= 1, "no event of a change that was refused");
  });
}

test("An If-Match that cannot be read is 400, and changes nothing", async ({ workspace: { key }, api }) => {
  const { id } = await create(key, CONTACTS, { name: "Ana" });
  const first = await api.get(`${CONTACTS}/${id}`);
  const tag = first.headers.get("ETag")!;
  for (const header of [tag.slice(1, -1), "", `w/${tag}`, `${tag}${tag}`, `${tag}, *`, `"open`, ","]) {
    const reply = await api.patch(`${CONTACTS}/${id}`, { name: "Bia" }, { "If-Match": header });
    assertError(reply, "bad_request");
    assert.match(reply.body.error.message, /If-Match/);
  }
  assert.equal((await api.get(`${CONTACTS}/${id}`)).text, first.text);
});

test("With If-Match an unknown record and another workspace's are the same 404", async ({ api }) => {
  const { key } = await makeWorkspace(sql);
  const { id } = await create(key, CONTACTS, { name: "Ana" });
  const tag = (await client(key).get(`${CONTACTS}/${id}`)).headers.get("ETag")!;
  for (const ifMatch of [tag, '"other"', "*"]) {
    const replies = await Promise.all(
      [id, UNKNOWN_ID].map((id) => api.patch(`${CONTACTS}/${id}`, { name: "Bia" }, { "If-Match": ifMatch })),
    );
    for (const reply of replies) assertError(reply, "not_found");
    assert.equal(replies[0]!.text, replies[1]!.text);
  }
});

test("A POST that answers with the whole record has the record's ETag for a later If-Match; a replayed reply has no ETag", async ({ api, newDeal }) => {
  const { id: deal_id } = await newDeal();
  for (
    const [path, body] of [
      ["/api-v1-deals", { title: "Plano" }],
      ["/api-v1-companies", { name: "Padaria" }],
      ["/api-v1-activities", { deal_id }],
      ["/api-v1-notes", { deal_id, body: "Olá" }],
      ["/api-v1-contacts/upsert?match_by=email", { name: "Ana", email: "ana@x.com" }],
    ] as const
  ) {
    const headers = { "Idempotency-Key": path };
    const made = await api.post(path, body, headers);
    const tag = made.headers.get("ETag")!;
    const record = `${path.split("/upsert")[0]}/${made.body.id}`;
    const read = await api.get(record);
    assert.ok(read.headers.get("ETag")!.startsWith(tag.slice(0, -1)), path);
    const again = await api.post(path, body, headers);
    assert.deepEqual([again.status, again.headers.get("ETag")], [200, null], "it may have changed since");
  }
});

Deno.test("An action that answers with the record has the record's ETag for a later If-Match", async () => {
  const { key, stages, records } = await sampleWorkspace();
  const another = async (path: string) => ({ merge_id: (await create(key, path, { name: "Bia" })).id });
  for (
    const [name, action, body] of [
      ["api-v1-deals", "move-stage", { stage_id: stages[1].id }],
      ["api-v1-deals", "archive", {}],
      ["api-v1-deals", "restore", {}],
      ["api-v1-deals", "win", { value: 7 }],
      ["api-v1-deals", "lose", {}],
      ["api-v1-contacts", "merge", await another("/api-v1-contacts")],
      ["api-v1-contacts", "archive", {}],
      ["api-v1-contacts", "restore", {}],
      ["api-v1-companies", "merge", await another("/api-v1-companies")],
      ["api-v1-companies", "archive", {}],
      ["api-v1-companies", "restore", {}],
    ] as const
  ) {
    const address = `/${name}/${records[name]}`;
    const done = await client(key).post(`${address}/${action}`, body);
    assert.equal(done.status, 200, done.text);
    const tag = done.headers.get("ETag")!;
    assert.match(tag, STRONG, `${name} ${action}`);
    const read = await client(key).get(address);
    assert.equal(read.headers.get("ETag")!.slice(1, 17), tag.slice(1, 17), `${name} ${action}`);
    const patch = () => client(key).patch(address, { custom_fields: { action } }, { "If-Match": tag });
    assert.equal((await patch()).status, 200, `${name} ${action}`);
    assertError(await patch(), "precondition_failed");
  }
});

test("The ETag of GET of a deal has two parts, and PATCH compares only the deal's part", async ({ workspace, api, newDeal }) => {
  const { id, contactId } = await newDeal();
  const address = `/api-v1-deals/${id}`;
  // The title contains the text that separates the deal from its contact in the detail's JSON.
  await api.patch(address, {
    title: `a,"contact" : b`,
    custom_fields: { a: ',"contact" : ', contact: { b: 1 } },
  });
  const versions = async () => (await api.get(address)).headers.get("ETag")!.slice(1, -1).split(".");
  const before = await versions();
  await api.patch(`${CONTACTS}/${contactId}`, { name: "Bia" });
  const after = await versions();
  assert.equal(after[0], before[0]);
  assert.notEqual(after[1], before[1]);
  const stale = `"${before.join(".")}"`;
  const reply = await call("GET", address, { key: workspace.key, headers: { "If-None-Match": stale } });
  assert.equal(reply.status, 200, "the detail has changed");
  assert.equal(
    (await api.patch(address, { value: 2 }, { "If-Match": stale })).status,
    200,
    "the deal has not",
  );
});

test("When the due time of an activity passes, the ETag of GET changes, and the older ETag is still valid for If-Match", async ({ workspace, api, newDeal }) => {
  const { id: deal_id } = await newDeal();
  const due_at = new Date(Date.now() + 2_000).toISOString();
  const { id } = await create(workspace.key, "/api-v1-activities", { deal_id, due_at });
  const address = `/api-v1-activities/${id}`;
  const before = await api.get(address);
  const tag = before.headers.get("ETag")!;
  assert.equal(before.body.is_overdue, false);
  await pause(Date.parse(due_at) + 100 - Date.now());
  const headers = { "If-None-Match": tag };
  const after = await call("GET", address, { key: workspace.key, headers });
  assert.deepEqual([after.status, after.body.is_overdue], [200, true]);
  assert.equal((await api.patch(address, { title: "Ligar" }, { "If-Match": tag })).status, 200);
  assertError(await api.patch(address, { title: "Visitar" }, { "If-Match": tag }), "precondition_failed");
});

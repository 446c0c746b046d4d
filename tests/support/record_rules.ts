// Tests of the rules that all records keep (spec 4.0, 4.0.1; lists and PATCH). Each resource's test registers them.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { records } from "../../tools/records/records.ts";
import { assertError, client, type Reply } from "./client.ts";
import { type FieldLimits, fieldLimits, isNullable, type OwnLimits } from "./field_limits.ts";
import { makeKey, makeWorkspace, type TestWorkspace } from "./fixtures.ts";
import { inputSchema } from "./input_schema.ts";
import {
  assertAlike,
  atOnce,
  type Body,
  create,
  ids,
  makeMember,
  nextMillisecond,
  UNKNOWN_ID,
} from "./record_fixtures.ts";
import { bodyOf, endpointOf } from "./resources.ts";
import { type Scenario, test as testScenario } from "./scenario.ts";

export interface RecordResource {
  /** Address, with the slash before it. */
  path: string;
  /** The smallest valid body of POST without `deal_id`: one text field. */
  minimal: Record<string, string>;
  /** Set if a record belongs to a deal: POST requires the deal's id, and a list may require it too. */
  ofDeal?: "created" | "created and listed";
  /** Values that PATCH stores in place of null. */
  defaults?: Body;
  /** Limits of fields that the schema cannot express. */
  limits?: OwnLimits;
  /** Fields that hold the id of another record, each with a function that creates one. */
  references: Record<string, (sql: Sql, workspace: TestWorkspace) => Promise<string>>;
}

/** What a test of these rules gets besides a scenario. */
interface Sent {
  /** The smallest valid body of POST in the workspace. */
  minimal: Body;
  /** The address of the list, to which parameters can be appended. */
  list: string;
}

/** Returns a function that registers a test. The test's workspace has the deal that the records need. */
function ruleOf({ path, minimal, ofDeal }: Pick<RecordResource, "path" | "minimal" | "ofDeal">) {
  return (title: string, run: (scenario: Scenario & Sent) => Promise<void>): void =>
    testScenario(title, async (scenario) => {
      const body: Body = ofDeal === undefined
        ? minimal
        : { ...minimal, deal_id: (await scenario.newDeal()).id };
      const list = ofDeal === "created and listed" ? `${path}?deal_id=${body["deal_id"]}&` : `${path}?`;
      await run({ ...scenario, minimal: body, list });
    });
}

/** Asserts that the good values of a field are accepted, and that the errors for bad ones name no other field. */
export async function assertLimits(
  field: string,
  { good, bad }: FieldLimits,
  send: (value: unknown) => Promise<Reply>,
  afterGood: (reply: Reply) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  for (const value of good) {
    const reply = await send(value);
    assert.ok(reply.status < 300, `${JSON.stringify(value)}: ${reply.text}`);
    await afterGood(reply);
  }
  for (const value of bad) {
    const details = assertError(await send(value), "validation_error");
    const others = Object.keys(details).filter((name) => name.split(".")[0] !== field);
    assert.deepEqual(others, [], JSON.stringify(value));
  }
}

/** Registers the tests of the rules that all records share. */
export function testRecordRules(resource: RecordResource): void {
  const rules = [testLists, testWindows, testReferences, testOwners, testLimits, testPatches];
  for (const register of rules) register(resource);
}

/** Values that these filters accept, although other filters refuse them as empty or too long. */
const POSSIBLE: Record<string, string> = { domain: "", tax_id: "x".repeat(300) };

/** Registers the tests of a list's pages and parameters. */
export function testLists(resource: Pick<RecordResource, "path" | "minimal" | "ofDeal">): void {
  const test = ruleOf(resource);
  const { path, ofDeal } = resource;
  test(`GET ${path} lists every record exactly once, newest first, also while others are created (spec 4.0, 4.2)`, async ({ workspace: { key }, api, minimal, list }) => {
    const expected: string[] = [];
    for (let i = 0; i < 7; i++) expected.unshift((await create(key, path, minimal)).id);

    for (const limit of [1, 2, 3, 7, 8]) {
      const seen: string[] = [];
      for (let cursor = "", more = true; more;) {
        const page: Reply = await api.get(`${list}limit=${limit}${cursor}`);
        const { next_cursor, has_more } = page.body.meta;
        assert.equal(has_more, seen.length + limit < expected.length);
        assert.equal(next_cursor, has_more ? ids(page).at(-1) : null);
        seen.push(...ids(page));
        cursor = `&cursor=${next_cursor}`;
        more = has_more;
        if (more) await create(key, path, minimal);
      }
      assert.deepEqual(seen, expected, `limit ${limit}`);
      // Records that were created meanwhile come first when the list is read again.
      expected.unshift(...ids(await api.get(list)).slice(0, -expected.length));
    }
  });

  test(`GET ${path} lists 50 records, or as many as limit says, never more than 200 (spec 4.0, 8)`, async ({ api, minimal, list }) => {
    for (const count of [100, 100, 1]) {
      const items = Array.from({ length: count }, () => ({ op: "create", data: minimal }));
      await api.post(`${path}/batch`, { items });
    }
    const lengths = { 200: 200, 201: 200, 1000000000: 200, ["9".repeat(400)]: 200, "007": 7 };
    assert.equal(ids(await api.get(list)).length, 50);
    for (const [limit, length] of Object.entries(lengths)) {
      assert.equal(ids(await api.get(`${list}limit=${limit}`)).length, length, limit);
    }
    for (const limit of "0 00 -1 -1000000000 1.5  a 1e2 +5 %2B5 5%20 0x10 ５".split(" ")) {
      assertError(await api.get(`${list}limit=${limit}`), "validation_error", ["limit"]);
    }
  });

  test(`GET ${path} accepts any UUID as cursor and refuses anything else (spec 4.0, 7)`, async ({ workspace: { key }, api, minimal, list }) => {
    const { id } = await create(key, path, minimal);
    assert.deepEqual(ids(await api.get(`${list}cursor=ffffffff-ffff-ffff-ffff-ffffffffffff`)), [id]);
    assert.deepEqual(ids(await api.get(`${list}cursor=${UNKNOWN_ID}`)), []);
    for (const cursor of ["", "x", "1"]) {
      assertError(await api.get(`${list}cursor=${cursor}`), "invalid_cursor");
    }
  });

  const parameters = Object.keys(endpointOf(path, "GET", "/").query.shape).filter((name) =>
    name !== "cursor"
  );
  test(`GET ${path} names each parameter whose value is invalid or missing (spec 4.0, 4.3, 7)`, async ({ api, list }) => {
    for (const name of parameters) {
      for (const value of ["", "x".repeat(300)].filter((value) => value !== POSSIBLE[name])) {
        const query = `${list}&`.replace(new RegExp(`${name}=[^&]*&`), "");
        assertError(await api.get(`${query}${name}=${value}`), "validation_error", [name], name);
      }
    }
    const needed = ofDeal === "created and listed" ? ["deal_id"] : [];
    const bare = await api.get(path);
    if (needed.length > 0) assertError(bare, "validation_error", needed);
    else assert.equal(bare.status, 200);
  });
}

function testWindows(resource: RecordResource): void {
  const test = ruleOf(resource);
  const { path } = resource;
  test(`GET ${path} filters by since (created then or later), until (created before) and updated_since (changed then or later) (spec 4.0, 4.2)`, async ({ workspace: { key }, api, minimal }) => {
    const old = await create(key, path, minimal);
    await nextMillisecond();
    const recent = await create(key, path, minimal);
    await nextMillisecond();
    const other = Object.fromEntries(
      Object.entries(resource.minimal).map(([name, value]) => [name, `${value} 2`]),
    );
    const changed = (await api.patch(`${path}/${old.id}`, other)).body;

    assert.deepEqual(ids(await api.get(`${path}?since=${recent["created_at"]}`)), [recent.id]);
    assert.deepEqual(ids(await api.get(`${path}?since=${old["created_at"]}`)), [recent.id, old.id]);
    assert.deepEqual(ids(await api.get(`${path}?since=2999-01-01T00:00:00Z`)), []);
    assert.deepEqual(ids(await api.get(`${path}?until=${recent["created_at"]}`)), [old.id]);
    const both = `since=${old["created_at"]}&until=${recent["created_at"]}`;
    assert.deepEqual(ids(await api.get(`${path}?${both}&updated_since=2000-01-01&limit=1`)), [old.id]);
    assert.deepEqual(
      ids(await api.get(`${path}?since=${recent["created_at"]}&until=${old["created_at"]}`)),
      [],
    );
    assert.deepEqual(ids(await api.get(`${path}?updated_since=${changed.updated_at}`)), [old.id]);
    assert.deepEqual(ids(await api.get(`${path}?updated_since=${old["updated_at"]}`)), [recent.id, old.id]);
    await nextMillisecond();
    for (const nothing of [{}, other, { id: old.id, unknown: 1 }]) {
      const { body } = await api.patch(`${path}/${old.id}`, nothing);
      assert.deepEqual(body, changed, "a PATCH that changes nothing leaves updated_at");
    }
  });
}

function testReferences(resource: RecordResource): void {
  const test = ruleOf(resource);
  const { path, references } = resource;
  for (const [field, make] of Object.entries(references)) {
    test(`${path} answers invalid_reference to a ${field} of another workspace as to an unknown id (spec 1, 2.1, 4.2)`, async ({ sql, workspace: mine, api, minimal }) => {
      const other = await makeWorkspace(sql);
      const record = await create(mine.key, path, minimal);
      const theirs = await make(sql, other);
      const sends = [
        (id: string) => api.post(path, { ...minimal, [field]: id }),
        (id: string) => api.patch(`${path}/${record.id}`, { [field]: id }),
      ];
      for (const send of sends) {
        const unknown = await send(UNKNOWN_ID);
        assertError(unknown, "invalid_reference", [field]);
        assertAlike(await send(theirs), unknown);
      }
      assert.deepEqual((await api.get(`${path}/${record.id}`)).body, record, "nothing has changed");
      const own = await make(sql, mine);
      for (const send of sends) assert.ok((await send(own)).status < 300);
      assert.equal((await api.get(`${path}/${record.id}`)).body[field], own);
    });
  }

  test(`${path} names all unknown references in one error (spec 7)`, async ({ api, minimal }) => {
    const fields = Object.keys(references);
    const body = { ...minimal, ...Object.fromEntries(fields.map((field) => [field, UNKNOWN_ID])) };
    const details = assertError(await api.post(path, body), "invalid_reference");
    assert.deepEqual(Object.keys(details).sort(), fields.sort());
  });
}

function testOwners(resource: RecordResource): void {
  const test = ruleOf(resource);
  const { path } = resource;
  test(`The owner of ${path} is the one given, else the key's creator, else the oldest admin or gestor (spec 2.1, 4.2, 7)`, async ({ sql, workspace, minimal }) => {
    const seller = await makeMember(sql, workspace);
    const { key } = await makeKey(sql, workspace.id, { memberId: seller });
    const api = client(key);
    const given = await create(key, path, { ...minimal, owner_id: workspace.memberId });
    assert.equal(given["owner_id"], workspace.memberId);
    assert.equal((await create(key, path, minimal))["owner_id"], seller);
    // If PATCH clears the owner, the service chooses a new one.
    assert.equal((await api.patch(`${path}/${given.id}`, { owner_id: null })).body.owner_id, seller);

    await sql`update crm.members set is_active = false where id = ${seller}`;
    const refused = await api.post(path, { ...minimal, owner_id: seller });
    assertError(refused, "invalid_reference", ["owner_id"], "an inactive member owns nothing new");
    assert.equal((await create(key, path, minimal))["owner_id"], workspace.memberId);
    await sql`update crm.members set is_active = false where workspace_id = ${workspace.id}`;
    assertError(await api.post(path, minimal), "no_owner_available");
  });
}

function testLimits(resource: RecordResource): void {
  const test = ruleOf(resource);
  const { path, limits: own, defaults = {} } = resource;
  const [newRecord, patch] = [bodyOf(path, "POST", "/"), bodyOf(path, "PATCH", "/:id")];
  const { filters } = records.find(({ about }) => path.endsWith(about.table))!;
  const unique = Object.keys(filters).filter((name) => filters[name]!.unique);
  const [ofPost, ofPatch] = [fieldLimits(newRecord, own), fieldLimits(patch, own)];
  for (const field of new Set([...Object.keys(ofPost), ...Object.keys(ofPatch)])) {
    test(`${path} accepts ${field} within its limits and names it in the error otherwise (spec 2.1, 7, 8)`, async ({ workspace: { key }, api, minimal }) => {
      const { id } = await create(key, path, minimal);
      const sends = [
        [ofPost[field], (value: unknown) => api.post(path, { ...minimal, [field]: value })],
        [ofPatch[field], (value: unknown) => api.patch(`${path}/${id}`, { [field]: value })],
      ] as const;
      // Clears a unique value, so that the next record can have it.
      const clear = async ({ body }: Reply) =>
        unique.includes(field) && await api.patch(`${path}/${body.id}`, { [field]: null });
      for (const [limits, send] of sends) if (limits) await assertLimits(field, limits, send, clear);
    });
  }

  const { required: needed = [] } = inputSchema(newRecord);
  test(`POST ${path} names the required fields that are missing or null (spec 2.1, 4.2, 7)`, async ({ api, minimal }) => {
    assertError(await api.post(path, {}), "validation_error");
    for (const field of needed) {
      for (const value of [undefined, null]) {
        assertError(await api.post(path, { ...minimal, [field]: value }), "validation_error", [field]);
      }
    }
  });

  const fields = Object.entries(inputSchema(patch).properties!);
  const required = fields.filter(([, schema]) => !isNullable(schema)).map(([field]) => field);
  const cannot = required.length > 0 ? `, and cannot clear ${required.join(", ")}` : "";
  test(`PATCH ${path} clears fields that are null, keeps fields that are not sent${cannot} (spec 4.2, 4.6)`, async ({ workspace: { key }, api, minimal }) => {
    // References are left out, because each resource's own test checks whether they can be null.
    const clearable = Object.keys(ofPatch).filter((field) =>
      ofPatch[field]!.good.includes(null) && !["add_tags", "remove_tags"].includes(field)
    );
    const full = Object.fromEntries(clearable.map((field) => [field, ofPatch[field]!.good[0]]));
    const before = await create(key, path, { ...minimal, ...full });
    for (const field of clearable) {
      assert.notEqual(before[field], null, field);
      const { body } = await api.patch(`${path}/${before.id}`, { [field]: null });
      assert.deepEqual(body[field], defaults[field] ?? (field === "tags" ? [] : null), field);
      const back = await api.patch(`${path}/${before.id}`, { [field]: before[field] });
      const expected = { ...pick(before, back.body), updated_at: "" };
      assert.deepEqual({ ...back.body, updated_at: "" }, expected, field);
    }
    for (const field of required) {
      const reply = await api.patch(`${path}/${before.id}`, { [field]: null });
      assertError(reply, "validation_error", [field]);
    }
  });
}

function testPatches(resource: RecordResource): void {
  const test = ruleOf(resource);
  const { path } = resource;
  const [field] = Object.keys(resource.minimal) as [string];
  test(`two simultaneous PATCHes ${path} of different fields are both kept`, async ({ sql, workspace, minimal }) => {
    const { id } = await create(workspace.key, path, minimal);
    const owner_id = await makeMember(sql, workspace);
    const fields = [{ [field]: "Outro" }, { owner_id }];
    const calls = fields.map((body) => (api: Scenario["api"]) => api.patch(`${path}/${id}`, body));
    await atOnce(workspace.id, path.replace("/api-v1-", ""), id, calls);
    const { body } = await client(workspace.key).get(`${path}/${id}`);
    assert.deepEqual([body[field], body.owner_id], ["Outro", owner_id]);
  });

  test(`PATCH ${path} accepts a record as it was read, and names the fields that it ignores`, async ({ sql, workspace: { id: workspaceId, key }, api, minimal }) => {
    const record = await create(key, path, minimal);
    // Deactivates the owner: PATCH must not check an unchanged reference again.
    await sql`update crm.members set is_active = false where workspace_id = ${workspaceId}`;
    const reply = await api.patch(`${path}/${record.id}`, record);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual({ ...reply.body, updated_at: "" }, { ...pick(record, reply.body), updated_at: "" });
    const ignored = reply.headers.get("X-Ignored-Fields")!.split(", ");
    for (const name of ["id", "workspace_id", "created_at", "updated_at"]) assert.ok(ignored.includes(name));
  });

  test(`POST ${path} answers with Location, the address of the new record`, async ({ api, minimal }) => {
    const { body, headers } = await api.post(path, minimal);
    assert.ok(headers.get("Location")!.endsWith(`/functions/v1${path}/${body.id}`));
  });
}

/** Keeps only the fields that the other reply has too, because the reply to GET may have more. */
function pick(record: Body, like: Body): Body {
  return Object.fromEntries(Object.keys(like).map((field) => [field, record[field]]));
}

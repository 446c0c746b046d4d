// Tests of the rules that all records keep (spec 4.0, 4.0.1; lists and PATCH). Each resource's test registers them.
import assert from "node:assert/strict";
import { assertError, client, type Reply } from "./client.ts";
import { type FieldLimits, fieldLimits, isNullable, type OwnLimits } from "./field_limits.ts";
import { makeKey } from "./fixtures.ts";
import { inputSchema } from "./input_schema.ts";
import {
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
  /** Set if a record belongs to a deal: POST requires the deal's id. `created and listed`: lists require it too. */
  ofDeal?: "created" | "created and listed";
  /** Values that PATCH stores in place of null. */
  defaults?: Body;
  /** Limits of fields that the schema cannot express. */
  limits?: OwnLimits;
  /** Fields that hold the id of another record. */
  references: string[];
}

/** What a test of these rules gets besides a scenario. */
interface Sent {
  /** The smallest valid body of POST. */
  minimal: Body;
  /** The address of the list, to which parameters can be appended. */
  list: string;
}

/** Returns a function that registers a test. The test's workspace has the deal that the records need. */
function ruleOf({ path, minimal, ofDeal }: Pick<RecordResource, "path" | "minimal" | "ofDeal">) {
  return (title: string, run: (scenario: Scenario & Sent) => Promise<void>): void =>
    testScenario(title, async (scenario) => {
      const body = { ...minimal, ...(ofDeal !== undefined && { deal_id: (await scenario.newDeal()).id }) };
      const list = ofDeal === "created and listed" ? `${path}?deal_id=${body["deal_id"]}&` : `${path}?`;
      await run({ ...scenario, minimal: body, list });
    });
}

/** Bodies: the first has the first value of every field, the second has the second value, until no field has more. */
function bodiesOf(limits: Record<string, FieldLimits>, kind: keyof FieldLimits): Body[] {
  const fields = Object.entries(limits);
  const count = Math.max(...fields.map(([, limit]) => limit[kind].length));
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(
      fields.filter(([, limit]) => at < limit[kind].length).map(([name, limit]) => [name, limit[kind][at]]),
    ));
}

/** Asserts that good values are accepted, and that errors for bad values name exactly their fields. */
export async function assertLimits(
  limits: Record<string, FieldLimits>,
  send: (body: Body) => Promise<Reply>,
): Promise<void> {
  const shown = (body: Body) => JSON.stringify(body, (_, value) => String(value).length > 300 ? "…" : value);
  for (const body of bodiesOf(limits, "good")) {
    const reply = await send(body);
    assert.ok(reply.status < 300, `${shown(body)}: ${reply.text}`);
  }
  for (const body of bodiesOf(limits, "bad")) {
    const details = assertError(await send(body), "validation_error");
    const named = new Set(Object.keys(details).map((name) => name.split(".")[0]));
    assert.deepEqual([...named].sort(), Object.keys(body).sort(), shown(body));
  }
}

/** Registers the tests of the rules that all records share. */
export function testRecordRules(resource: RecordResource): void {
  const rules = [testLists, testWindows, testReferences, testOwners, testLimits, testPatches];
  for (const register of rules) register(resource);
}

/** Values that these filters accept, but that other filters refuse as empty or too long. */
const POSSIBLE: Record<string, string> = { domain: "", tax_id: "x".repeat(300) };

/** Registers the tests of a list's pages and parameters. */
export function testLists(resource: Pick<RecordResource, "path" | "minimal" | "ofDeal">): void {
  const test = ruleOf(resource);
  const { path, ofDeal } = resource;
  test(`GET ${path} lists every record exactly once, newest first, also while others are created (spec 4.0, 4.2)`, async ({ workspace: { key }, api, minimal, list }) => {
    const expected: string[] = [];
    for (let i = 0; i < 4; i++) expected.unshift((await create(key, path, minimal)).id);

    for (const limit of [1, 3, 7]) {
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
      const { body } = await api.post(`${path}/batch`, {
        items: Array(count).fill({ op: "create", data: minimal }),
      });
      assert.equal(body.summary.created, count);
    }
    const lengths = { 201: 200, ["9".repeat(400)]: 200, "007": 7 };
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
  const { path, references } = resource;
  // tests/contract/every_id_test.ts compares unknown ids with those of another workspace.
  ruleOf(resource)(
    `POST and PATCH ${path} name all unknown references in one error (spec 2.1, 4.2, 7)`,
    async ({ workspace: { key }, api, minimal }) => {
      const record = await create(key, path, minimal);
      const unknown = Object.fromEntries(references.map((field) => [field, UNKNOWN_ID]));
      for (
        const reply of [
          await api.post(path, { ...minimal, ...unknown }),
          await api.patch(`${path}/${record.id}`, unknown),
        ]
      ) {
        assert.deepEqual(Object.keys(assertError(reply, "invalid_reference")).sort(), references.toSorted());
      }
      assert.deepEqual((await api.get(`${path}/${record.id}`)).body, record, "nothing has changed");
    },
  );
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
  const ofPatch = fieldLimits(patch, own);
  test(`POST ${path} accepts each field within its limits, and names all others in one error (spec 2.1, 7, 8)`, ({ api, minimal }) =>
    assertLimits(fieldLimits(newRecord, own), (body) => api.post(path, { ...minimal, ...body })));

  test(`PATCH ${path} accepts each field within its limits, and names all others in one error (spec 2.1, 7, 8)`, async ({ workspace: { key }, api, minimal }) => {
    // A new record for each body, because a record keeps the custom fields that a PATCH does not send.
    await assertLimits(
      ofPatch,
      async (body) => api.patch(`${path}/${(await create(key, path, minimal)).id}`, body),
    );
  });

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
  test(`PATCH ${path} clears fields that are null${cannot} (spec 4.2, 4.6)`, async ({ workspace: { key }, api, minimal }) => {
    // References are left out, because each resource's own test checks whether they can be null.
    const clearable = Object.keys(ofPatch).filter((field) =>
      ofPatch[field]!.good.includes(null) && !["add_tags", "remove_tags"].includes(field)
    );
    const valuesOf = (value: (field: string) => unknown) =>
      Object.fromEntries(clearable.map((field) => [field, value(field)]));
    const full = valuesOf((field) => ofPatch[field]!.good[0]);
    const before = await create(key, path, { ...minimal, ...full });
    for (const field of clearable) assert.notEqual(before[field], null, field);
    const { body } = await api.patch(`${path}/${before.id}`, valuesOf(() => null));
    const cleared = valuesOf((field) => defaults[field] ?? (field === "tags" ? [] : null));
    assert.deepEqual(body, { ...pick(before, body), ...cleared, updated_at: body.updated_at });
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

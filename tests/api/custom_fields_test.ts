// Defined custom fields: their definitions, the check of values, and filters by them.
import assert from "node:assert/strict";
import { assertError, client } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { type Body, create, ids } from "../support/record_fixtures.ts";
import { runJob } from "../support/jobs.ts";
import { test } from "../support/scenario.ts";

const FIELDS = "/api-v1-workspace/custom-fields";
const CONTACTS = "/api-v1-contacts";
const DEALS = "/api-v1-deals";

async function define(key: string, field: Body): Promise<{ id: string }> {
  const { status, body } = await client(key).post(FIELDS, field);
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

const errorsIn = ({ body }: { body: { error: { details: { field: string; message: string }[] } } }) =>
  body.error.details.map(({ field, message }) => `${field}: ${message}`);

test("A field is defined, listed, renamed, given other choices, archived and restored", async ({ workspace, api }) => {
  const sent = { object_type: "deal", key: "segmento", type: "choice", choices: ["Padaria", "Saúde"] };
  const made = await api.post(FIELDS, sent);
  assert.equal(made.status, 201);
  const { id, created_at, updated_at, ...field } = made.body;
  assert.deepEqual(field, { ...sent, label: "segmento", archived_at: null });
  assert.ok(created_at <= updated_at);
  assert.deepEqual((await api.get(FIELDS)).body, { data: [made.body] });
  const inUse = async () => (await api.get("/api-v1-workspace")).body.custom_fields;
  const { archived_at: _, ...shown } = field;
  assert.deepEqual(await inUse(), [shown]);

  const { body: changed } = await api.patch(`${FIELDS}/${id}`, { label: "Segmento", choices: ["Varejo"] });
  assert.deepEqual([changed.label, changed.choices, changed.key], ["Segmento", ["Varejo"], "segmento"]);
  for (const same of [{}, { label: "Segmento", choices: ["Varejo"] }]) {
    assert.deepEqual((await api.patch(`${FIELDS}/${id}`, same)).body, changed, "updated_at stays too");
  }
  const { body: archived } = await api.post(`${FIELDS}/${id}/archive`);
  assert.notEqual(archived.archived_at, null);
  assert.deepEqual(await inUse(), []);
  assert.deepEqual(errorsIn(await api.post(FIELDS, { object_type: "deal", key: "segmento", type: "text" })), [
    `key: Um campo arquivado tem esta chave; volte a usá-lo com POST ${FIELDS}/${id}/restore`,
  ]);
  assert.equal((await api.post(`${FIELDS}/${id}/restore`)).body.archived_at, null);
  assert.deepEqual(errorsIn(await api.post(FIELDS, { object_type: "deal", key: "segmento", type: "text" })), [
    `key: Já há um campo com esta chave; altere-o com PATCH ${FIELDS}/${id}`,
  ]);
  await define(workspace.key, { object_type: "contact", key: "segmento", type: "text" });
});

test("An invalid definition is refused, and so is the 51st field of a kind of record", async ({ sql, workspace, api }) => {
  const cases: [definition: Body, wrong: string[]][] = [
    [{ object_type: "note", key: "a[b]", type: "json" }, ["object_type", "key", "type"]],
    [{ object_type: "deal", key: "a", type: "choice" }, ["choices"]],
    [{ object_type: "deal", key: "a", type: "text", choices: ["b"] }, ["choices"]],
  ];
  for (const [definition, wrong] of cases) {
    assertError(await api.post(FIELDS, definition), "validation_error", wrong);
  }
  // This key is reserved: many libraries drop it when they copy an object.
  assert.deepEqual(
    errorsIn(await api.post(FIELDS, '{"object_type": "deal", "key": " __proto__", "type": "text"}')),
    ["key: Nome de campo reservado"],
  );
  const { id } = await define(workspace.key, { object_type: "deal", key: "a", type: "text" });
  assertError(await api.patch(`${FIELDS}/${id}`, { choices: ["b"] }), "validation_error", ["choices"]);
  await sql`
    insert into crm.custom_fields (workspace_id, object_type, key, label, type)
    select ${workspace.id}, 'deal', 'f' || n, 'F', 'text' from generate_series(1, 49) n`;
  const next = { object_type: "deal", key: "b", type: "text" };
  assertError(await api.post(FIELDS, next), "validation_error", ["object_type"]);
  await api.post(`${FIELDS}/${id}/archive`);
  await define(workspace.key, next);
  assertError(await api.post(`${FIELDS}/${id}/restore`), "validation_error", ["object_type"]);
});

test("A definition applies only in its own workspace", async ({ sql, workspace, api }) => {
  await define(workspace.key, { object_type: "deal", key: "a", type: "number" });
  const other = client((await makeWorkspace(sql)).key);
  assert.deepEqual((await other.get(FIELDS)).body.data, []);
  for (const filter of ["custom[a]", "custom[__proto__]", "custom[__proto__][gte]"]) {
    assertError(await other.get(`${DEALS}?${filter}=1`), "validation_error", [filter]);
  }
  assert.equal((await other.post(DEALS, { title: "A", custom_fields: { a: "text" } })).status, 201);
  assert.equal((await api.post(DEALS, { title: "A", custom_fields: { a: "text" } })).status, 422);
});

/** For each type, values that a field accepts and values that it refuses. */
const VALUES: Record<string, { valid: unknown[]; invalid: unknown[]; choices?: string[] }> = {
  text: { valid: ["", "São João"], invalid: [1, true, ["a"], "a".repeat(2001)] },
  number: { valid: [0, -1.5, 9007199254740991], invalid: ["1", true, 9007199254740992] },
  money: { valid: [0, 12.34, 1e15], invalid: [-1, "1", 1.1e15] },
  date: {
    valid: ["2024-02-29", "0001-01-01", "2026-12-31"],
    invalid: ["2026-02-29", "2026-13-01", "2026-1-1", "31/01/2026", 20260101, "0000-01-01", "2026-04-31"],
  },
  boolean: { valid: [true, false], invalid: ["true", 1] },
  choice: { valid: ["a"], invalid: ["c", "A", ["a"], 1], choices: ["a", "b"] },
  choices: { valid: [[], ["b", "a"]], invalid: ["a", ["c"], [["a"]], { a: 1 }], choices: ["a", "b"] },
  link: {
    valid: ["https://x.com/a?b", "http://x"],
    invalid: ["x.com", "ftp://x.com", "https://", 1, "http://a b"],
  },
};

test("A value of a defined field must have its type or be null, on creation, PATCH, upsert, batch and lead; an undefined field takes any value", async ({ workspace, api }) => {
  for (const [type, { choices }] of Object.entries(VALUES)) {
    await define(workspace.key, { object_type: "deal", key: type, type, ...(choices && { choices }) });
  }
  for (const [type, { valid, invalid }] of Object.entries(VALUES)) {
    const items = [...valid, null, ...invalid].map((value) => ({
      op: "create",
      data: { title: "A", custom_fields: { [type]: value, livre: [1] } },
    }));
    const { body } = await api.post(`${DEALS}/batch`, { items });
    assert.deepEqual(
      body.results.map(({ status, error }: Body & { error?: { details: Body[] } }) =>
        error ? error.details[0]!["field"] : status
      ),
      [
        ...valid.map(() => 201),
        201,
        ...invalid.map((_, index) => `items[${valid.length + 1 + index}].custom_fields.${type}`),
      ],
      type,
    );
  }
  const { id } = await create(workspace.key, DEALS, { title: "A", custom_fields: { number: 1 } });
  const bad = { custom_fields: { number: "1", date: "hoje" } };
  const expected = ["custom_fields.date", "custom_fields.number"];
  assertError(await api.patch(`${DEALS}/${id}`, bad), "validation_error", expected);
  const upsert = { external_id: "x", title: "A", ...bad };
  const refused = await api.post(`${DEALS}/upsert?match_by=external_id`, upsert);
  assertError(refused, "validation_error", expected);
  const lead = { first_name: "Ana", email: "a@x.com", ...bad };
  assertError(await api.post("/api-v1-leads", lead), "validation_error", expected);
  assert.deepEqual(ids(await api.get(`${CONTACTS}?email=a@x.com`)), [], "a refused lead leaves nothing");
});

test("A change keeps the custom fields that it does not send; a null removes one, and null instead of the object removes all", async ({ workspace, api }) => {
  const sent = { name: "Ana", external_id: "c1", custom_fields: { a: 1, b: { x: [1] }, c: null } };
  const { id } = await create(workspace.key, CONTACTS, sent);
  const path = `${CONTACTS}/${id}`;
  const read = async () => (await api.get(path)).body.custom_fields;
  await api.patch(path, { custom_fields: { d: "4" } });
  assert.deepEqual(await read(), { ...sent.custom_fields, d: "4" });
  await api.patch(path, { custom_fields: { a: null, b: { y: 2 }, unknown: null } });
  assert.deepEqual(await read(), { b: { y: 2 }, c: null, d: "4" });
  await api.post(`${CONTACTS}/upsert?match_by=external_id`, { external_id: "c1", custom_fields: { b: 1 } });
  const items = [{ op: "update", id, data: { custom_fields: { e: true } } }];
  assert.equal((await api.post(`${CONTACTS}/batch`, { items })).body.summary.updated, 1);
  assert.deepEqual(await read(), { b: 1, c: null, d: "4", e: true });
  const many = Object.fromEntries(Array.from({ length: 47 }, (_, index) => [`k${index}`, 1]));
  assertError(await api.patch(path, { custom_fields: many }), "validation_error", ["custom_fields"]);
  const replaced = await api.patch(path, { custom_fields: { ...many, e: null } });
  assert.equal(Object.keys(replaced.body.custom_fields).length, 50);
  assert.equal((await api.patch(path, { custom_fields: null })).body.custom_fields, null);
  assert.deepEqual((await api.patch(path, { custom_fields: { a: null, b: 2 } })).body.custom_fields, {
    b: 2,
  });
});

test("Values from before the field's definition, and choices no longer offered, stay valid until they are changed; filters still find such a choice", async ({ sql, workspace, api }) => {
  const { id } = await create(workspace.key, CONTACTS, { name: "Ana", custom_fields: { n: "três", c: "a" } });
  await define(workspace.key, { object_type: "contact", key: "n", type: "number" });
  const field = { object_type: "contact", key: "c", type: "choice", choices: ["a"] };
  const choice = await define(workspace.key, field);
  await runJob(sql, "index-texts");
  const { body: { data: fields } } = await api.get(FIELDS);
  // Indexing the values is not a change of the field.
  assert.deepEqual(fields.find((f: Body) => f["id"] === choice.id), choice);
  await api.patch(`${FIELDS}/${choice.id}`, { choices: ["b"] });
  assert.deepEqual(ids(await api.get(`${CONTACTS}?custom[c]=a`)), [id]);
  const same = { n: "três", c: "a", x: 1 };
  assert.deepEqual((await api.patch(`${CONTACTS}/${id}`, { custom_fields: same })).body.custom_fields, same);
  const refused = await api.patch(`${CONTACTS}/${id}`, { custom_fields: { n: "quatro", c: "c" } });
  assertError(refused, "validation_error", ["custom_fields.c", "custom_fields.n"]);
});

test("A repeated lead gets its first reply, even if a field that refuses its value was defined in between (spec 4.1)", async ({ workspace, api }) => {
  const lead = { first_name: "Rita", external_id: "f1", custom_fields: { lojas: "três" } };
  const first = await api.post("/api-v1-leads", lead);
  assert.equal(first.status, 201);
  await define(workspace.key, { object_type: "deal", key: "lojas", type: "number" });
  const again = await api.post("/api-v1-leads", lead);
  assert.deepEqual([again.status, again.body.idempotent], [200, true]);
  assert.deepEqual(again.body.lead, first.body.lead);
  assert.equal((await api.post("/api-v1-leads", { ...lead, external_id: "f2" })).status, 422);
});

test("A workspace can refuse fields that it has not defined", async ({ sql, workspace, api }) => {
  const { id } = await create(workspace.key, CONTACTS, { name: "Ana", custom_fields: { velho: 1 } });
  await define(workspace.key, { object_type: "contact", key: "n", type: "number" });
  await sql`update crm.workspaces set refuses_undefined_fields = true where id = ${workspace.id}`;
  assert.deepEqual(errorsIn(await api.post(CONTACTS, { name: "Bia", custom_fields: { n: 1, m: 1 } })), [
    "custom_fields.m: Campo não definido; defina-o em POST /api-v1-workspace/custom-fields, ou use um de GET " +
    "/api-v1-workspace",
  ]);
  const kept = await api.patch(`${CONTACTS}/${id}`, { custom_fields: { velho: 1, n: 2 } });
  assert.deepEqual(kept.body.custom_fields, { velho: 1, n: 2 }, "what the contact had stays");
});

test("Lists filter by values and ranges of defined fields, and say what is wrong with a filter", async ({ sql, workspace, api }) => {
  // Stores texts under keys that are defined later, as a number, a date and choices. No filter by range may find them.
  await create(workspace.key, DEALS, {
    title: "Antes",
    custom_fields: { "Lojas abertas": "10", desde: "2026 (fevereiro)", areas: "2026-01-01" },
  });
  const list = await create(workspace.key, DEALS, {
    title: "Lista",
    value: 10,
    custom_fields: { visitas: ["2026-01-10", "2026-02-10"], bairro: "Jaragua\u0301" },
  });
  await define(workspace.key, { object_type: "deal", key: "visitas", type: "date" });
  for (
    const field of [
      { key: "Lojas abertas", type: "number" },
      { key: "desde", type: "date" },
      { key: "ativo", type: "boolean" },
      { key: "obs", type: "text" },
      { key: "bairro", type: "text" },
      { key: "areas", type: "choices", choices: ["a", "b"] },
    ]
  ) await define(workspace.key, { object_type: "deal", ...field });
  const made: string[] = [];
  // Longer than the part of a text that the index stores.
  const long = "Ó".repeat(300);
  for (
    const [lojas, desde, areas] of [[2, "2026-01-31", ["a"]], [10, "2026-02-01", ["a", "b"]], [-3, null, []]]
  ) {
    const more = { desde, areas, ativo: lojas === 2, obs: `${long}${lojas}` };
    const custom_fields = { "Lojas abertas": lojas, ...more };
    made.push((await create(workspace.key, DEALS, { title: "A", custom_fields })).id);
  }
  const [two, ten, minus] = made;
  for (const isIndexed of [false, true]) {
    if (isIndexed) await runJob(sql, "index-texts");
    for (
      const [query, expected] of [
        ["custom[Lojas abertas]=2", [two]],
        ["custom[Lojas abertas]=0.20000000000000000e1", [two]],
        ["custom[Lojas abertas][gte]=-3", [minus, ten, two]],
        ["custom[Lojas abertas][lte]=2", [minus, two]],
        ["custom[Lojas abertas][gte]=2&custom[Lojas abertas][lte]=9", [two]],
        ["custom[desde][gte]=2026-02-01", [ten]],
        ["custom[desde][gte]=2026-02-01&custom[areas]=b&status=aberto", [ten]],
        ["custom[visitas][gte]=2026-01-01", [list.id]],
        ["custom[ativo]=false", [minus, ten]],
        ["custom[areas]=a&sort=created_at", [two, ten]],
        ["custom[areas]=B", [ten]],
        ["custom[areas]=a&q=nada", []],
        [`custom[obs]=${long.toLowerCase()}2`, [two]],
        ["custom[bairro]=JARAGUÁ", [list.id]],
      ] as const
    ) assert.deepEqual(ids(await api.get(`${DEALS}?${encodeURI(query)}`)), expected, query);
  }
  const { body: visited } = await api.get(`${DEALS}/summary?custom[visitas][gte]=2026-01-01`);
  const { count, value } = visited.totals;
  assert.deepEqual([count, value], [1, 10], "a deal with two dates counts once");
  const { body: summary } = await api.get(`${DEALS}/summary?custom[areas]=a`);
  assert.equal(summary.totals.count, 2);

  const wrong = await api.get(
    `${DEALS}?custom[desde]=ontem&custom[areas]=c&custom[ativo][gte]=true&custom[nada]=1`,
  );
  const named = ["custom[nada]", "custom[areas]", "custom[ativo][gte]", "custom[desde]"];
  assertError(wrong, "validation_error", named);
  const twice = "custom[desde]=2026-01-01&custom[desde]=2026-01-02";
  for (const query of [twice, "custom[desde][gt]=2026-01-01", "custom=1"]) {
    assert.equal((await api.get(`${DEALS}?${query}`)).status, 422, query);
  }
});

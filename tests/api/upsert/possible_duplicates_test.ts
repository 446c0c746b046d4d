// X-Possible-Duplicate: names the existing records that a new record resembles.
import assert from "node:assert/strict";
import { call, client, type Reply } from "../../support/client.ts";
import { makeWorkspace } from "../../support/fixtures.ts";
import { sql, test } from "../../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";
const COMPANIES = "/api-v1-companies";
const REPRESENTATION = { Prefer: "return=representation" };

const duplicatesOf = ({ headers }: Reply) => headers.get("X-Possible-Duplicate")?.split(", ") ?? [];

/** A value of a stored record, a value of a new record, and whether the new record resembles the stored one. */
const alike: [path: string, stored: Record<string, string>, sent: Record<string, string>, is: boolean][] = [
  [CONTACTS, { email: "ana@x.com" }, { email: " ANA@x.com" }, true],
  [CONTACTS, { phone: "+55 11 99876-5432" }, { phone: "(11) 99876-5432" }, true],
  [CONTACTS, { phone: "+55 11 99876-5432" }, { phone: "(11) 9876-5432" }, true],
  [CONTACTS, { phone: "(11) 9876-5432" }, { phone: "(11) 99876-5432" }, true],
  [CONTACTS, { phone: "+55 81 99876-5432" }, { phone: "99876-5432" }, true],
  [CONTACTS, { phone: "+55 81 99876-5432" }, { phone: "9876-5432" }, true],
  [CONTACTS, { phone: "9876-5432" }, { phone: "+55 81 99876-5432" }, true],
  [CONTACTS, { phone: "99876-5432" }, { phone: "9876-5432" }, true],
  [CONTACTS, { phone: "(11) 3333-4444" }, { phone: "3333-4444" }, true],
  [CONTACTS, { phone: "(11) 99876-5432" }, { phone: "(21) 99876-5432" }, false],
  [CONTACTS, { phone: "(11) 3333-4444" }, { phone: "(11) 93333-4444" }, false],
  [CONTACTS, { phone: "sem número" }, { phone: "sem número" }, false],
  [CONTACTS, { external_id: "1" }, { external_id: "2" }, false],
  [COMPANIES, { tax_id: "12.abc.345/01de-35" }, { tax_id: "12ABC34501DE35" }, true],
  [COMPANIES, { domain: "padaria.com.br" }, { domain: "https://www.Padaria.com.br/" }, true],
  [COMPANIES, { domain: "padaria.com.br" }, { domain: "outra.com.br" }, false],
  [COMPANIES, { domain: "" }, { domain: "" }, false],
];

/** A client of another workspace, whose records are never possible duplicates. */
const elsewhere = client((await makeWorkspace(sql)).key);

for (const [path, stored, sent, is] of alike) {
  const [shown, other] = [stored, sent].map((body) => JSON.stringify(body));
  test(`POST ${path} with ${other} ${is ? "names" : "does not name"} the record with ${shown}`, async ({ api }) => {
    await elsewhere.post(path, { name: "De outro workspace", ...stored });
    const first = await api.post(path, { name: "A", ...stored });
    const second = await api.post(path, { name: "B", ...sent });
    assert.deepEqual([first.status, second.status], [201, 201], second.text);
    assert.deepEqual([duplicatesOf(first), duplicatesOf(second)], [[], is ? [first.body.id] : []]);
    if (path === CONTACTS) assert.deepEqual(Object.keys(second.body), ["id"]);
    else assert.ok(!("possible_duplicates" in second.body) && !("X-Possible-Duplicate" in second.body));
  });
}

for (
  const [path, value] of [
    [CONTACTS, { email: "a@x.com", phone: "+55 11 3333-4444" }],
    [COMPANIES, { domain: "x.com", tax_id: "1" }],
  ] as const
) {
  test(`POST ${path} names at most five records, each once, and no archived record`, async ({ api }) => {
    const made: string[] = [];
    for (let time = 0; time < 7; time++) made.push((await api.post(path, { name: "A", ...value })).body.id);
    await api.post(`${path}/${made[0]}/archive`, {});
    assert.deepEqual(duplicatesOf(await api.post(path, { name: "A", ...value })), made.slice(1, 6));
  });

  test(`POST ${path} with return=representation answers with the whole record and its possible_duplicates`, async ({ api, workspace: { key } }) => {
    const post = (headers: Record<string, string>) =>
      call("POST", path, { key, body: { name: "A", ...value, custom_fields: { n: 1 }, nada: 1 }, headers });
    const first = await post(REPRESENTATION);
    assert.equal(first.headers.get("Preference-Applied"), "return=representation");
    const { possible_duplicates, ...record } = first.body;
    assert.deepEqual([possible_duplicates, duplicatesOf(first)], [[], []]);
    const read = await api.get(`${path}/${record.id}`);
    assert.deepEqual([record, first.headers.get("ETag")], [read.body, read.headers.get("ETag")]);
    const second = await post({ ...REPRESENTATION, "Idempotency-Key": "k" });
    assert.deepEqual([second.body.possible_duplicates, duplicatesOf(second)], [[record.id], [record.id]]);
    const again = await post({ "Idempotency-Key": "k" });
    assert.deepEqual([again.status, again.text, duplicatesOf(again)], [200, second.text, [record.id]]);
    assert.equal(again.headers.get("ETag"), null, "a replay may show an old state");
    const both = await post({ Prefer: "handling=strict, return=representation" });
    assert.equal(both.status, 422, "the unknown field is an error");
  });

  test(`an upsert of ${path} names the records that a new record resembles, and none if it updates a record`, async ({ api }) => {
    const { body: { id } } = await api.post(path, { name: "A", ...value });
    const upsert = `${path}/upsert?match_by=external_id`;
    const body = { external_id: "1", name: "A", ...value };
    const dry = await api.post(`${upsert}&dry_run=true`, body);
    assert.deepEqual([dry.status, dry.body.created, duplicatesOf(dry)], [200, true, [id]]);
    assert.ok(!("X-Possible-Duplicate" in dry.body));
    const created = await api.post(upsert, body, { "Idempotency-Key": "k" });
    assert.deepEqual([created.body.created, duplicatesOf(created)], [true, [id]]);
    assert.ok(!("X-Possible-Duplicate" in created.body));
    const replayed = await api.post(upsert, body, { "Idempotency-Key": "k" });
    assert.deepEqual([replayed.text, duplicatesOf(replayed)], [created.text, [id]]);
    assert.deepEqual(duplicatesOf(await api.post(upsert, body)), []);
  });
}

// external_id of contacts and companies: their id in the caller's own system, unique within a workspace for each kind.
import assert from "node:assert/strict";
import { assertError, client } from "../../support/client.ts";
import { makeKey, makeWorkspace } from "../../support/fixtures.ts";
import { ids } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

/** The resources whose external_id is unique, and another field that an upsert can match by. */
const RESOURCES = [
  { path: "/api-v1-contacts", by: "email", value: "ana@x.com.br" },
  { path: "/api-v1-companies", by: "tax_id", value: "12.abc.345/01de-35" },
];

for (const { path, by, value } of RESOURCES) {
  const upsert = `${path}/upsert?match_by=${by}`;

  test(`POST, PATCH and upsert ${path} refuse another record's external_id, and name that record (spec 7)`, async ({ sql, api }) => {
    const { body: { id } } = await api.post(path, { name: "Ana", external_id: "erp-1" });
    const { body: other } = await api.post(path, { name: "Ana", [by]: value });
    const sends = [
      api.post(path, { name: "Ana", external_id: "erp-1" }),
      api.patch(`${path}/${other.id}`, { external_id: "erp-1" }),
      api.post(upsert, { [by]: value, external_id: "erp-1" }),
    ];
    for (const reply of await Promise.all(sends)) {
      assertError(reply, "external_id_taken", ["external_id"]);
      assert.equal(reply.body.error.details[0].id, id);
    }
    assert.equal((await api.get(`${path}/${other.id}`)).body.external_id, null);
    // A record accepts its own external_id again, another workspace may use the same one, and null frees it.
    assert.equal((await api.patch(`${path}/${id}`, { external_id: "erp-1" })).status, 200);
    const elsewhere = client((await makeWorkspace(sql)).key);
    assert.equal((await elsewhere.post(path, { name: "Ana", external_id: "erp-1" })).status, 201);
    assert.equal((await api.patch(`${path}/${id}`, { external_id: null })).status, 200);
    assert.equal((await api.patch(`${path}/${other.id}`, { external_id: "erp-1" })).status, 200);
  });

  test(`10 simultaneous POST ${path} with the same external_id: one creates a record, the others get external_id_taken (spec 7)`, async ({ sql, workspace: { id }, api }) => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => makeKey(sql, id)));
    const replies = await Promise.all(
      keys.map(({ key }) => client(key).post(path, { name: "Ana", external_id: "erp-1" })),
    );
    const [created, ...others] = replies.toSorted((a, b) => a.status - b.status);
    assert.equal(created!.status, 201);
    for (const reply of others) {
      assertError(reply, "external_id_taken");
      assert.equal(reply.body.error.details[0].id, created!.body.id);
    }
    assert.equal(ids(await api.get(path)).length, 1);
  });
}

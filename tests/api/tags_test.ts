// Tags of contacts, companies and deals.
import assert from "node:assert/strict";
import { assertError } from "../support/client.ts";
import { create, ids } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

for (const path of ["/api-v1-contacts", "/api-v1-companies", "/api-v1-deals"]) {
  const name = path.endsWith("deals") ? { title: "A" } : { name: "A" };

  test(`${path}: tags are written, added, removed and found without regard to case`, async ({ workspace, api }) => {
    const { id } = await create(workspace.key, path, { ...name, tags: [" VIP ", "vip", "Feira"] });
    const plain = await create(workspace.key, path, name);
    const tagsOf = async (body: object) => (await api.patch(`${path}/${id}`, body)).body.tags;
    assert.deepEqual((await api.get(`${path}/${id}`)).body.tags, ["VIP", "Feira"]);
    assert.deepEqual((await api.get(`${path}/${plain.id}`)).body.tags, []);
    assert.deepEqual(await tagsOf({ add_tags: ["feira", "Novo"], remove_tags: ["vip"] }), ["Feira", "Novo"]);
    assert.deepEqual(ids(await api.get(`${path}?tag=FEIRA,novo`)), [id]);
    assert.deepEqual(ids(await api.get(`${path}?tag=feira,vip`)), []);
    assert.deepEqual(await tagsOf({ tags: ["a"], add_tags: ["b"] }), ["a", "b"]);
    assert.deepEqual(ids(await api.get(`${path}?tag=feira`)), []);
    assert.deepEqual(await tagsOf({ tags: null }), []);

    const { updated_at } = (await api.get(`${path}/${id}`)).body;
    await api.patch(`${path}/${id}`, { tags: [], remove_tags: ["a"] });
    assert.equal((await api.get(`${path}/${id}`)).body.updated_at, updated_at, "nothing has changed");
  });

  test(`${path}: tags that differ only in Unicode normalization are one tag`, async ({ workspace, api }) => {
    const { id } = await create(workspace.key, path, { ...name, tags: ["café", "cafe\u0301"] });
    const { body } = await api.patch(`${path}/${id}`, { add_tags: ["CAFE\u0301", "pa\u0303o"] });
    assert.deepEqual(body.tags, ["café", "pa\u0303o"]);
    assert.deepEqual(ids(await api.get(`${path}?tag=cafe\u0301,pão`)), [id]);
    assert.deepEqual((await api.patch(`${path}/${id}`, { remove_tags: ["pão"] })).body.tags, ["café"]);
  });

  test(`${path}: a tag has no comma, and a record at most 50 tags`, async ({ workspace, api }) => {
    for (const tag of [" ", "a,b"]) {
      assertError(await api.post(path, { ...name, tags: [tag] }), "validation_error", ["tags.0"]);
    }
    const fifty = Array.from({ length: 50 }, (_, index) => `t${index}`);
    const { id } = await create(workspace.key, path, { ...name, tags: fifty });
    const { body } = await api.patch(`${path}/${id}`, { add_tags: ["T1", "x", "y"] });
    assert.deepEqual(body.error.details, [
      { field: "add_tags", message: "O registro ficaria com 52 etiquetas; o máximo é 50" },
    ]);
  });

  test(`${path}: an upsert adds tags to those that the record has, and a batch removes tags`, async ({ api }) => {
    const upsert = (body: object) =>
      api.post(`${path}/upsert?match_by=external_id`, { ...name, external_id: "1", ...body });
    assert.deepEqual((await upsert({ add_tags: ["a"] })).body.tags, ["a"]);
    const { body } = await upsert({ add_tags: ["b"] });
    assert.deepEqual(body.tags, ["a", "b"]);
    await api.post(`${path}/batch`, { items: [{ op: "update", id: body.id, data: { remove_tags: ["A"] } }] });
    assert.deepEqual((await api.get(`${path}/${body.id}`)).body.tags, ["b"]);
  });
}

test("Merged contacts have the tags of both; a change of tags emits an event and is in the change log", async ({ workspace, api }) => {
  const stays = await create(workspace.key, "/api-v1-contacts", { name: "Ana", tags: ["VIP", "a"] });
  const goes = await create(workspace.key, "/api-v1-contacts", { name: "Ana", tags: ["vip", "b"] });
  const { body } = await api.post(`/api-v1-contacts/${stays.id}/merge`, { merge_id: goes.id });
  assert.deepEqual(body.tags, ["VIP", "a", "b"]);
  await api.patch(`/api-v1-contacts/${stays.id}`, { add_tags: ["c"] });
  const { body: { data: [change] } } = await api.get(`/api-v1-changes?object_id=${stays.id}`);
  assert.deepEqual(change.changed_fields, ["tags"]);
});

test("An erasure removes a contact's tags, and from its deals each tag that mentions the person", async ({ workspace, api }) => {
  const contact = await create(workspace.key, "/api-v1-contacts", { name: "Zuleica Prates", tags: ["VIP"] });
  const deal = await create(workspace.key, "/api-v1-deals", {
    title: "A",
    contact_id: contact.id,
    tags: ["feira", "da Zuleica Prates"],
  });
  await api.post(`/api-v1-contacts/${contact.id}/erase`);
  assert.deepEqual((await api.get(`/api-v1-contacts/${contact.id}`)).body.tags, []);
  assert.deepEqual((await api.get(`/api-v1-deals/${deal.id}`)).body.tags, ["feira"]);
  assert.deepEqual(ids(await api.get("/api-v1-contacts?tag=vip&archived=any")), []);
});

// GET /api-v1-companies/:id/timeline and /api-v1-contacts/:id/timeline: what happened, newest first.
import assert from "node:assert/strict";
import { client, type Reply } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { create, ids, readPages } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

type Entry = Reply["body"];

test("The timelines of a company and of a contact show deals, moves, activities and notes, newest first and page by page", async ({ workspace, api }) => {
  const { key, stages: [first, second, third] } = workspace;
  const company = await create(key, "/api-v1-companies", { name: "Sol" });
  const contact = await create(key, "/api-v1-contacts", { name: "Ana", company_id: company.id });
  const about = { company_id: company.id, contact_id: contact.id, stage_id: first.id };
  const deal = await create(key, "/api-v1-deals", { title: "Plano", ...about });
  const note = await create(key, "/api-v1-notes", { deal_id: deal.id, body: "Ligou" });
  await api.post(`/api-v1-deals/${deal.id}/move-stage`, { stage_id: second.id });
  const task = await create(key, "/api-v1-activities", { deal_id: deal.id, title: "Visita", type: "visita" });
  await api.post(`/api-v1-deals/${deal.id}/move-stage`, { stage_id: third.id });
  // A deal without the contact, with an activity that includes the contact.
  const other = await create(key, "/api-v1-deals", { title: "Outro" });
  const ofContact = { deal_id: other.id, contact_id: contact.id, type: "ligacao" };
  const call = await create(key, "/api-v1-activities", ofContact);
  await create(key, "/api-v1-notes", { deal_id: other.id, body: "De outro" });

  const { body: { data } } = await api.get(`/api-v1-companies/${company.id}/timeline`);
  assert.deepEqual(data.map(({ type, deal: { name } }: Entry) => `${type} ${name}`), [
    "stage_change Plano",
    "activity Plano",
    "stage_change Plano",
    "note Plano",
    "deal Plano",
  ]);
  assert.deepEqual(data.map(({ from_stage, to_stage }: Entry) => [from_stage, to_stage]), [
    [second.name, third.name],
    [null, null],
    [first.name, second.name],
    [null, null],
    [null, null],
  ]);
  const { activity } = data[1];
  assert.deepEqual([activity.id, activity.title, data[3].note.body], [task.id, "Visita", "Ligou"]);
  assert.deepEqual([data[3].id, data[4].id], [note.id, deal.id]);
  assert.deepEqual(data[4].deal, { id: deal.id, name: "Plano", status: "aberto", value: null });
  for (const limit of [1, 2]) {
    const pages = await readPages(api, `/api-v1-companies/${company.id}/timeline?limit=${limit}`);
    assert.deepEqual(pages.flatMap(({ body }) => body.data), data, `${limit} a page`);
  }
  const contacts = await api.get(`/api-v1-contacts/${contact.id}/timeline`);
  assert.deepEqual(ids(contacts), [call.id, ...data.map(({ id }: Entry) => id)]);
  const empty = await create(key, "/api-v1-companies", { name: "Lua" });
  const nothing = await api.get(`/api-v1-companies/${empty.id}/timeline`);
  assert.deepEqual(nothing.body, { data: [], meta: { next_cursor: null, has_more: false } });
});

test("A timeline omits what the key may not read, and a merged record's timeline redirects to the remaining record", async ({ sql, workspace, api }) => {
  const company = await create(workspace.key, "/api-v1-companies", { name: "Sol" });
  const deal = await create(workspace.key, "/api-v1-deals", { title: "Plano", company_id: company.id });
  await create(workspace.key, "/api-v1-notes", { deal_id: deal.id, body: "Sigilo" });
  await create(workspace.key, "/api-v1-activities", { deal_id: deal.id });
  const read = async (...scopes: string[]): Promise<Entry[]> => {
    const { key } = await makeKey(sql, workspace.id, { scopes: ["companies:read", ...scopes] });
    return (await client(key).get(`/api-v1-companies/${company.id}/timeline`)).body.data;
  };
  assert.deepEqual(await read(), []);
  const [note, ...others] = await read("notes:read");
  assert.deepEqual([note.type, others], ["note", []]);
  assert.deepEqual(note.deal, { id: deal.id, name: "Plano", status: null, value: null });
  const shown = (await read("deals:read", "activities:read")).map(({ type }) => type);
  assert.deepEqual(shown, ["activity", "deal"]);
  const survivor = await create(workspace.key, "/api-v1-companies", { name: "Sol Ltda" });
  await api.post(`/api-v1-companies/${survivor.id}/merge`, { merge_id: company.id });
  const merged = await api.get(`/api-v1-companies/${company.id}/timeline?limit=5`);
  assert.equal(merged.body.error.code, "merged");
  assert.ok(merged.headers.get("Location")!.endsWith(`/api-v1-companies/${survivor.id}/timeline?limit=5`));
  assert.equal((await api.get(`/api-v1-companies/${survivor.id}/timeline`)).body.data.length, 3);
});

test("A timeline still shows a deal's move after 150 later events about the deal", async ({ sql, workspace, api }) => {
  const company = await create(workspace.key, "/api-v1-companies", { name: "Sol" });
  const deal = await create(workspace.key, "/api-v1-deals", { title: "Plano", company_id: company.id });
  await api.post(`/api-v1-deals/${deal.id}/move-stage`, { stage_id: workspace.stages[1].id });
  await sql`
    insert into crm.events (workspace_id, event, object_id, facts)
    select ${workspace.id}, 'deal.updated', ${deal.id}, '{}' from generate_series(1, 150)`;
  const { body: { data } } = await api.get(`/api-v1-companies/${company.id}/timeline`);
  assert.deepEqual(data.map(({ type, to_stage }: Entry & { to_stage: string }) => [type, to_stage]), [
    ["stage_change", workspace.stages[1].name],
    ["deal", null],
  ]);
});

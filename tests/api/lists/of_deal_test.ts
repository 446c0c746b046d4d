// The filters company_id and contact_id of activities and notes: they match the company and the contact of the deal.
import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { create, ids, makeMember, readPages, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const NOTES = "/api-v1-notes";
const ACTIVITIES = "/api-v1-activities";

test("GET /api-v1-notes and GET /api-v1-activities sort the notes and activities of a company's or a contact's deals (spec 4.3, 4.6)", async ({ workspace: { key }, api }) => {
  const company = await create(key, "/api-v1-companies", { name: "Sol" });
  const contact = await create(key, "/api-v1-contacts", { name: "Ana" });
  const deals = [
    await create(key, "/api-v1-deals", { title: "Um", company_id: company.id }),
    await create(key, "/api-v1-deals", { title: "Dois", company_id: company.id, contact_id: contact.id }),
    await create(key, "/api-v1-deals", { title: "De outra empresa", contact_id: contact.id }),
  ];
  const list = async (path: string, query: string) =>
    (await readPages(api, `${path}?${query}&limit=1`)).flatMap(ids);
  for (const [path, body] of [[NOTES, { body: "b" }], [ACTIVITIES, { type: "visita" }]] as const) {
    const made: string[] = [];
    for (const { id: deal_id } of deals) made.push((await create(key, path, { deal_id, ...body })).id);
    const ofCompany = made.slice(0, 2);
    assert.deepEqual(await list(path, `company_id=${company.id}`), ofCompany.toReversed());
    assert.deepEqual(await list(path, `company_id=${company.id}&sort=created_at`), ofCompany);
    assert.deepEqual(await list(path, `contact_id=${contact.id}&sort=created_at`), made.slice(1));
    assert.deepEqual(await list(path, `company_id=${company.id}&updated_since=2999-01-01T00:00:00Z`), []);
  }
  const visits = await list(ACTIVITIES, `company_id=${company.id}&type=visita&sort=updated_at`);
  assert.equal(visits.length, 2);
});

test("GET /api-v1-notes needs deal_id, company_id or contact_id, and without deal_id sorts only by created_at (spec 4.3)", async ({ api }) => {
  const missing = await api.get(NOTES);
  assert.deepEqual(assertError(missing, "validation_error"), {
    deal_id: "Informe ao menos um de deal_id, company_id e contact_id",
  });
  for (const path of [NOTES, ACTIVITIES]) {
    assertError(await api.get(`${path}?company_id=sol`), "validation_error", ["company_id"]);
  }
  const sorted = await api.get(`${NOTES}?company_id=${UNKNOWN_ID}&sort=-updated_at`);
  assertError(sorted, "validation_error", ["sort"]);
});

test("a company with too many deals to look up one by one still lists all notes and activities, in pages that may end early (spec 4.0, 4.3)", async ({ sql, workspace, api }) => {
  const { key, id: workspace_id } = workspace;
  const company = await create(key, "/api-v1-companies", { name: "Sol" });
  const deal = await create(key, "/api-v1-deals", { title: "Primeiro", company_id: company.id });
  const other = await create(key, "/api-v1-deals", { title: "De outra" });
  const owner_id = await makeMember(sql, workspace);
  const note = await create(key, NOTES, { deal_id: deal.id, body: "b" });
  const activity = await create(key, ACTIVITIES, { deal_id: deal.id });
  await sql`
    insert into crm.deals (workspace_id, title, company_id, owner_id, pipeline_id, stage_id)
    select d.workspace_id, 'Outro', d.company_id, d.owner_id, d.pipeline_id, d.stage_id
    from crm.deals d, generate_series(1, 260) where d.workspace_id = ${workspace_id} and d.id = ${deal.id}`;
  await sql`
    insert into crm.notes (workspace_id, deal_id, author_id, body, source)
    select ${workspace_id}, ${other.id}, ${owner_id}, 'b', 'integration' from generate_series(1, 1300)`;
  const pages = await readPages(api, `${NOTES}?company_id=${company.id}`);
  assert.deepEqual(pages.flatMap(ids), [note.id]);
  assert.equal(pages.length, 2, "the note is beyond the 1,250 rows that one page reads");
  assert.deepEqual(ids(await api.get(`${ACTIVITIES}?company_id=${company.id}&type=tarefa`)), [activity.id]);
});

// The parameter `expand`: shows the id and name of each record that an id field refers to.
import assert from "node:assert/strict";
import { CrmError } from "../../../clients/sdk/src/index.ts";
import { records } from "../../../tools/records/records.ts";
import type { Scope } from "../../../supabase/functions/_shared/contract/scopes.ts";
import { assertError, client } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { create, makeLossReason } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { recordingCrm } from "../../support/sdk.ts";

const DEALS = "/api-v1-deals";

test("expand adds the names of the given records to a list and to a GET by id, and changes nothing else", async ({ sql, workspace, api }) => {
  const { memberId, pipelineId, stages, key } = workspace;
  const company = await create(key, "/api-v1-companies", { name: "Padaria Sol" });
  const contact = await create(key, "/api-v1-contacts", { name: 'Ana "Aninha"', company_id: company.id });
  const deal = await create(key, DEALS, { title: "Plano", contact_id: contact.id, company_id: company.id });
  const bare = await create(key, DEALS, { title: "Sem ninguém" });
  const note = await create(key, "/api-v1-notes", { deal_id: deal.id, body: "Ligou" });
  const task = await create(key, "/api-v1-activities", { deal_id: deal.id });
  const [names] = await sql`
    select m.name as member, p.name as pipeline, json_build_object('id', s.id, 'name', s.name, 'type', s.type) as stage
    from crm.members m, crm.pipelines p, crm.stages s
    where m.id = ${memberId} and p.id = ${pipelineId} and s.id = ${stages[0].id}`;
  const { member, pipeline, stage } = names!;
  const named = {
    owner: { id: memberId, name: member },
    pipeline: { id: pipelineId, name: pipeline },
    stage,
    contact: { id: contact.id, name: 'Ana "Aninha"' },
    company: { id: company.id, name: "Padaria Sol" },
    deal: { id: deal.id, name: "Plano" },
    created_by: { id: memberId, name: member },
    author: { id: memberId, name: member },
  };
  const all = "owner,stage,company,contact,pipeline";
  const { body: { data: plain } } = await api.get(DEALS);
  const { body: { data, meta } } = await api.get(`${DEALS}?expand=${all}`);
  assert.deepEqual(meta, { next_cursor: null, has_more: false });
  const { author: _, created_by: __, deal: ___, ...shown } = named;
  assert.deepEqual(data[0], { ...plain[0], ...shown, contact: null, company: null });
  assert.deepEqual(data[1], { ...plain[1], ...shown });
  assert.equal(data[0].id, bare.id);
  for (
    const [path, names] of [
      [`/api-v1-contacts/${contact.id}`, ["company", "owner"]],
      [`/api-v1-companies/${company.id}`, ["owner"]],
      [`/api-v1-notes/${note.id}`, ["deal", "author"]],
      [`/api-v1-activities/${task.id}`, ["deal", "contact", "owner", "created_by"]],
    ] as const
  ) {
    const [plain, expanded] = [await api.get(path), await api.get(`${path}?expand=${names}&x=1`)];
    const added = Object.fromEntries(names.map((name) => [name, named[name]]));
    assert.deepEqual(expanded.body, { ...plain.body, ...added }, path);
    const known = { "If-None-Match": expanded.headers.get("ETag")! };
    assert.equal((await api.get(`${path}?expand=${names}`, known)).status, 304, path);
    assert.equal((await api.get(path, known)).status, 200, path);
  }
  // GET of a deal already has its contact and company in full.
  const { body: detail } = await api.get(`${DEALS}/${deal.id}?expand=${all}`);
  assert.deepEqual([detail.owner, detail.stage, detail.pipeline], [named.owner, stage, named.pipeline]);
  assert.deepEqual([detail.contact.email, detail.company.tax_id], [null, null]);
  const only = await api.get(`${DEALS}/${deal.id}?expand=contact`);
  assert.equal(only.text, (await api.get(`${DEALS}/${deal.id}`)).text);
});

test("expand names no record that the key may not read", async ({ sql, workspace }) => {
  const company = await create(workspace.key, "/api-v1-companies", { name: "Padaria Sol" });
  const contact = await create(workspace.key, "/api-v1-contacts", { name: "Ana", company_id: company.id });
  const deal = await create(workspace.key, DEALS, { title: "Plano", contact_id: contact.id });
  await create(workspace.key, "/api-v1-activities", { deal_id: deal.id });
  const read = async (path: string, scopes: Scope[]) => {
    const { key } = await makeKey(sql, workspace.id, { scopes });
    const { body: { data: [record] } } = await client(key).get(path);
    return [record.deal?.name, record.contact?.name, record.company?.name, record.owner?.name];
  };
  const owner = (await sql`select name from crm.members where id = ${workspace.memberId}`)[0]!["name"];
  const path = "/api-v1-activities?expand=deal,contact,owner";
  assert.deepEqual(await read(path, ["activities:read"]), [undefined, undefined, undefined, owner]);
  assert.deepEqual(await read(path, ["activities:read", "deals:read"]), [
    "Plano",
    undefined,
    undefined,
    owner,
  ]);
  const contacts = "/api-v1-contacts?expand=company";
  assert.equal((await read(contacts, ["contacts:read"]))[2], undefined);
  assert.equal((await read(contacts, ["contacts:read", "companies:read"]))[2], "Padaria Sol");
});

test("expand works with filters, search and pages, and names the reason of a lost deal", async ({ sql, workspace, api, newDeal }) => {
  const reason = await makeLossReason(sql, workspace);
  const [first] = [await newDeal(), await newDeal()];
  await api.post(`${DEALS}/${first.id}/lose`, { loss_reason_id: reason });
  for (const query of ["limit=1", "status=aberto", "q=ana&limit=1", "updated_since=2020-01-01"]) {
    const { body } = await api.get(`${DEALS}?${query}&expand=owner`);
    assert.equal(body.data[0].owner.id, workspace.memberId, query);
  }
  const { body } = await api.get(`${DEALS}?status=perdido&expand=loss_reason`);
  assert.equal(body.data[0].loss_reason.id, reason);
});

test("An unknown or repeated expand is an error that lists what can be expanded, for every record", async ({ api }) => {
  for (const { about, expansions } of records) {
    const names = Object.keys(expansions);
    if (names.length === 0 || !about.sql?.includes("list")) continue;
    const path = `/api-v1-${about.table}`;
    // A list of notes needs a deal_id.
    const filter = about.table === "notes" ? `&deal_id=${crypto.randomUUID()}` : "";
    const details = assertError(await api.get(`${path}?expand=dono${filter}`), "validation_error");
    assert.deepEqual(details, {
      expand: `"dono" não é um de ${names.map((name) => `"${name}"`).join(", ")}`,
    });
    const twice = await api.get(`${path}/${crypto.randomUUID()}?expand=${names[0]}&expand=${names[0]}`);
    assert.deepEqual(assertError(twice, "validation_error"), { expand: "Parâmetro repetido" });
  }
});

test("The SDK takes expand as an option of a read, and in the query of a list", async ({ workspace, newDeal }) => {
  const { crm } = recordingCrm(workspace.key);
  const { id } = await newDeal();
  const deal = await crm.deals.get(id, { expand: ["owner", "stage"] });
  assert.equal(deal.owner?.id, workspace.memberId);
  assert.equal(await crm.deals.get(id, { expand: ["owner", "stage"], ifNoneMatch: deal }), null);
  const [listed] = (await crm.deals.list({ expand: "stage" }).page()).data;
  assert.ok(listed!.stage?.type);
  await assert.rejects(crm.deals.get(id, { expand: ["dono" as "owner"] }), CrmError);
});

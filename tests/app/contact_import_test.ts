// The import of contacts in the console: POST /app-v1-contacts/import.
import assert from "node:assert/strict";
import { upsert } from "../support/batches.ts";
import { assertError, client } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { create } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";

const IMPORT = "/app-v1-contacts/import";

test("An import creates and updates contacts with their companies, and names the member in the change log", async ({ sql, workspace: { id, key }, api }) => {
  const { client: gestor, memberId } = await signIn(sql, id, "gestor");
  const sun = await create(key, "/api-v1-companies", { name: "Padaria Sol" });
  const ana = await create(key, "/api-v1-contacts", { name: "Ana", email: "ana@sol.example", tags: ["vip"] });
  const ofSun = { name: "Ana Souza", email: "Ana@Sol.example", company: "PADARIA SOL" };
  const ofMoon = { company: "Mercado Lua", company_tax_id: "12.345/0001" };
  const items = [
    upsert("email", { ...ofSun, add_tags: ["feira"] }),
    upsert("email", { name: "Rui", email: "rui@lua.example", company: "Mercado Lua" }),
    upsert("phone", { name: "Eva", phone: "(11) 97777-1234", ...ofMoon }),
  ];
  const { body } = await gestor.post(IMPORT, { items });
  assert.deepEqual(body.summary, { created: 2, updated: 1, failed: 0 });

  const contact = async (at: number) => (await api.get(`/api-v1-contacts/${body.results[at].id}`)).body;
  const [first, second, third] = await Promise.all([0, 1, 2].map(contact));
  assert.deepEqual([first.id, first.name, first.company_id], [ana.id, "Ana Souza", sun.id]);
  assert.deepEqual(first.tags, ["vip", "feira"]);
  // The line with the tax id creates the company, and the line with only the company's name finds it.
  assert.equal(second.company_id, third.company_id);
  const { body: moon } = await api.get(`/api-v1-companies/${third.company_id}`);
  assert.deepEqual([moon.name, moon.tax_id, moon.owner_id], ["Mercado Lua", "123450001", third.owner_id]);
  const ids = body.results.map(({ id }: { id: string }) => id);
  const callers = await sql`
    select distinct object_id from crm.events
    where workspace_id = ${id} and object_id = any (${ids}) and caller_id = ${memberId}`;
  assert.equal(callers.length, 3);
});

test("An import that is sent again writes no contact and no company twice", async ({ sql, workspace: { id } }) => {
  const { client: member } = await signIn(sql, id, "gestor");
  const items = [
    upsert("external_id", { name: "Ana", external_id: "c-1", company: "Padaria Sol" }),
    upsert("email", { name: "Rui", email: "rui@sol.example", company: "padaria sol" }),
    upsert("phone", { name: "Eva", phone: "11 97777-1234" }),
    // Two names with one tax id are one company.
    upsert("external_id", {
      name: "Lia",
      external_id: "c-2",
      company: "Lua Ltda",
      company_tax_id: "33.333/0001",
    }),
    upsert("external_id", { name: "Téo", external_id: "c-3", company: "A Lua", company_tax_id: "333330001" }),
  ];
  const first = await member.post(IMPORT, { items });
  const again = await member.post(IMPORT, { items });
  assert.deepEqual(first.body.summary, { created: 5, updated: 0, failed: 0 });
  assert.deepEqual(again.body.summary, { created: 0, updated: 5, failed: 0 });
  const companies = await sql`
    select c.name, c.tax_id, count(*)::int as contacts
    from crm.companies c left join crm.contacts t on t.workspace_id = c.workspace_id and t.company_id = c.id
    where c.workspace_id = ${id} group by c.id, c.name, c.tax_id order by c.name`;
  assert.deepEqual([...companies], [
    { name: "Lua Ltda", tax_id: "333330001", contacts: 2 },
    { name: "Padaria Sol", tax_id: null, contacts: 2 },
  ]);
});

test("An import uses the company that remains after a merge for lines with the merged company's tax id", async ({ sql, workspace: { id, key }, api }) => {
  const { client: member } = await signIn(sql, id, "gestor");
  const kept = await create(key, "/api-v1-companies", { name: "Matriz Sol", tax_id: "1" });
  const merged = await create(key, "/api-v1-companies", { name: "Filial Sol", tax_id: "2" });
  await api.post(`/api-v1-companies/${kept.id}/merge`, { merge_id: merged.id });
  const { body } = await member.post(IMPORT, {
    items: [
      upsert("email", { name: "Ana", email: "ana@sol.example", company: "Filial Sol", company_tax_id: "2" }),
    ],
  });
  const { body: contact } = await api.get(`/api-v1-contacts/${body.results[0].id}`);
  assert.equal(contact.company_id, kept.id);
});

test("dry_run says what would be created, which fields would change, and why a line is refused, and writes nothing", async ({ sql, workspace: { id, key } }) => {
  const { client: member } = await signIn(sql, id, "gestor");
  // Only the first 200 characters of a value are shown, but a change after them counts.
  const shown = "x".repeat(200);
  const ana = await create(key, "/api-v1-contacts", {
    name: "Ana",
    email: "ana@sol.example",
    job_title: "Sócia",
    notes: `${shown} Ligar`,
    custom_fields: { porte: "Pequeno", origem: "Feira" },
  });
  for (const name of ["Um", "Dois"]) {
    await create(key, "/api-v1-contacts", { name, email: "dois@sol.example" });
  }
  const before = await rowsOf();
  const { body } = await member.post(`${IMPORT}?dry_run=true`, {
    items: [
      upsert("email", {
        name: "Ana",
        email: "ana@sol.example",
        job_title: "Diretora",
        notes: `${shown} Visitar`,
        company: "Nova",
        custom_fields: { porte: "Grande" },
      }),
      upsert("email", { name: "Ana", email: "ana@sol.example" }),
      upsert("email", { name: "Rui", email: "rui@sol.example", company: "Nova" }),
      upsert("email", { name: "Eva", email: "eva@sol" }),
      upsert("email", { name: "Três", email: "dois@sol.example" }),
    ],
  });
  const [changed, same, created, invalid, ambiguous] = body.results;
  assert.equal(changed.id, ana.id);
  assert.deepEqual(changed.changes, [
    { field: "company", from: null, to: "Nova" },
    { field: "custom_fields.porte", from: "Pequeno", to: "Grande" },
    { field: "job_title", from: "Sócia", to: "Diretora" },
    { field: "notes", from: shown, to: shown },
  ]);
  // The second line finds the same contact, and would change nothing beyond what the first line changes.
  assert.equal(same.id, ana.id);
  assert.deepEqual([created.status, created.id, created.changes], [201, undefined, undefined]);
  assert.deepEqual(invalid.error.details.map(({ field }: { field: string }) => field), ["items[3].email"]);
  assert.equal(ambiguous.error.code, "ambiguous_match");
  assert.deepEqual(body.summary, { created: 1, updated: 2, failed: 2 });
  assert.deepEqual(await rowsOf(), before);

  async function rowsOf() {
    const [rows] = await sql`
      select (select json_agg(c order by c.id) from crm.contacts c where c.workspace_id = ${id}) as contacts,
        (select count(*)::int from crm.companies where workspace_id = ${id}) as companies,
        (select count(*)::int from crm.events where workspace_id = ${id}) as events`;
    return rows;
  }
});

test("An import finds no contact or company of another workspace, and leaves a company with another tax id alone", async ({ sql, workspace: { id, key }, api }) => {
  const other = await makeWorkspace(sql);
  const ana = { name: "Ana Lima", email: "ana@sol.example" };
  const theirs = await create(other.key, "/api-v1-contacts", { ...ana, name: "Ana" });
  await create(other.key, "/api-v1-companies", { name: "Padaria Sol", tax_id: "1" });
  const ours = await create(key, "/api-v1-companies", { name: "Padaria Sol", tax_id: "2" });
  const { body } = await (await signIn(sql, id, "gestor")).client.post(IMPORT, {
    items: [upsert("email", { ...ana, company: "Padaria Sol", company_tax_id: "1" })],
  });
  assert.equal(body.results[0].status, 201);
  const { body: made } = await api.get(`/api-v1-contacts/${body.results[0].id}`);
  const { body: company } = await api.get(`/api-v1-companies/${made.company_id}`);
  assert.notEqual(company.id, ours.id);
  assert.equal(company.tax_id, "1");
  assert.equal((await client(other.key).get(`/api-v1-contacts/${theirs.id}`)).body.name, "Ana");
});

test("An import refuses operations other than upsert, company names that are too long, and more than 100 lines", async ({ sql, workspace: { id } }) => {
  const { client: member } = await signIn(sql, id, "gestor");
  const line = upsert("email", { name: "Rui", email: "rui@sol.example" });
  const { body: { results } } = await member.post(IMPORT, {
    items: [
      { op: "create", data: { name: "Ana" } },
      upsert("email", { name: "Ana", email: "ana@sol.example", company: "x".repeat(256) }),
      line,
    ],
  });
  assert.equal(results[0].error.code, "validation_error");
  assert.deepEqual(results[1].error.details.map(({ field }: { field: string }) => field), [
    "items[1].company",
  ]);
  assert.equal(results[2].status, 201, "the other lines are imported");
  assertError(await member.post(IMPORT, { items: Array(101).fill(line) }), "validation_error", ["items"]);
  assertError(await member.post(IMPORT, { items: [] }), "validation_error", ["items"]);
});

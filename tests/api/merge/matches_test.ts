// Matching by a value of a merged record finds the remaining record (docs/decisions/0019-merge-archive-erase.md).
import assert from "node:assert/strict";
import { assertError, client } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { type Body, create, ids } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const LEADS = "/api-v1-leads";
const CONTACTS = "/api-v1-contacts";
const COMPANIES = "/api-v1-companies";

type Api = ReturnType<typeof client>;

/** Merges each record into the next, so that only the last remains. */
async function mergeChain(api: Api, path: string, records: readonly { id: string }[]): Promise<void> {
  for (let at = 1; at < records.length; at++) {
    const { status, text } = await api.post(`${path}/${records[at]!.id}/merge`, {
      merge_id: records[at - 1]!.id,
    });
    assert.equal(status, 200, text);
  }
}

test("After any number of merges, a lead with the e-mail of a merged contact belongs to the remaining contact, which keeps its own e-mail", async ({ workspace: { key }, api }) => {
  const chain = [
    await create(key, CONTACTS, { name: "Ana", email: "ana@casa.com", phone: "11 97777-1234" }),
    await create(key, CONTACTS, { name: "Ana S.", email: "ana@antigo.com", phone: "11 97777-5678" }),
    await create(key, CONTACTS, { name: "Ana Souza", email: "ana@trabalho.com" }),
  ];
  await mergeChain(api, CONTACTS, chain);
  const stays = chain[2]!.id;
  for (const email of ["ana@casa.com", "ana@antigo.com", "ana@trabalho.com"]) {
    const { body } = await api.post(LEADS, { first_name: "Ana", email, phone: "+55 11 97777-5678" });
    assert.deepEqual([body.lead.contact_id, body.matched_by, body.created.contact], [stays, "email", false]);
    const differences = email === "ana@trabalho.com" ? [] : ["email"];
    assert.deepEqual(body.differences, differences, "the deal keeps what was typed");
  }
  assert.equal((await api.get(`${CONTACTS}/${stays}`)).body.email, "ana@trabalho.com");
  const all = ids(await api.get(`${CONTACTS}?archived=any`));
  assert.deepEqual(all.toSorted(), chain.map(({ id }) => id).sort());

  const { id: active } = await create(key, CONTACTS, { name: "Ana", email: "ana@casa.com" });
  const { body: { lead } } = await api.post(LEADS, { first_name: "Ana", email: "ana@casa.com" });
  assert.equal(lead.contact_id, active, "a lead prefers an active contact to a merged contact");
});

test("A lead with the phone and first name of a merged contact belongs to the remaining contact, unless the e-mails differ", async ({ workspace: { key }, api }) => {
  const chain = [
    await create(key, CONTACTS, { name: "José Lima", phone: "(11) 97777-1234" }),
    await create(key, CONTACTS, { name: "Zé", phone: "11 3333-4444", email: "ze@x.com" }),
  ];
  await mergeChain(api, CONTACTS, chain);
  const find = async (lead: Body) => {
    const { body } = await api.post(LEADS, { phone: "+5511977771234", ...lead });
    return [body.lead.contact_id === chain[1]!.id, body.matched_by];
  };
  assert.deepEqual(await find({ first_name: "JOSE" }), [true, "phone"]);
  assert.deepEqual(await find({ first_name: "Jose", email: "ze@x.com" }), [true, "email"]);
  assert.deepEqual(await find({ first_name: "João" }), [false, null], "another first name is another person");
  const other = { first_name: "José", email: "jose@x.com" };
  assert.deepEqual(await find(other), [false, null], "the remaining contact has another e-mail");
});

test("A lead with the name of a merged company belongs to the remaining company", async ({ workspace: { key }, api }) => {
  const chain = [
    await create(key, COMPANIES, { name: "Padaria Sol" }),
    await create(key, COMPANIES, { name: "Padaria do Sol" }),
    await create(key, COMPANIES, { name: "Sol Alimentos" }),
  ];
  await mergeChain(api, COMPANIES, chain);
  for (const company_name of [" padaria sol", "PADARIA DO SOL", "Sol Alimentos"]) {
    const { body } = await api.post(LEADS, { first_name: "Ana", company_name });
    assert.deepEqual([body.lead.company_id, body.created.company], [chain[2]!.id, false], company_name);
  }
});

test("A lead makes a new contact and company if the known ones were merged into archived or erased records", async ({ workspace: { key }, api }) => {
  for (const end of ["archive", "erase"]) {
    const [email, phone] = [`${end}@x.com`, `11 97777-${end.length}000`];
    const contacts = [
      await create(key, CONTACTS, { name: end, email, phone }),
      await create(key, CONTACTS, { name: "Ana", email: `ana.${end}@x.com` }),
    ];
    const companies = [
      await create(key, COMPANIES, { name: end }),
      await create(key, COMPANIES, { name: `${end} Ltda.` }),
    ];
    await mergeChain(api, CONTACTS, contacts);
    await mergeChain(api, COMPANIES, companies);
    await api.post(`${COMPANIES}/${companies[1]!.id}/archive`);
    assert.equal((await api.post(`${CONTACTS}/${contacts[1]!.id}/${end}`)).status, 200);
    const { body } = await api.post(LEADS, { first_name: end, email, phone, company_name: end });
    assert.deepEqual([body.created.contact, body.created.company, body.matched_by], [true, true, null], end);
  }
});

const upserts: [path: string, by: string, merged: string, stays: string][] = [
  [CONTACTS, "external_id", "erp-1", "erp-2"],
  [CONTACTS, "email", "ana@casa.com", "ana@trabalho.com"],
  [CONTACTS, "phone", "(11) 97777-1234", "(11) 97777-5678"],
  [COMPANIES, "external_id", "erp-1", "erp-2"],
  [COMPANIES, "tax_id", "12ABC34501DE35", "11222333000181"],
  [COMPANIES, "domain", "sol.com.br", "padaria.com.br"],
];

for (const [path, by, value, own] of upserts) {
  const upsert = `${path}/upsert?match_by=${by}`;

  test(`POST ${upsert} with the value of a merged record changes the remaining one, which keeps its own value`, async ({ workspace: { key }, api }) => {
    const merged = await create(key, path, { name: "A", [by]: value });
    const middle = await create(key, path, { name: "B" });
    const stays = await create(key, path, { name: "C", [by]: own });
    await mergeChain(api, path, [merged, middle, stays]);
    for (const sent of [value, own, value]) {
      const { status, body, text } = await api.post(upsert, { [by]: sent, instagram: `@${sent}` });
      assert.equal(status, 200, text);
      assert.deepEqual([body.id, body[by], body.instagram], [stays.id, own, `@${sent}`]);
      assert.deepEqual(body.differences, sent === own ? [] : [by]);
    }
    assert.equal(ids(await api.get(path)).length, 1);

    await api.post(`${path}/${stays.id}/archive`);
    const archived = await api.post(upsert, { name: "D", [by]: value });
    assert.equal(
      archived.status,
      by === "external_id" ? 200 : 201,
      "only external_id finds archived records",
    );
    assert.equal(archived.body.id === stays.id, by === "external_id");
  });
}

for (const [path, by, value, own] of upserts.filter(([, by]) => by !== "external_id")) {
  const upsert = `${path}/upsert?match_by=${by}`;

  test(`POST ${upsert} with a value that was merged into several records answers ambiguous_match with the id of each`, async ({ workspace: { key }, api }) => {
    const stays: string[] = [];
    for (const name of ["A", "B"]) {
      const merged = await create(key, path, { name, [by]: value });
      const remaining = await create(key, path, { name, [by]: own });
      await mergeChain(api, path, [merged, remaining]);
      stays.push(remaining.id);
    }
    const reply = await api.post(upsert, { [by]: value, instagram: "@a" });
    assertError(reply, "ambiguous_match");
    assert.deepEqual(reply.body.error.details.map(({ id }: Body) => id).sort(), stays.sort());
  });
}

test("Leads and upserts that race with a merge make no new contact or company for the merged values", async ({ sql, workspace }) => {
  const keys = await Promise.all(Array.from({ length: 9 }, () => makeKey(sql, workspace.id)));
  const [api, ...others] = keys.map(({ key }) => client(key)) as [Api, ...Api[]];
  const make = (name: string) =>
    create(workspace.key, CONTACTS, { name, email: `${name}@x.com`, phone: `11 97777-${name.slice(1)}` });
  let late = 0;
  for (let round = 1000; round < 1005; round++) {
    const contacts = [await make(`A${round}`), await make(`B${round}`), await make(`C${round}`)];
    const companies = await Promise.all(
      ["A", "B", "C"].map((name) =>
        create(workspace.key, COMPANIES, { name: name + round, tax_id: name + round })
      ),
    );
    const lead = { first_name: `A${round}`, email: `A${round}@x.com`, company_name: `a${round}` };
    const calls = [
      [LEADS, lead],
      [LEADS, { first_name: lead.first_name, phone: `1197777${round}` }],
      [`${CONTACTS}/upsert?match_by=email`, { name: "A", email: lead.email }],
      [`${COMPANIES}/upsert?match_by=tax_id`, { name: "A", tax_id: `A${round}` }],
    ] as const;
    // A was merged into B before the race. A call that finds A does not know yet that B is being merged into C.
    await mergeChain(api, CONTACTS, contacts.slice(0, 2));
    await mergeChain(api, COMPANIES, companies.slice(0, 2));
    const [, ...replies] = await Promise.all([
      Promise.all([
        mergeChain(api, CONTACTS, contacts.slice(1)),
        mergeChain(others[0]!, COMPANIES, companies.slice(1)),
      ]),
      ...others.slice(1).map(async (other, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 2));
        const [path, body] = calls[index % calls.length]!;
        return await other.post(path, body);
      }),
    ]);
    for (const { status, body, text } of replies) {
      assert.ok(status === 200 || status === 201 && !body.created.contact && !body.created.company, text);
      if ((body.lead?.contact_id ?? body.id) === contacts[2]!.id) late++;
    }
    const [row] = await sql<[{ contacts: number; companies: number; left: number }]>`
      select
        (select count(*)::int from crm.contacts c where c.workspace_id = ${workspace.id}) as contacts,
        (select count(*)::int from crm.companies c where c.workspace_id = ${workspace.id}) as companies,
        (
          select count(*)::int from crm.deals d
          where d.workspace_id = ${workspace.id}
            and (d.contact_id in (${contacts[0]!.id}, ${contacts[1]!.id})
              or d.company_id in (${companies[0]!.id}, ${companies[1]!.id}))
        ) as left`;
    const made = (round - 999) * 3;
    assert.deepEqual({ ...row }, { contacts: made, companies: made, left: 0 });
  }
  assert.ok(late > 0, "some calls came after the merge");
});

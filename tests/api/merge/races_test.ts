// Concurrent merges of contacts and companies, also while records are created for them.
import assert from "node:assert/strict";
import { assertError, client } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { atOnce, create, makeCompany } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";

test("When two opposite merges race, one takes effect, without a deadlock", async ({ sql, workspace }) => {
  for (let round = 0; round < 3; round++) {
    const a = await create(workspace.key, CONTACTS, { name: "A", email: `a${round}@x.com` });
    const b = await create(workspace.key, CONTACTS, { name: "B", email: `b${round}@x.com` });
    const merges = (one: string, other: string) =>
      Array.from(
        { length: 2 },
        () => (api: ReturnType<typeof client>) => api.post(`${CONTACTS}/${one}/merge`, { merge_id: other }),
      );
    const replies = await atOnce(workspace.id, "contacts", a.id, [
      ...merges(a.id, b.id),
      ...merges(b.id, a.id),
    ]);
    const statuses = replies.map(({ status }) => status);
    // Each merge was sent twice: the merge that takes effect answers 200, and so does its repetition.
    assert.equal(statuses.filter((status) => status === 200).length, 2, String(statuses));
    assert.ok(statuses.every((status) => [200, 409, 422].includes(status)), String(statuses));
    const [row] = await sql<[{ n: number }]>`
      select count(*)::int as n from crm.contacts where id in (${a.id}, ${b.id}) and merged_into_id is null`;
    assert.equal(row.n, 1);
  }
});

test("Simultaneous merges in a chain leave one contact, into which all others are merged", async ({ sql, workspace }) => {
  const { key } = workspace;
  const contacts = await Promise.all(
    Array.from({ length: 8 }, (_, index) => create(key, CONTACTS, { name: `C${index}` })),
  );
  const keys = await Promise.all(contacts.map(() => makeKey(sql, workspace.id)));
  await Promise.all(
    contacts.slice(1).map((contact, index) =>
      client(keys[index]!.key).post(`${CONTACTS}/${contacts[index]!.id}/merge`, { merge_id: contact.id })
    ),
  );
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from crm.contacts c join crm.contacts w
      on w.workspace_id = c.workspace_id and w.id = c.merged_into_id
    where c.workspace_id = ${workspace.id} and w.merged_into_id is not null`;
  assert.equal(row.n, 0, "no contact points to a merged contact");
});

test("A record created for a contact during its merge belongs to the remaining contact, or is refused", async ({ sql, workspace }) => {
  const keys = await Promise.all(Array.from({ length: 13 }, () => makeKey(sql, workspace.id)));
  const [api, ...others] = keys.map(({ key }) => client(key));
  let created = 0;
  for (let round = 0; round < 6; round++) {
    const stays = await create(workspace.key, CONTACTS, { name: "A" });
    const lead = { first_name: "Ana", email: `ana${round}@x.com` };
    const { body: { lead: { contact_id, deal_id } } } = await api!.post("/api-v1-leads", lead);
    const creations = [
      ["deals", { title: "Venda", contact_id }],
      ["activities", { deal_id }],
      ["leads", lead],
      ["activities", { deal_id, contact_id }],
    ] as const;
    const [merged, ...replies] = await Promise.all([
      api!.post(`${CONTACTS}/${stays.id}/merge`, { merge_id: contact_id }),
      ...others.map(async (other, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 2));
        const [name, body] = creations[index % creations.length]!;
        return await other.post(`/api-v1-${name}`, body);
      }),
    ]);
    assert.equal(merged!.status, 200);
    for (const reply of replies) {
      if (reply.status === 201) created++;
      else assertError(reply, "invalid_reference");
    }
    const [row] = await sql<[{ n: number }]>`
      select (select count(*) from crm.deals where contact_id = ${contact_id})
        + (select count(*) from crm.activities where contact_id = ${contact_id}) as n`;
    assert.equal(Number(row.n), 0);
  }
  assert.ok(created > 0);
});

test("Merging contacts and their company at the same time succeeds, and no contact still has the merged company", async ({ sql, workspace }) => {
  const [one, other] = [await makeKey(sql, workspace.id), await makeKey(sql, workspace.id)].map(({ key }) =>
    client(key)
  );
  for (let round = 0; round < 15; round++) {
    const [p, q] = [await makeCompany(sql, workspace), await makeCompany(sql, workspace)];
    const a = await create(workspace.key, CONTACTS, { name: "A" });
    const b = await create(workspace.key, CONTACTS, { name: "B", company_id: q });
    const replies = await Promise.all([
      one!.post(`${CONTACTS}/${a.id}/merge`, { merge_id: b.id }),
      other!.post(`/api-v1-companies/${p}/merge`, { merge_id: q }),
    ]);
    assert.deepEqual(replies.map(({ status }) => status), [200, 200], replies.map(({ text }) => text).join());
    const [row] = await sql<[{ n: number }]>`
      select count(*)::int as n from crm.contacts c join crm.companies o on o.id = c.company_id
      where c.workspace_id = ${workspace.id} and o.merged_into_id is not null`;
    assert.equal(row.n, 0);
  }
});

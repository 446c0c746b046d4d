// GET /app-v1-funnel/deals/:id: a deal as the console shows it.
import assert from "node:assert/strict";
import { createProposal } from "../../run/operator/proposals.ts";
import { callVerb } from "../support/blocks.ts";
import { client } from "../support/client.ts";
import { customer, makeProposal } from "../support/proposals.ts";
import { create, makeLossReason } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";

test("A vendedor sees a deal with its fields, contacts, proposals, activities, notes and events", async ({ sql, workspace, api }) => {
  const { id, key, pipelineId, stages, memberId } = workspace;
  const { body: { lead } } = await api.post("/api-v1-leads", {
    first_name: "Ana",
    email: "ana@padariasol.example",
    phone: "+55 11 91234-5678",
    company_name: "Padaria Sol",
    source: "site",
  });
  const deal = `/api-v1-deals/${lead.deal_id}`;
  const other = await create(key, "/api-v1-contacts", { name: "Rui", email: "rui@padariasol.example" });
  await api.post(`${deal}/contacts`, { contact_id: other.id, role: "decisor" });
  await api.post(`${deal}/contacts`, { contact_id: lead.contact_id, role: "usuária" });
  await api.patch(deal, { recurring_value: 300, tags: ["vip"], expected_close_date: "2026-12-20" });
  await create(key, "/api-v1-activities", { deal_id: lead.deal_id, type: "ligacao", title: "Ligar" });
  await create(key, "/api-v1-notes", { deal_id: lead.deal_id, body: "Pediu desconto\nà vista" });
  const draft = await createProposal(sql, { dealId: lead.deal_id, title: "Rascunho" });
  const sent = await makeProposal(sql, lead.deal_id, { value: 100, recurringValue: 20 });
  const reason = await makeLossReason(sql, workspace);
  await customer(sent.link).reject({ reason: "Ficou caro" });
  await api.post(`${deal}/lose`, { loss_reason_id: reason, loss_note: "Volta em março" });

  const { client: vendedor } = await signIn(sql, id, "vendedor");
  const { status, body, text } = await vendedor.get(`/app-v1-funnel/deals/${lead.deal_id}`);
  assert.equal(status, 200);
  const { created_at, stage_entered_at, closed_at, proposals, activities, notes, events, ...facts } = body;
  assert.deepEqual(facts, {
    id: lead.deal_id,
    title: "Ana",
    status: "perdido",
    value: null,
    recurring_value: 300,
    pipeline: { id: pipelineId, name: "Vendas" },
    stage: { id: stages[0].id, name: stages[0].name },
    owner: { id: memberId, name: "Administrador" },
    company: { id: lead.company_id, name: "Padaria Sol" },
    contact: {
      id: lead.contact_id,
      name: "Ana",
      email: "ana@padariasol.example",
      phone: "+55 11 91234-5678",
      role: "usuária",
    },
    other_contacts: [
      { id: other.id, name: "Rui", email: "rui@padariasol.example", phone: null, role: "decisor" },
    ],
    source: "site",
    tags: ["vip"],
    expected_close_date: "2026-12-20",
    loss_reason: { id: reason, name: "Preço" },
    loss_note: "Volta em março",
  });
  assert.ok(created_at <= stage_entered_at && stage_entered_at <= closed_at);

  const [declined, unsent] = proposals;
  assert.deepEqual([declined.id, unsent.id], [sent.id, draft.id]);
  assert.deepEqual(
    [declined.status, declined.value, declined.recurring_value, declined.rejection_reason],
    ["recusada", 100, 20, "Ficou caro"],
  );
  assert.ok(declined.sent_at <= declined.viewed_at && declined.viewed_at <= declined.rejected_at);
  assert.deepEqual([unsent.status, unsent.sent_at, unsent.viewed_at], ["rascunho", null, null]);
  assert.ok(!text.includes(sent.link.split("/").at(-1)!), "the public link is not shown");

  assert.deepEqual(
    activities.map(({ title, type, status, owner }: Record<string, unknown>) => [title, type, status, owner]),
    [["Ligar", "ligacao", "pendente", facts.owner]],
  );
  assert.deepEqual(notes.map(({ body, author }: Record<string, unknown>) => [body, author]), [[
    "Pediu desconto\nà vista",
    facts.owner,
  ]]);
  const types = events.map(({ event }: { event: string }) => event);
  // Besides deal.lost, the loss emits deal.updated, because it changes fields of the deal.
  assert.deepEqual([...types.slice(0, 2).sort(), types.at(-1)], [
    "deal.lost",
    "deal.updated",
    "deal.created",
  ]);
  const changes = events.map(({ changed_fields }: { changed_fields: string[] }) =>
    changed_fields.sort().join()
  );
  assert.ok(changes.includes("expected_close_date,recurring_value,tags"), changes.join(" "));
});

test("A deal shows its newest 20 proposals, activities, notes and events, and the call reads no more rows if the deal has many", async ({ sql, workspace: { id, key, memberId }, newDeal }) => {
  const read = (deal: { id: string }) =>
    callVerb(sql, id, "app.funnel_deal", { workspace_id: id, id: deal.id });
  async function fill(deal: { id: string }, rows: number, changes: number) {
    await sql`
      insert into crm.notes (workspace_id, id, deal_id, author_id, body, source)
      select ${id}, crm.uuid_v7(now() + n * interval '1 ms'), ${deal.id}, ${memberId}, n::text, 'user'
      from generate_series(1, ${rows}::int) n`;
    await sql`
      insert into crm.activities (workspace_id, id, deal_id, owner_id, created_by_id, title)
      select ${id}, crm.uuid_v7(now() + n * interval '1 ms'), ${deal.id}, ${memberId}, ${memberId}, n::text
      from generate_series(1, ${rows}::int) n`;
    await sql`
      insert into crm.proposals (workspace_id, id, deal_id, title)
      select ${id}, crm.uuid_v7(now() + n * interval '1 ms'), ${deal.id}, n::text
      from generate_series(1, ${rows}::int) n`;
    for (let n = 0; n < changes; n++) await client(key).patch(`/api-v1-deals/${deal.id}`, { value: n });
  }
  const [deal, full] = [await newDeal(), await newDeal()];
  // The first deal has exactly as many rows as a call shows, so both calls look up equally many members. The size of
  // the members' index then affects both calls alike.
  await fill(deal, 20, 20);
  await fill(full, 500, 25);
  const few = await read(deal);
  const { reply, blocks } = await read(full);
  const newest = Array.from({ length: 20 }, (_, index) => String(500 - index));
  assert.deepEqual(reply.notes.map(({ body }: { body: string }) => body), newest);
  assert.deepEqual(reply.activities.map(({ title }: { title: string }) => title), newest);
  assert.deepEqual(reply.proposals.map(({ title }: { title: string }) => title), newest);
  assert.equal(reply.events.length, 20);
  assert.ok(reply.events.every(({ event }: { event: string }) => event === "deal.updated"));
  assert.ok(blocks <= few.blocks + 40, `${blocks} blocks, and ${few.blocks} for a deal with 20 of each`);
});

// POST /app-v1-funnel/deals/:id/proposals and /app-v1-funnel/proposals/:id: members create proposals and send them.
import assert from "node:assert/strict";
import { LinkedProposal } from "../../supabase/functions/app-v1-funnel/proposal.ts";
import { assertError } from "../support/client.ts";
import { apiPathOf, customer, tokenOf } from "../support/proposals.ts";
import { type Scenario, test as testScenario } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { signIn } from "../support/sessions.ts";

const FUNNEL = "/app-v1-funnel";
const SOON = new Date(Date.now() + 3_600_000).toISOString();

/** A line of the audit log. */
interface Line {
  action: string;
  object: { id: string; name: string };
  actor: unknown;
}

/** Registers a test that gets a deal and `vendedor`, an HTTP client signed in as a seller. */
const test = (
  title: string,
  run: (scenario: Scenario & Awaited<ReturnType<typeof start>>) => Promise<void>,
) => testScenario(title, async (scenario) => run({ ...scenario, ...await start(scenario) }));

async function start({ sql, workspace, newDeal }: Scenario) {
  return { deal: await newDeal(), vendedor: (await signIn(sql, workspace.id, "vendedor")).client };
}

const ofDeal = (id: string) => `${FUNNEL}/deals/${id}/proposals`;
const ofProposal = (id: string, action: "link" | "send") => `${FUNNEL}/proposals/${id}/${action}`;

test("A vendedor creates a proposal with a link, which shows the proposal once it is sent", async ({ sql, deal, vendedor }) => {
  const terms = { title: "Plano anual", value: 12500.5, recurring_value: 990, expires_at: SOON };
  const created = await vendedor.post(ofDeal(deal.id), terms);
  assert.equal(created.status, 201, created.text);
  assert.deepEqual(LinkedProposal.parse(created.body), created.body);
  const { link, ...proposal } = created.body;
  const { id: proposalId, created_at, ...rest } = proposal;
  assert.deepEqual(rest, {
    ...terms,
    status: "rascunho",
    sent_at: null,
    viewed_at: null,
    accepted_at: null,
    rejected_at: null,
    rejection_reason: null,
  });
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  assert.match(link, new RegExp(`^${new URL(baseUrl).origin}/proposta/#[0-9A-Za-z]{47}$`));
  const path = apiPathOf(link);
  assertError(await customer(path).view(), "not_found");

  const sent = await vendedor.post(ofProposal(proposalId, "send"));
  assert.equal(sent.status, 200, sent.text);
  assert.ok(Math.abs(Date.parse(sent.body.sent_at) - Date.now()) < 60_000);
  assert.deepEqual(sent.body, { ...proposal, status: "enviada", sent_at: sent.body.sent_at });
  assert.equal((await customer(path).view()).body.status, "visualizada");
  // Sending again keeps the time of the first sending, and the fact that the customer has opened the proposal.
  const again = await vendedor.post(ofProposal(proposalId, "send"));
  assert.deepEqual([again.body.status, again.body.sent_at], ["visualizada", sent.body.sent_at]);

  await customer(path).accept();
  const opened = await vendedor.get(`${FUNNEL}/deals/${deal.id}`);
  assert.equal(opened.body.proposals[0].status, "aceita");
  assert.ok(!opened.text.includes(tokenOf(path)), "the link is shown only once");
  const events = await sql`select event from crm.events where object_id = ${proposalId} order by id`;
  assert.deepEqual(events.map(({ event }) => event), ["proposal.viewed", "proposal.accepted"]);
});

test("The audit log says who created, sent and linked a proposal, with the proposal's current title", async ({ sql, deal, vendedor }) => {
  const { body: { id: proposalId } } = await vendedor.post(ofDeal(deal.id), { title: "Plano da Ana" });
  for (const action of ["link", "send", "send"] as const) await vendedor.post(ofProposal(proposalId, action));
  // An erasure of the person changes the title like this.
  await sql`update crm.proposals set title = 'Proposta' where id = ${proposalId}`;
  const { body: { data } } = await vendedor.get("/app-v1-activity");
  const lines = data.filter(({ object }: Line) => object.id === proposalId);
  assert.deepEqual(
    lines.map(({ action, object, actor }: Line) => [action, object.name, actor !== null]),
    ["proposal_sent", "proposal_link_replaced", "proposal_created"].map((name) => [name, "Proposta", true]),
  );
  const stored = await sql`select l::text as text from crm.audit_log l where l.object_id = ${proposalId}`;
  assert.ok(stored.every(({ text }) => !text.includes("Ana")));
});

test("A new link stops the earlier one, and does not send a draft", async ({ deal, vendedor }) => {
  const { body: created } = await vendedor.post(ofDeal(deal.id), { title: "Plano anual" });
  const { body: second } = await vendedor.post(ofProposal(created.id, "link"));
  assert.deepEqual(LinkedProposal.parse(second), second);
  assert.notEqual(second.link, created.link);
  assert.equal(second.status, "rascunho");
  await vendedor.post(ofProposal(created.id, "send"));
  assertError(await customer(apiPathOf(created.link)).view(), "not_found");
  assert.equal((await customer(apiPathOf(second.link)).view()).status, 200);

  const third = await vendedor.post(ofProposal(created.id, "link"));
  assert.deepEqual([third.status, third.body.status], [200, "visualizada"]);
  assertError(await customer(apiPathOf(second.link)).view(), "not_found");
  assert.equal((await customer(apiPathOf(third.body.link)).view()).status, 200);
});

test("An answered or expired proposal gets no new link and is not sent again", async ({ sql, deal, vendedor }) => {
  const make = async () => (await vendedor.post(ofDeal(deal.id), { title: "Plano", expires_at: SOON })).body;
  const [answered, expired] = [await make(), await make()];
  await vendedor.post(ofProposal(answered.id, "send"));
  await customer(apiPathOf(answered.link)).reject({ reason: "Preço" });
  await sql`update crm.proposals set expires_at = now() where id = ${expired.id}`;
  for (const action of ["link", "send"] as const) {
    assertError(await vendedor.post(ofProposal(answered.id, action)), "proposal_closed");
    assertError(await vendedor.post(ofProposal(expired.id, action)), "proposal_expired");
  }
  // The customer can still read the answer under the link.
  assert.equal((await customer(apiPathOf(answered.link)).view()).body.status, "recusada");
  const { body } = await vendedor.get(`${FUNNEL}/deals/${deal.id}`);
  assert.deepEqual(body.proposals.map(({ status }: { status: string }) => status), ["expirada", "recusada"]);
});

test("A proposal with wrong fields is refused, with each field's reason in Portuguese", async ({ deal, vendedor }) => {
  const refused = await vendedor.post(ofDeal(deal.id), {
    title: " ",
    value: -1,
    recurring_value: "300",
    expires_at: "amanhã",
  });
  const fields = assertError(refused, "validation_error");
  assert.deepEqual(Object.keys(fields).sort(), ["expires_at", "recurring_value", "title", "value"]);
  assert.match(fields["title"]!, /Deve ter/);
  assert.ok(assertError(await vendedor.post(ofDeal(deal.id), {}), "validation_error")["title"]);
  const past = new Date(Date.now() - 1_000).toISOString();
  const late = await vendedor.post(ofDeal(deal.id), { title: "Plano", expires_at: past });
  assert.equal(assertError(late, "already_expired")["expires_at"], "Deve estar no futuro");
  const { body } = await vendedor.get(`${FUNNEL}/deals/${deal.id}`);
  assert.deepEqual(body.proposals, []);
});

test("A funnel card shows when a proposal for its deal was accepted", async ({ deal: accepted, vendedor, newDeal }) => {
  const other = await newDeal();
  const send = async (dealId: string) => {
    const { body } = await vendedor.post(ofDeal(dealId), { title: "Plano" });
    await vendedor.post(ofProposal(body.id, "send"));
    return customer(apiPathOf(body.link));
  };
  const { body: answer } = await (await send(accepted.id)).accept();
  // A later proposal for the same deal does not hide the acceptance, and a rejection is not shown.
  await send(accepted.id);
  await (await send(other.id)).reject();
  const { body } = await vendedor.get(FUNNEL);
  const cards = body.stages[0].deals as { id: string; proposal_accepted_at: string | null }[];
  assert.deepEqual(
    Object.fromEntries(cards.map((card) => [card.id, card.proposal_accepted_at])),
    { [accepted.id]: answer.accepted_at, [other.id]: null },
  );
});

import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { createProposal, sendProposal } from "../../run/operator/proposals.ts";
import { operate } from "../../run/operator/operator.ts";
import { deliveryBody } from "../../tools/openapi/events.ts";
import { hashCredential } from "../../supabase/functions/_shared/contract/credentials.ts";
import { ProposalAnswer, ProposalView } from "../../supabase/functions/proposals/schema.ts";
import type { EventType } from "../../supabase/functions/_shared/contract/events.ts";
import { assertError, call } from "../support/client.ts";
import { apiPathOf, customer, makeProposal, tokenOf } from "../support/proposals.ts";
import { test } from "../support/scenario.ts";

const SOON = new Date(Date.now() + 3_600_000).toISOString();

/** Reads the proposal's events in order, and validates each against the OpenAPI document. */
async function eventsOf(sql: Sql, id: string): Promise<EventType[]> {
  const rows = await sql<{ event: EventType; body: string }[]>`
    select e.event, crm.delivery_body(e.id, e) as body from crm.events e
    where e.object_id = ${id} order by e.occurred_at, e.event`;
  for (const { event, body } of rows) {
    assert.deepEqual(deliveryBody(event).parse(JSON.parse(body)), JSON.parse(body), event);
  }
  return rows.map(({ event }) => event);
}

test("GET of a proposal's link shows the proposal without a key, and emits proposal.viewed the first time (spec 6.1)", async ({ sql, newDeal }) => {
  const { id, link } = await makeProposal(sql, (await newDeal()).id, {
    value: 12500.5,
    recurringValue: 990,
    expiresAt: SOON,
  });
  const first = await customer(link).view();
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(ProposalView.parse(first.body), first.body);
  const { sent_at, ...rest } = first.body;
  assert.ok(Math.abs(Date.parse(sent_at) - Date.now()) < 60_000);
  assert.deepEqual(rest, {
    id,
    title: "Plano anual",
    value: 12500.5,
    recurring_value: 990,
    status: "visualizada",
    expires_at: SOON,
    accepted_at: null,
    rejected_at: null,
    rejection_reason: null,
    seller: { name: "Teste" },
  });
  assert.match(first.headers.get("X-Request-Id") ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(first.headers.get("RateLimit-Policy"), '"default";q=60;w=60');
  assert.equal(first.headers.get("Cache-Control"), "no-store");

  const again = await call("GET", `${link}?utm_source=mail`);
  assert.deepEqual(again.body, first.body);
  assert.deepEqual(await eventsOf(sql, id), ["proposal.viewed"]);
});

test("Twenty simultaneous first views of a proposal emit one proposal.viewed (spec 6.1)", async ({ sql, newDeal }) => {
  const { id, link } = await makeProposal(sql, (await newDeal()).id);
  const replies = await Promise.all(Array.from({ length: 20 }, () => customer(link).view()));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.deepEqual(await eventsOf(sql, id), ["proposal.viewed"]);
});

for (
  const [action, other, status, moment, event] of [
    ["accept", "reject", "aceita", "accepted_at", "proposal.accepted"],
    ["reject", "accept", "recusada", "rejected_at", "proposal.rejected"],
  ] as const
) {
  test(`POST ${action} answers a proposal for good: a repeat is idempotent, the opposite answer gets proposal_closed (spec 6.1, 7)`, async ({ sql, newDeal }) => {
    const { id, link } = await makeProposal(sql, (await newDeal()).id, { expiresAt: SOON });
    const { body, status: code } = await customer(link)[action]();
    assert.equal(code, 200);
    assert.deepEqual(ProposalAnswer.parse(body), body);
    assert.deepEqual([body.status, body.idempotent], [status, false]);
    assert.ok(body[moment]);

    // The answer stays final after the proposal has expired.
    await sql`update crm.proposals set expires_at = now() - interval '1 second' where id = ${id}`;
    const again = await customer(link)[action]();
    assert.deepEqual({ ...again.body, expires_at: null }, { ...body, idempotent: true, expires_at: null });
    assertError(await customer(link)[other](), "proposal_closed");
    assert.equal((await customer(link).view()).body.status, status);
    assert.deepEqual((await eventsOf(sql, id)).sort(), [event, "proposal.viewed"].sort());
  });
}

test("When acceptances and rejections of a proposal race, only one takes effect (spec 6.1)", async ({ sql, newDeal }) => {
  const deal = await newDeal();
  const { id, link } = await makeProposal(sql, deal.id);
  const { accept, reject } = customer(link);
  const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => n % 2 ? accept() : reject()));
  const count = (fits: (reply: typeof replies[number]) => boolean) => replies.filter(fits).length;
  assert.equal(count(({ body }) => body.idempotent === false), 1);
  assert.equal(count(({ body }) => body.idempotent === true), 9);
  assert.equal(count(({ body }) => body.error?.code === "proposal_closed"), 10);
  assert.equal((await eventsOf(sql, id)).length, 2);
});

test("POST reject stores the reason, and refuses an invalid one", async ({ sql, newDeal }) => {
  const { link } = await makeProposal(sql, (await newDeal()).id);
  const { reject, view } = customer(link);
  for (const body of ["{", "[]"]) assertError(await reject(body), "bad_request");
  for (const reason of ["a".repeat(1001), 1]) {
    assertError(await reject({ reason }), "validation_error", ["reason"]);
  }
  assert.equal((await view()).body.status, "visualizada");
  const { body, headers } = await reject({ reason: "Preço", value: 1 });
  assert.deepEqual([body.status, body.rejection_reason], ["recusada", "Preço"]);
  assert.equal(headers.get("X-Ignored-Fields"), "value");
});

test("A proposal that expired unanswered is 410 proposal_expired, and emits nothing (spec 7)", async ({ sql, newDeal }) => {
  const { id, link } = await makeProposal(sql, (await newDeal()).id, { expiresAt: SOON });
  await sql`update crm.proposals set expires_at = now() where id = ${id}`;
  const { view, accept, reject } = customer(link);
  for (const act of [view, accept, reject]) assertError(await act(), "proposal_expired");
  assert.deepEqual(await eventsOf(sql, id), []);
});

test("An unknown token, a draft's token and a token that a later sending replaced answer 404", async ({ sql, newDeal }) => {
  const deal = await newDeal();
  const { id, link } = await makeProposal(sql, deal.id);
  for (const token of ["", "x", "a".repeat(43), "a".repeat(42) + "-", id, `${tokenOf(link)}x`]) {
    for (const act of Object.values(customer(`/proposals/${token}`))) assertError(await act(), "not_found");
  }
  const { url } = await sendProposal(sql, id, "https://crm.example");
  assertError(await customer(link).view(), "not_found");
  const newLink = apiPathOf(url);
  assert.equal((await customer(newLink).view()).status, 200);
  await sql`update crm.proposals set status = 'rascunho' where id = ${id}`;
  assertError(await customer(newLink).view(), "not_found");
  // A draft has no link: even a token that the application creates for a draft is refused.
  const draft = await createProposal(sql, { dealId: deal.id, title: "Rascunho" });
  const token = "d".repeat(43);
  await sql`
    insert into crm.proposal_links (workspace_id, proposal_id, token_hash)
    select workspace_id, id, decode(${
    hashCredential(token)
  }, 'hex') from crm.proposals where id = ${draft.id}`;
  assertError(await customer(`/proposals/${token}`).view(), "not_found");
});

test("A link admits 60 calls a minute, then answers 429 with Retry-After; each link is counted separately", async ({ sql, newDeal }) => {
  const { id } = await newDeal();
  const [{ link }, other] = [await makeProposal(sql, id), await makeProposal(sql, id)];
  const replies = await Promise.all(Array.from({ length: 80 }, () => customer(link).view()));
  assert.equal(replies.filter(({ status }) => status === 200).length, 60);
  const refused = replies.find(({ status }) => status === 429)!;
  assertError(refused, "rate_limited");
  const seconds = Number(refused.headers.get("Retry-After"));
  assert.ok(seconds >= 1 && seconds <= 60);
  assert.equal((await customer(other.link).view()).status, 200);
});

test("The links of a suspended workspace answer 403; links do not need the plan's public API", async ({ sql, workspace, newDeal }) => {
  const { link } = await makeProposal(sql, (await newDeal()).id);
  await operate(sql, "workspace_update", { workspace_id: workspace.id, public_api: false });
  assert.equal((await customer(link).view()).status, 200);
  await operate(sql, "workspace_update", { workspace_id: workspace.id, suspended: true });
  for (const act of Object.values(customer(link))) assertError(await act(), "workspace_suspended");
});

test("The database function for links runs only proposal verbs, and only on the link's own proposal", async ({ sql, newDeal }) => {
  const deal = await newDeal();
  const [{ id, link }, other] = [await makeProposal(sql, deal.id), await makeProposal(sql, deal.id)];
  const hash = hashCredential(tokenOf(link));
  const call = (verb: string) =>
    sql`select body::json ->> 'id' as id
      from api.call_by_link(decode(${hash}, 'hex'), ${verb}, jsonb_build_object('id', ${other.id}::text))`;
  for (const verb of ["deal_get", "contact_list", "proposal_list", "call"]) {
    await assert.rejects(call(verb), /is not a verb of proposals/);
  }
  assert.deepEqual([...await call("proposal_view")], [{ id }]);
  assert.deepEqual(await eventsOf(sql, other.id), []);
});

test("The database stores only a hash of a link's token", async ({ sql, newDeal }) => {
  const { id, link } = await makeProposal(sql, (await newDeal()).id);
  const token = tokenOf(link);
  assert.match(token, /^[0-9A-Za-z]{47}$/);
  const [row] = await sql`
    select encode(l.token_hash, 'hex') as hash, to_jsonb(l)::text || to_jsonb(p)::text as text
    from crm.proposal_links l join crm.proposals p on p.id = l.proposal_id where p.id = ${id}`;
  assert.equal(row!["hash"], hashCredential(token));
  assert.ok(!row!["text"].includes(token));
});

import assert from "node:assert/strict";
import { apiPathOf, customer, tokenOf } from "../support/proposals.ts";
import { baseUrl, databaseUrl } from "../support/stack.ts";
import { assertMistake, assertOneLine, crm, json, say, UUID } from "./crm.ts";
import { test } from "../support/scenario.ts";

test("proposal create makes a draft, proposal send gives it a link that is shown once", async ({ workspace, newDeal }) => {
  const deal = await newDeal();
  assert.equal(await say("proposal", "list", "--workspace", workspace.id), "The workspace has no proposal\n");

  const made = await json(
    ...["proposal", "create", "--deal", deal.id, "--title", "Plano anual", "--value", "12500.50"],
    ...["--recurring-value", "990", "--expires-at", "2199-01-31T12:00"],
  );
  assert.deepEqual(Object.keys(made), ["id"]);
  assert.match(made.id, UUID);
  const [draft] = await json("proposal", "list", "--workspace", workspace.id);
  const { created_at, updated_at, ...rest } = draft;
  assert.equal(created_at, updated_at);
  assert.deepEqual(rest, {
    id: made.id,
    workspace_id: workspace.id,
    deal_id: deal.id,
    title: "Plano anual",
    value: 12500.5,
    recurring_value: 990,
    status: "rascunho",
    sent_at: null,
    viewed_at: null,
    accepted_at: null,
    rejected_at: null,
    rejection_reason: null,
    expires_at: "2199-01-31T12:00:00.000Z",
  });

  const sent = await json("proposal", "send", made.id);
  assert.deepEqual(Object.keys(sent), ["id", "url"]);
  assert.equal(sent.id, made.id);
  assert.match(sent.url, new RegExp(`^${new URL(baseUrl).origin}/proposta/#[0-9A-Za-z]{47}$`));
  assert.equal((await customer(apiPathOf(sent.url)).view()).body.title, "Plano anual");
  const listed = await say("proposal", "list", "--workspace", workspace.id);
  assert.match(listed, /Plano anual +12500\.5 +990 +visualizada/);
  assert.ok(!listed.includes(tokenOf(apiPathOf(sent.url))));
});

test("proposal send again makes a new link; links begin with APP_ORIGIN if it is set", async ({ newDeal }) => {
  const deal = await newDeal();
  const { id } = await json("proposal", "create", "--deal", deal.id, "--title", "A");
  const text = await say("proposal", "send", id);
  const [, first = ""] =
    new RegExp(`^Proposal ${id} sent\\. Its link is shown only now:\n\n(\\S+)\n$`).exec(text) ?? [];
  assert.ok(first.startsWith(`${new URL(baseUrl).origin}/proposta/#`), text);
  for (const APP_ORIGIN of ["https://crm.example", "https://x.github.io/crm/"]) {
    const { url } = JSON.parse((await crm(["proposal", "send", id, "--json"], { APP_ORIGIN })).stdout);
    assert.match(url.slice(APP_ORIGIN.replace(/\/$/, "").length), /^\/proposta\/#\w{47}$/);
    assert.ok(url.startsWith(APP_ORIGIN), url);
  }
  assert.equal((await customer(apiPathOf(first)).view()).status, 404);
});

test("proposal send needs APP_ORIGIN for a database that is not the local stack's", async ({ workspace, newDeal }) => {
  const deal = await newDeal();
  const { id } = await json("proposal", "create", "--deal", deal.id, "--title", "A");
  // The local database under another URL, so that the command cannot tell which console belongs to it.
  const elsewhere = new URL(databaseUrl);
  elsewhere.searchParams.set("application_name", "other");
  const send = (env: Record<string, string>) => crm(["proposal", "send", id], env);
  const missing = /APP_ORIGIN is not set: set it to the console's address/;
  assertOneLine(await send({ DATABASE_URL: elsewhere.href }), 1, missing, "without APP_ORIGIN");
  assertOneLine(await send({ APP_ORIGIN: "crm.example" }), 1, /APP_ORIGIN is "crm.example": /, "no URL");
  const [proposal] = await json("proposal", "list", "--workspace", workspace.id);
  assert.equal(proposal.status, "rascunho");
});

test("proposal send refuses a proposal that has expired or was answered", async ({ sql, newDeal }) => {
  const deal = await newDeal();
  const make = ["proposal", "create", "--deal", deal.id, "--title"];
  const { id: expired } = await json(...make, "A", "--expires-at", "2020-01-01T00:00:00Z");
  const { id: answered } = await json(...make, "B");
  await sql`update crm.proposals set status = 'recusada' where id = ${answered}`;
  await assertMistake(["proposal", "send", expired], 1, /The proposal has expired: create another/);
  await assertMistake(
    ["proposal", "send", answered],
    1,
    /already has an answer \(recusada\), which is final/,
  );
});

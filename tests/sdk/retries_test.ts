// The SDK repeats failed calls without creating anything twice. A proxy cuts the connections to the real service.
import assert from "node:assert/strict";
import type postgres from "postgres";
import type { Crm, Retry } from "../../clients/sdk/src/index.ts";
import { test } from "../support/scenario.ts";
import { recordingCrm, startCuttingProxy } from "../support/sdk.ts";

/** Uses up the minute's only call, so that the next call is admitted `seconds` from now. */
async function exhaust(sql: postgres.Sql, workspaceId: string, crm: Crm, seconds: number): Promise<void> {
  await sql`update crm.workspaces set rate_limit_per_minute = 1 where id = ${workspaceId}`;
  await crm.pipelines.list().toArray();
  await sql`
    update crm.rate_limits set hits = array[clock_timestamp() - ${60 - seconds} * interval '1 s']
    where key_id = (select id from crm.api_keys where workspace_id = ${workspaceId})`;
}

test("A call over the rate limit is repeated after Retry-After and up to a second more", async ({ sql, workspace: { id, key } }) => {
  const { crm, retries, sent } = recordingCrm(key);
  await exhaust(sql, id, crm, 2);
  const { id: contactId } = await crm.contacts.create({ name: "Ana" });
  assert.ok(contactId);
  assert.equal(retries.length, 1);
  const { operation, attempt, wait, error } = retries[0]!;
  assert.deepEqual([operation, attempt], ["contacts.create", 1]);
  const { code, status, retryAfter } = error;
  assert.deepEqual([code, status], ["rate_limited", 429]);
  assert.ok(retryAfter! >= 1 && retryAfter! <= 2, `Retry-After: ${retryAfter}`);
  assert.ok(wait >= retryAfter! && wait < retryAfter! + 1, `waited ${wait} s after ${retryAfter}`);
  const keys = sent.slice(-2).map(({ headers }) => headers.get("Idempotency-Key"));
  assert.equal(keys[0], keys[1]);
});

test("If Retry-After exceeds maxWait, or no repetition is allowed, the error is thrown at once", async ({ sql, workspace: { id, key } }) => {
  const { crm } = recordingCrm(key);
  await exhaust(sql, id, crm, 60);
  for (const options of [{ maxWait: 5 }, { retries: 0 }]) {
    const { crm, sent } = recordingCrm(key, options);
    await assert.rejects(crm.me(), { name: "CrmError", code: "rate_limited", retryAfter: 60 });
    assert.equal(sent.length, 1);
  }
});

test("Calls that were refused together are not repeated at the same moment", async ({ sql, workspace: { id, key } }) => {
  const { crm } = recordingCrm(key);
  await exhaust(sql, id, crm, 30);
  const stop = new AbortController();
  const { crm: busy, retries } = recordingCrm(key, {
    onRetry: (retry) => {
      retries.push(retry);
      if (retries.length === 8) stop.abort(new Error("seen enough"));
    },
  });
  const calls = Array.from({ length: 8 }, () => busy.pipelines.list({ signal: stop.signal }).toArray());
  for (const { status } of await Promise.allSettled(calls)) assert.equal(status, "rejected");
  assert.equal(new Set(retries.map(({ wait }) => wait)).size, 8);
});

test("A call with the idempotency key of a call in progress waits for that call, and returns the same record", async ({ sql, workspace: { key } }) => {
  const { crm } = recordingCrm(key);
  const { id: company_id } = await crm.companies.create({ name: "Padaria Sol" });
  const { promise: refused, resolve } = Promise.withResolvers<void>();
  const codes: string[] = [];
  const onRetry = ({ error }: Retry) => {
    codes.push(error.code);
    resolve();
  };
  const calls: Promise<{ id: string }>[] = [];
  await sql.begin(async (sql) => {
    await sql`select from crm.companies where id = ${company_id} for update`;
    for (const { crm } of [recordingCrm(key, { onRetry }), recordingCrm(key, { onRetry })]) {
      calls.push(crm.contacts.create({ name: "Ana", company_id }, { idempotencyKey: "contact-1" }));
    }
    await refused;
  });
  const [one, other] = await Promise.all(calls);
  assert.deepEqual(one, other);
  assert.equal(codes[0], "idempotency_in_progress");
  assert.equal((await crm.contacts.list().toArray()).length, 1);
});

test("A create, an upsert and a batch whose connections are cut anywhere, twice, create one record each", async ({ workspace: { key } }) => {
  const { crm } = recordingCrm(key);
  const { lead: { deal_id } } = await crm.leads.create({ first_name: "Rita" });
  const creations: ((crm: Crm) => Promise<unknown>)[] = [
    (crm) => crm.leads.create({ first_name: "Ana" }),
    (crm) => crm.contacts.create({ name: "Bia" }),
    (crm) => crm.companies.create({ name: "Padaria Sol" }),
    (crm) => crm.deals.create({ title: "Plano" }),
    (crm) => crm.activities.create({ deal_id }),
    (crm) => crm.notes.create({ deal_id, body: "Olá" }),
    (crm) => crm.companies.upsert("external_id", { name: "Mercado Lua", external_id: "e-1" }),
    (crm) => crm.contacts.batch([{ op: "create", data: { name: "Caio" } }]),
  ];
  await Promise.all(creations.map(async (create, index) => {
    await using proxy = startCuttingProxy(index % 2 === 0 ? ["answer", "half"] : ["request", "answer"]);
    const { crm, retries } = recordingCrm(key, { baseUrl: proxy.url });
    await create(crm);
    assert.deepEqual(retries.map(({ error }) => error.code), Array(2).fill("no_answer"));
    for (const { attempt, wait } of retries) {
      const least = 2 ** (attempt - 1);
      assert.ok(wait >= least && wait <= 1.5 * least, `waited ${wait} s after attempt ${attempt}`);
    }
  }));
  const { contacts, companies, deals, activities, notes } = crm;
  const lists = [contacts.list(), companies.list(), deals.list(), activities.list(), notes.list({ deal_id })];
  const counts = lists.map(async (list) => (await list.toArray()).length);
  assert.deepEqual(await Promise.all(counts), [4, 2, 3, 1, 1]);
});

test("A read, an update and an action are repeated if their answers are lost", async ({ workspace: { key }, newDeal }) => {
  const { id, contactId } = await newDeal();
  const calls: ((crm: Crm) => Promise<unknown>)[] = [
    (crm) => crm.deals.get(id),
    (crm) => crm.contacts.update(contactId, { job_title: "Diretora" }),
    (crm) => crm.deals.win(id),
  ];
  await Promise.all(calls.map(async (call) => {
    await using proxy = startCuttingProxy(["answer"]);
    const { crm, retries } = recordingCrm(key, { baseUrl: proxy.url });
    assert.ok(await call(crm));
    assert.equal(retries.length, 1);
  }));
});

test("A new subscription, a new secret and an update with ifMatch are not repeated after a lost answer: they would be made twice, or conflict with themselves", async ({ workspace: { key } }) => {
  const { crm } = recordingCrm(key);
  const subscription = { event_types: ["deal.won" as const], target_url: "https://example.com/crm" };
  const { id } = await crm.webhooks.create(subscription);
  const contact = await crm.contacts.get((await crm.contacts.create({ name: "Ana" })).id);
  const calls: ((crm: Crm) => Promise<unknown>)[] = [
    (crm) => crm.webhooks.create(subscription),
    (crm) => crm.webhooks.rotateSecret(id, { overlap_seconds: 60 }),
    (crm) => crm.contacts.update(contact.id, { name: "Bia" }, { ifMatch: contact }),
  ];
  for (const call of calls) {
    await using proxy = startCuttingProxy(["answer"]);
    const { crm, sent } = recordingCrm(key, { baseUrl: proxy.url });
    await assert.rejects(call(crm), { name: "CrmError", code: "no_answer", status: 0 });
    assert.equal(sent.length, 1);
  }
  // Each call was carried out once; a repetition would have carried it out twice.
  assert.equal((await crm.webhooks.list().toArray()).length, 2);
  assert.equal((await crm.contacts.get(contact.id)).name, "Bia");
});

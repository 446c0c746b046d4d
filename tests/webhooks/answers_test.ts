// What is stored about a receiver's answer, and about the body that was sent.
import assert from "node:assert/strict";
import { withoutSecrets } from "../../supabase/functions/webhook-dispatcher/without_secrets.ts";
import { answers, deliverTo } from "../support/deliver_to.ts";
import type { Behaviour } from "../support/hostile.ts";
import { openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { letTimePass, subscribe, waitForDelivery, WEBHOOKS } from "../support/webhooks.ts";

const textOf = async (...parts: string[]) => (await deliverTo(answers(...parts))).text;

const head = (headers: string) => `HTTP/1.1 400 X\r\n${headers}\r\n`;

Deno.test("The first 1,024 bytes of an answer are kept, however it is framed and cut into packets", async () => {
  assert.deepEqual(await deliverTo(answers(`${head("Content-Length: 5\r\n")}não`, "x")), {
    ok: false,
    status: 400,
    reason: "http_400",
    text: "nãox",
  });
  assert.equal(await textOf(head(""), " until ", "the end\n"), "until the end");
  assert.equal(await textOf(head("Content-Length: 2\r\n"), "ok and more than it announced"), "ok");
  const chunked = head("Transfer-Encoding: chunked\r\n");
  assert.equal(await textOf(chunked, "3\r\nabc\r\n", "2;x=y\r\nde\r", "\n0\r\n\r\n"), "abcde");
  assert.equal(await textOf(chunked, "3\r\nabc\r\n5\r\nde"), "abcde");
  assert.equal(await textOf(chunked, "zz\r\nabc"), undefined);
  assert.equal(await textOf(head(""), "x".repeat(5_000)), "x".repeat(1024));
  const cut = await textOf(head(""), "ç".repeat(511) + "xçç");
  assert.equal(cut, `${"ç".repeat(511)}x`, "a character that the limit cuts is left out");
});

Deno.test("An answer that is empty or not text is not kept, and its status still counts", async () => {
  for (const body of ["", "  \n", "\x00\x01", "a\x1b[31m", "\ufffe"]) {
    const outcome = await deliverTo(answers(`HTTP/1.1 200 OK\r\n\r\n${body}`));
    assert.deepEqual(outcome, { ok: true, status: 200 }, JSON.stringify(body));
  }
});

Deno.test("A receiver that goes on sending, or sends nothing more, delays the attempt by half a second at most", async () => {
  const hanging: Behaviour = async (connection) => {
    await connection.readRequest();
    await connection.write(`${head("Content-Length: 1000\r\n")}so far`);
    await connection.silence();
  };
  const trickling: Behaviour = async (connection) => {
    await connection.readRequest();
    await connection.write(head(""));
    for (;;) {
      await connection.write("x");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  for (const [behaviour, expected] of [[hanging, /^so far$/], [trickling, /^x{5,40}$/]] as const) {
    const started = performance.now();
    const { text, status } = await deliverTo(behaviour);
    const ms = performance.now() - started;
    assert.equal(status, 400);
    assert.match(text!, expected);
    assert.ok(ms > 400 && ms < 2_000, `${ms} ms`);
  }
});

Deno.test("An answer that repeats a secret is kept without it, in any spelling, even if its end is cut off", () => {
  const secret = "whsec_0123456789abcdef";
  const cases: [answer: string, value: string][] = [
    [`wrong ${secret}!`, ""],
    [`{"got":"Bearer t0ken\\"&/xyz"}`, 'Bearer t0ken"&/xyz'],
    ["no such key: T0KEN-XYZ", "Bearer t0ken-xyz"],
    ["Bearer%20t0ken%2Bxyz", "Bearer t0ken+xyz"],
    ["<b>t0ken&amp;&lt;xyz</b>", "Bearer t0ken&<xyz"],
    ["password hunter22 of ana:hunter22", `Basic ${btoa("ana:hunter22")}`],
    ["ends with Bearer t0ken-x", "Bearer t0ken-xyz0123"],
    [`ends with ${secret.slice(0, 12)}`, ""],
    ["k and K", "k"],
  ];
  for (const [answer, value] of cases) {
    const shown = withoutSecrets(answer, [secret, value]);
    assert.match(shown, /\[…\]/, answer);
    for (const part of [secret.slice(0, 12), "t0ken", "hunter22", ...(value === "" ? [] : [value])]) {
      assert.ok(!shown.toLowerCase().includes(part.toLowerCase()), `${answer}: ${shown}`);
    }
  }
  const harmless = "Unknown event deal.won";
  assert.equal(withoutSecrets(harmless, [secret, "Bearer t0ken-xyz"]), harmless);
  assert.ok(withoutSecrets("k".repeat(1024), ["k"]).length <= 1024);
});

test("Each attempt shows the receiver's answer, without the subscription's secrets", async ({ sql, api }) => {
  const mailbox = openMailbox("status=422,200&echo");
  const header = { name: "X-Api-Key", value: "chave-do-receptor/1" };
  const { body: { id, secret } } = await api.post(WEBHOOKS, {
    event_types: ["contact.created"],
    target_url: mailbox.url,
    header,
    payload: "ids",
  });
  await api.post("/api-v1-contacts", { name: "Ana" });
  const { id: delivery } = await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  await letTimePass(sql, id);
  await waitForDelivery(sql, id, ({ state }) => state === "delivered");
  const { body } = await api.get(`${WEBHOOKS}/${id}/deliveries/${delivery}`);
  const [first, second] = body.attempts_made;
  for (const { answer } of [first, second]) {
    assert.ok(answer.startsWith('{"event"'), answer);
    assert.ok(!answer.includes(header.value) && !answer.includes(secret));
  }
  assert.ok(first.answer.length <= 1024);
});

test("A delivery says whether its body was sent, or is newer because the record has changed since", async ({ sql, workspace: { key }, api }) => {
  const mailbox = openMailbox("status=500,200");
  const { id } = await subscribe(key, mailbox.url, ["contact.created"]);
  await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;
  const { body: contact } = await api.post("/api-v1-contacts", { name: "Ana" });
  await sql`update crm.webhook_subscriptions set is_active = true where id = ${id}`;
  await api.post(`${WEBHOOKS}/${id}/recover`, { since: new Date(Date.now() - 60_000).toISOString() });
  const { id: delivery } = await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  const read = async () => {
    const { body } = await api.get(`${WEBHOOKS}/${id}/deliveries/${delivery}`);
    return [body.body_as_sent, JSON.parse(body.body).data.name];
  };
  assert.deepEqual(await read(), [true, "Ana"]);
  await api.patch(`/api-v1-contacts/${contact.id}`, { name: "Bia" });
  assert.deepEqual(await read(), [false, "Bia"]);
  await letTimePass(sql, id);
  await waitForDelivery(sql, id, ({ state }) => state === "delivered");
  assert.deepEqual(await read(), [true, "Bia"]);
  const [, message] = await mailbox.waitFor(2);
  assert.equal(message!.body.data.name, "Bia");
  // An ended delivery shows the body of its last attempt, even if the subscription's payload setting has changed since.
  await api.patch(`${WEBHOOKS}/${id}`, { payload: "ids" });
  assert.deepEqual(await read(), [true, "Bia"]);
});

test("A delivery that was never sent says nothing about its body", async ({ sql, workspace: { key }, api }) => {
  const { id } = await subscribe(key, openMailbox().url, ["contact.created"]);
  // Nobody listens on this port.
  await sql`update crm.webhook_subscriptions set target_url = 'https://localhost:1/' where id = ${id}`;
  await api.post("/api-v1-contacts", { name: "Ana" });
  const { id: delivery } = await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  const { body } = await api.get(`${WEBHOOKS}/${id}/deliveries/${delivery}`);
  assert.deepEqual([body.body_as_sent, body.attempts_made[0].answer], [null, null]);
});

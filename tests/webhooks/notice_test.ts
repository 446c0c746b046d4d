// The mail about a webhook that failures deactivated: who gets it, what it says, and that only one comes.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Sql } from "postgres";
import { readMails } from "../../run/local/auth/mail.ts";
import type { ServiceMail } from "../../run/local/mail_service.ts";
import { sendMail } from "../../supabase/functions/webhook-dispatcher/mail.ts";
import { noticeMail } from "../../supabase/functions/webhook-dispatcher/notice_mail.ts";
import type { Notice } from "../../supabase/functions/webhook-dispatcher/notices.ts";
import { memberClient } from "../support/client.ts";
import { makeKey } from "../support/fixtures.ts";
import { eventually, openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { makeMember, signIn } from "../support/sessions.ts";
import { dataDir } from "../support/stack.ts";
import { letTimePass, subscribe, waitForDelivery } from "../support/webhooks.ts";

/** The mails about a subscription that the local mail service has received. */
async function mailsAbout(subscriptionId: string): Promise<ServiceMail[]> {
  const mails = await readMails(join(dataDir, "mail")) as unknown as ServiceMail[];
  return mails.filter(({ text }) => text?.includes(subscriptionId));
}

/** Waits until a subscription has no mail to send any more. */
async function settled(sql: Sql, id: string): Promise<void> {
  await eventually(async () => {
    await sql`select crm.poke_dispatcher()`;
    const due = await sql`
      select from crm.webhook_subscriptions where id = ${id} and notice_due_at is not null`;
    return due.length === 0;
  }, `no mail left about ${id}`);
}

/**
 * Postpones the retries that earlier tests left. The dispatcher sends mails at the end of a run, and a run waits for
 * retries that are due within 40 s.
 */
async function postponeOthers(sql: Sql, id: string): Promise<void> {
  await sql`
    update crm.webhook_deliveries set next_attempt_at = now() + interval '1 hour'
    where state = 'pending' and subscription_id <> ${id}`;
}

const deactivate = (sql: Sql, id: string) =>
  sql`
    update crm.webhook_subscriptions set is_active = false, deactivated_reason = 'failures' where id = ${id}`;

test("When its fifth attempt fails, a webhook's creator and the active admins get one mail with the reason, and the audit log a line (spec 6.5)", async ({ sql, workspace: { id: workspace }, api }) => {
  const creator = await makeMember(sql, workspace, "gestor");
  await makeMember(sql, workspace, "gestor");
  const former = await makeMember(sql, workspace, "admin");
  await sql`update crm.members set is_active = false where id = ${former.memberId}`;
  await sql`
    insert into crm.members (workspace_id, name, email, role, invited_at)
    values (${workspace}, 'Convidada', 'convidada@pessoa.example', 'admin', now())`;
  const [admin] = await sql<[{ email: string }]>`
    select email from crm.members where workspace_id = ${workspace} and role = 'admin' and is_active and invited_at is null`;
  const { key } = await makeKey(sql, workspace, { memberId: creator.memberId });
  const mailbox = openMailbox("status=500,500,500,500,503&token=hunter2");
  const { id } = await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post("/api-v1-contacts", { name: "Ana" });
  await postponeOthers(sql, id);
  for (let attempt = 1; attempt < 5; attempt++) {
    await waitForDelivery(sql, id, ({ attempts }) => attempts === attempt);
    assert.deepEqual(await mailsAbout(id), []);
    await letTimePass(sql, id);
  }
  await waitForDelivery(sql, id, ({ state }) => state === "failed");
  const [mail] = await eventually(async () => {
    const mails = await mailsAbout(id);
    return mails.length > 0 && mails;
  }, "the mail");
  assert.deepEqual(mail!.to.toSorted(), [admin.email, creator.email].sort());
  assert.equal(mail!.subject, `Webhook desativado: ${new URL(mailbox.url).host}`);
  assert.match(mail!.text, /da empresa Teste, foi desativado em \d\d\/\d\d\/\d{4}, \d\d:\d\d \(/);
  assert.match(mail!.text, /status HTTP 503/);
  assert.match(mail!.text, new RegExp(`^http.*/webhooks/\\?id=${id}$`, "m"));
  assert.ok(!mail!.text.includes("hunter2"), "the query of the URL may have a token");

  const [delivery] = await sql`select id from crm.webhook_deliveries where subscription_id = ${id}`;
  const lines = await sql`
    select action, member_id, object_name, details from crm.audit_log
    where workspace_id = ${workspace} and object_id = ${id}`;
  const details = { delivery_id: delivery!["id"], status: 503, reason: "http_503" };
  assert.deepEqual(
    lines.map(Object.values),
    [["webhook_stopped", null, mailbox.url, details]],
    "only the fifth failure is a line of the audit log",
  );

  await settled(sql, id);
  await sql`select crm.poke_dispatcher()`;
  await api.post("/api-v1-contacts", { name: "Bia" });
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal((await mailsAbout(id)).length, 1);

  // Another deactivation sends another mail.
  await api.post(`/api-v1-webhooks/${id}/reactivate`);
  await deactivate(sql, id);
  await settled(sql, id);
  const keys = (await mailsAbout(id)).map(({ idempotency_key }) => idempotency_key);
  assert.equal(new Set(keys).size, 2);
});

test("If a dispatcher crashes after claiming a mail, the mail is sent with the same key when the claim ends", async ({ sql, workspace: { key } }) => {
  const { id } = await subscribe(key, openMailbox().url, ["deal.won"]);
  await sql.begin(async (sql) => {
    await deactivate(sql as unknown as Sql, id);
    await sql`select * from crm.notice_claim()`;
  });
  await sql`select crm.poke_dispatcher()`;
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.deepEqual(await mailsAbout(id), [], "the claim lasts 15 minutes");
  const endClaim = () => sql`update crm.webhook_subscriptions set notice_due_at = now() where id = ${id}`;
  await endClaim();
  await settled(sql, id);
  // Ends the claim, as if the process had crashed between sending the mail and marking it as sent.
  await endClaim();
  await settled(sql, id);
  const keys = (await mailsAbout(id)).map(({ idempotency_key }) => idempotency_key);
  assert.equal(keys.length, 2);
  assert.equal(new Set(keys).size, 1, "the mail service sends one of them");
});

test("No mail comes about a webhook that is active again, was deleted, or stopped over a day ago", async ({ sql, workspace: { key }, api }) => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push((await subscribe(key, openMailbox().url, ["deal.won"])).id);
  const [back, deleted, old] = ids as [string, string, string];
  await sql.begin(async (sql) => {
    for (const id of ids) await deactivate(sql as unknown as Sql, id);
    await sql`
      update crm.webhook_subscriptions set notice_due_at = now() + interval '1 hour' where id in ${sql(ids)}`;
  });
  await api.post(`/api-v1-webhooks/${back}/reactivate`);
  await api.delete(`/api-v1-webhooks/${deleted}`);
  await sql`
    update crm.webhook_subscriptions set deactivated_at = now() - interval '25 hours', notice_due_at = now()
    where id = ${old}`;
  for (const id of ids) await settled(sql, id);
  for (const id of ids) assert.deepEqual(await mailsAbout(id), []);
});

test("The person who created a webhook in the console gets the mail too", async ({ sql, workspace: { id: workspace } }) => {
  const { session, email } = await signIn(sql, workspace, "gestor");
  const { body } = await memberClient(session).post("/app-v1-webhooks", {
    event_types: ["deal.won"],
    target_url: openMailbox().url,
  });
  await deactivate(sql, body.id);
  await settled(sql, body.id);
  const [mail] = await mailsAbout(body.id);
  assert.ok(mail!.to.includes(email));
  assert.match(mail!.text, /O último erro: desconhecido/);
});

Deno.test("A mail goes to the service as JSON with its token and key, and any answer but 2xx is an error", async () => {
  const requests: { headers: Headers; body: unknown }[] = [];
  const answers = [200, 422, 302];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    requests.push({ headers: request.headers, body: await request.json() });
    return new Response(null, { status: answers.shift()!, headers: { Location: "/elsewhere" } });
  });
  const service = {
    url: `http://127.0.0.1:${server.addr.port}/emails`,
    token: "re_1",
    from: "CRM <a@b.example>",
  };
  const send = () => sendMail(service, ["ana@b.example"], { subject: "Assunto", text: "Olá" }, "key-1");
  await send();
  await assert.rejects(send(), /answered 422/);
  await assert.rejects(send(), /answered 302/);
  assert.equal(requests.length, 3, "a redirect is not followed");
  assert.deepEqual(requests[0]!.body, {
    from: service.from,
    to: ["ana@b.example"],
    subject: "Assunto",
    text: "Olá",
  });
  assert.equal(requests[0]!.headers.get("Authorization"), "Bearer re_1");
  assert.equal(requests[0]!.headers.get("Idempotency-Key"), "key-1");
});

Deno.test("The mail says in Portuguese why the last attempt failed, and has no link without an address of the console", () => {
  const notice: Notice = {
    workspace_id: crypto.randomUUID(),
    subscription_id: crypto.randomUUID(),
    claim: "",
    deactivated_at: Date.UTC(2026, 9, 1, 15) / 1000,
    workspace_name: "Padaria Sol",
    time_zone: "America/Sao_Paulo",
    target_url: "https://hooks.example.com/crm?token=x",
    last_status: null,
    last_reason: "timeout_response",
    recipients: [],
  };
  const { text } = noticeMail(notice, "");
  assert.match(text, /O webhook para https:\/\/hooks\.example\.com\/crm, da empresa Padaria Sol,/);
  assert.match(text, /em 01\/10\/2026, 12:00 \(America\/Sao_Paulo\)/);
  assert.match(text, /o receptor não respondeu a tempo \(timeout_response\)/);
  assert.doesNotMatch(text, /token|\?id=/);
  const reasons = ["dns_not_found", "tls_failed", "connection_refused", "host_unreachable", "target_refused"];
  for (const reason of reasons) {
    assert.match(noticeMail({ ...notice, last_reason: reason }, "").text, new RegExp(`\\(${reason}\\)`));
  }
});

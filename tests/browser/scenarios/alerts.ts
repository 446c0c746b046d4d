import assert from "node:assert/strict";
import { createKey } from "../../../run/operator/keys.ts";
import { operate } from "../../../run/operator/operator.ts";
import { client, memberClient } from "../../support/client.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { makeMember } from "../../support/sessions.ts";
import { letTimePass, waitForDelivery } from "../../support/webhooks.ts";
import { assertGood } from "../support/audit.ts";
import { consoleUrl, openPage } from "../support/browser.ts";
import { openAs, sessionOf, signUp } from "../support/company.ts";
import { ON_PHONE } from "../support/screens.ts";
import { test } from "../support/scenario.ts";
import { subscribe } from "../support/webhook_page.ts";

test("On a phone, pages show a banner and a number for a webhook that failures stopped, until somebody follows the banner's link and reactivates the webhook", async (world) => {
  await using watched = await openAs(world, "/webhooks/", "gestor", ON_PHONE);
  const { page, company } = watched;
  const banner = page.getByRole("complementary", { name: "Aviso" });
  const menu = page.locator("header").getByRole("button", { name: /^Menu/ });
  const mailbox = openMailbox("status=500,500,500,500,500,204");
  const { id } = await subscribe(page, mailbox.url);
  await client(company.key).post("/api-v1-contacts", { name: "Rui" });
  for (let attempt = 1; attempt < 5; attempt++) {
    await waitForDelivery(world.sql, id, ({ attempts }) => attempts === attempt);
    if (attempt === 3) {
      await page.goto(`${consoleUrl}/conta/`);
      await banner.getByText("Webhook falhando").waitFor();
      await assertGood(page, "the page with the banner of a failing webhook");
      assert.deepEqual(await watched.layoutShifts(), []);
    }
    await letTimePass(world.sql, id);
  }
  await waitForDelivery(world.sql, id, ({ state }) => state === "failed");

  await page.goto(`${consoleUrl}/funil/`);
  await banner.getByText("Webhook parou por falhas").waitFor();
  await banner.getByText(new URL(mailbox.url).host).waitFor();
  await page.getByRole("heading", { name: "Funil" }).waitFor();
  await assertGood(page, "the page with the banner of a stopped webhook");
  assert.deepEqual(await watched.layoutShifts(), [], "the banner comes with the page");
  await menu.click();
  await page.getByRole("dialog").getByRole("link", { name: "Webhooks 1 aviso" }).waitFor();
  await page.getByRole("dialog").getByRole("link", { name: "Chaves", exact: true }).waitFor();
  await assertGood(page, "the menu with the number of alerts");
  await page.getByRole("dialog").getByRole("link", { name: "Atividade" }).click();
  await page.getByText(/^O webhook .* parou: uma entrega falhou cinco vezes/).waitFor();

  await banner.getByRole("link", { name: "Ver e reativar" }).click();
  await page.getByText(/^Parado: 5 falhas seguidas em .*\. Uma entrega falhou cinco vezes/).waitFor();
  assert.equal(await banner.count(), 0, "the page of the webhook itself says that it stopped");
  await page.getByRole("button", { name: "Reativar" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Agora não" }).click();
  await page.getByText("Ativo", { exact: true }).waitFor();
  await page.locator(".badge").first().waitFor({ state: "detached" });
  await menu.click();
  await page.getByRole("dialog").getByRole("link", { name: "Chaves", exact: true }).click();
  await page.getByRole("heading", { name: "Chaves de API" }).waitFor();
  assert.equal(await banner.count(), 0);
});

test("The bar counts expiring keys and stopped webhooks; deactivating the webhook removes its alert, and the banner's link leads to extending the key", async (world) => {
  await using watched = await openAs(world, "/atividade/", "gestor");
  const { page, company } = watched;
  const { id } = await createKey(world.sql, {
    workspaceId: company.id,
    // A name that could be read as a URL.
    name: "ERP: novo",
    scopes: ["deals:read"],
  });
  await world.sql`update crm.api_keys set expires_at = now() + interval '3 days' where id = ${id}`;
  const { body: webhook } = await client(company.key).post("/api-v1-webhooks", {
    target_url: openMailbox().url,
    event_types: ["deal.won"],
  });
  await world.sql`
    update crm.webhook_subscriptions set is_active = false, deactivated_reason = 'failures' where id = ${webhook.id}`;
  await page.goto(`${consoleUrl}/atividade/`);
  const bar = page.getByRole("navigation", { name: "Páginas" });
  await bar.getByRole("link", { name: "Chaves 1 aviso" }).waitFor();
  await bar.getByRole("link", { name: "Webhooks 1 aviso" }).waitFor();
  const banner = page.getByRole("complementary", { name: "Aviso" });
  await assertGood(page, "the bar with numbers");
  assert.deepEqual(await watched.layoutShifts(), []);

  await banner.getByRole("link", { name: "Ver e reativar" }).click();
  await page.getByRole("button", { name: "Desativar" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Desativar" }).click();
  // The list below may have cancelled deliveries, so the empty chart says what it counts.
  await page.getByText("Nada entregue, com falha ou esperando nos últimos 7 dias").waitFor();
  await bar.getByRole("link", { name: "Webhooks", exact: true }).waitFor();
  await banner.getByText("Chave vence em 2 dias").waitFor();
  await banner.getByText("ERP: novo").waitFor();
  await banner.getByRole("link", { name: "Ver e prorrogar" }).click();
  await page.getByRole("heading", { name: "ERP: novo" }).waitFor();
  await page.getByRole("button", { name: "Prorrogar" }).click();
  await assertGood(page, "the dialog that extends a key");
  await page.getByRole("dialog").getByRole("button", { name: "Salvar" }).click();
  await bar.getByRole("link", { name: "Chaves", exact: true }).waitFor();
  assert.equal(await banner.count(), 0);
  const [extended] = await world.sql<[{ days: number }]>`
    select extract(day from expires_at - now())::integer as days from crm.api_keys where id = ${id}`;
  assert.equal(extended.days, 89);
});

test("The first page of a new company lists the first steps, ticks each finished step, and drops the list after the last", async ({ browser, sql }) => {
  const email = `${crypto.randomUUID()}@padariasol.example`;
  const { id } = await operate(sql, "workspace_create", {
    name: "Padaria Sol",
    member_name: "Ana Souza",
    member_email: email,
  });
  const session = await sessionOf(await signUp(email));
  const admin = memberClient(JSON.parse(session).access_token);
  await using watched = await openPage(browser, "/", { ...ON_PHONE, session });
  const { page } = watched;
  const steps = page.getByRole("region", { name: "Primeiros passos" });
  const done = (text: string) => steps.getByRole("listitem").filter({ hasText: `${text} (feito)` });
  await steps.getByRole("link", { name: "Crie uma chave" }).waitFor();
  assert.equal(await steps.getByText("(feito)").count(), 0);
  await assertGood(page, "the first steps");
  for (
    const [name, path] of [
      ["Crie uma chave", "/chaves/?nova=1"],
      ["Crie um webhook", "/webhooks/?novo=1"],
      ["Envie um teste", "/webhooks/"],
      ["Convide um colega", "/conta/?convidar=1"],
    ] as const
  ) {
    assert.equal(await steps.getByRole("link", { name }).getAttribute("href"), path);
  }

  const { key } = await createKey(sql, { workspaceId: id, name: "Site", scopes: ["contacts:write"] });
  await done("Crie uma chave").waitFor();
  await client(key).get("/api-v1-me");
  await done("Faça a primeira chamada").waitFor();
  const { body: webhook } = await admin.post("/app-v1-webhooks", {
    event_types: ["contact.created"],
    target_url: openMailbox().url,
  });
  await done("Crie um webhook").waitFor();
  await admin.post(`/app-v1-webhooks/${webhook.id}/test`);
  await done("Envie um teste para o webhook").waitFor();
  await assertGood(page, "the first steps with ticks");
  await makeMember(sql, id, "vendedor");
  await done("Convide um colega").waitFor();
  assert.equal(await steps.getByRole("link").count(), 0);
  assert.deepEqual(await watched.layoutShifts(), [], "a tick moves nothing");

  await page.reload();
  await page.getByText("Site", { exact: true }).waitFor();
  assert.equal(await steps.count(), 0);
  assert.deepEqual(await watched.layoutShifts(), []);
});

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../lab/harness/waiting.ts";
import { client } from "../../tests/support/client.ts";
import { openMailbox } from "../../tests/support/mailbox.ts";
import { checkDelivery, letTimePass, waitForDelivery } from "../../tests/support/webhooks.ts";
import { openPage } from "../support/browser.ts";
import { makeCompany, makePerson, sessionOf } from "../support/company.ts";
import type { Scenario } from "../support/scenario.ts";

/** Subscribes an address to new contacts, and returns the secret and the id of the webhook. */
async function subscribe(page: Page, url: string): Promise<{ secret: string; id: string }> {
  await page.getByRole("link", { name: "Criar webhook" }).first().click();
  await page.getByLabel("Endereço que recebe (URL)").fill(url);
  await page.getByLabel("Um contato foi criado").check();
  await page.getByRole("button", { name: "Criar webhook" }).click();
  const secret = (await page.getByText(/^whsec_\S+$/).first().textContent())!;
  await page.getByRole("button", { name: "Copiar" }).first().click();
  await page.getByRole("link", { name: "Abrir o webhook" }).click();
  await page.getByText("Nenhuma entrega ainda").waitFor();
  return { secret, id: new URL(page.url()).searchParams.get("id")! };
}

const deliveries = (page: Page) => page.getByRole("table", { name: "Últimas 50 entregas" }).getByRole("row");
const attempts = (page: Page) => page.getByRole("region", { name: "contact.created" }).locator("li.rung");

export const webhooks: Scenario[] = [
  {
    name: "A webhook is made, receives, and its delivery is opened and sent again: both attempts are seen",
    async run({ browser, sql }) {
      const company = await makeCompany(sql);
      const session = await sessionOf(await makePerson(sql, company, "gestor"));
      await using watched = await openPage(browser, "/webhooks/", { session });
      const { page } = watched;
      const mailbox = openMailbox("status=503,204,204");
      const { id, secret } = await subscribe(page, mailbox.url);

      await client(company.key).post("/api-v1-contacts", { name: "Conceição" });
      await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
      await page.reload();
      await deliveries(page).filter({ hasText: "Tentando 2/5" }).filter({ hasText: "503" }).waitFor();
      await letTimePass(sql, id);
      // The list refreshes by itself.
      await deliveries(page).filter({ hasText: "Entregue" }).filter({ hasText: "204" }).waitFor();
      await deliveries(page).getByRole("link", { name: "contact.created" }).click();
      await page.getByText('"name": "Conceição"').waitFor();
      assert.equal(await attempts(page).count(), 2);

      await page.getByRole("button", { name: /^Reenviar contact.created/ }).click();
      await page.getByText("Reenvio 1").waitFor();
      await eventually(async () => await attempts(page).count() === 3, "the attempt of the new series");
      const messages = await mailbox.waitFor(3);
      assert.equal(new Set(messages.map(({ body }) => body.delivery_id)).size, 1);
      for (const message of messages) checkDelivery(message, secret);
    },
  },
  {
    name: "A webhook that stopped after five failures is reactivated, and its delivery arrives",
    async run({ browser, sql }) {
      const company = await makeCompany(sql);
      const session = await sessionOf(await makePerson(sql, company, "gestor"));
      await using watched = await openPage(browser, "/webhooks/", { session });
      const { page } = watched;
      const mailbox = openMailbox("status=500,500,500,500,500,200");
      const { id } = await subscribe(page, mailbox.url);
      await client(company.key).post("/api-v1-contacts", { name: "Rui" });
      for (let attempt = 1; attempt < 5; attempt++) {
        await waitForDelivery(sql, id, ({ attempts }) => attempts === attempt);
        await letTimePass(sql, id);
      }
      await waitForDelivery(sql, id, ({ state }) => state === "failed");
      await page.reload();
      await page.getByText(/^Parado: 5 falhas seguidas em \d\d\/\d\d às \d\d:\d\d$/).waitFor();
      await page.getByRole("button", { name: "Reativar" }).click();
      await page.getByText("Ativo", { exact: true }).waitFor();
      await page.getByRole("button", { name: /^Reenviar contact.created/ }).click();
      await mailbox.waitFor(6);
      await deliveries(page).filter({ hasText: "Entregue" }).waitFor();
    },
  },
];

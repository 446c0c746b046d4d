import type { Page } from "playwright-core";
import { eventually } from "../../../bench/harness/waiting.ts";
import { client } from "../../support/client.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { openPage } from "../support/browser.ts";
import { openAs, sessionOf } from "../support/company.ts";
import { test } from "../support/scenario.ts";
import { deliveriesOf, openedDelivery, subscribe } from "../support/webhook_page.ts";

/** Waits until an element that begins with one of these texts has the focus. */
async function waitForFocus(page: Page, ...texts: string[]): Promise<void> {
  const pattern = new RegExp(`^(?:${texts.map((text) => RegExp.escape(text)).join("|")})`);
  await page.locator("main :focus").filter({ hasText: pattern }).waitFor();
}

/** Presses a button with the keyboard. */
const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).last().press("Enter");

test("When a webhook's button disappears, the heading above it gets the focus; after a person deactivated the webhook, recovery starts eight hours earlier", async (world) => {
  await using watched = await openAs(world, "/webhooks/", "gestor");
  const { page, company } = watched;
  const mailbox = openMailbox("status=204");
  await subscribe(page, mailbox.url);
  const api = client(company.key);
  await api.post("/api-v1-contacts", { name: "Lia" });
  const row = deliveriesOf(page).filter({ hasText: "Lia" }).filter({ hasText: "Entregue" });
  await row.getByRole("checkbox").press("Space");
  await press(page, "Reenviar escolhidas");
  await mailbox.waitFor(2);
  await waitForFocus(page, "Entregas");
  await row.getByRole("link").click();
  await openedDelivery(page).getByRole("button", { name: /^Reenviar/ }).press("Enter");
  await mailbox.waitFor(3);
  await openedDelivery(page).getByText("Reenvio 2").waitFor();
  // The button disappears while the delivery waits, which the page may not see, because that takes milliseconds.
  await waitForFocus(page, "contact.created", "Reenviar");
  await openedDelivery(page).getByRole("link", { name: "Fechar" }).click();

  const host = await page.getByRole("heading", { level: 1 }).innerText();
  await press(page, "Desativar");
  await press(page, "Desativar");
  await page.getByText("Alguém desativou o webhook").waitFor();
  await waitForFocus(page, host);
  await press(page, "Reativar");
  await page.getByText("Oito horas antes de parar, para incluir o que ainda não tinha chegado.").waitFor();
});

test("The dialog for two-step verification focuses the code; the buttons for it and for other sessions keep the focus, and only this session stays in the list", async (world) => {
  await using watched = await openAs(world, "/conta/", "vendedor");
  const { page, person } = watched;
  await press(page, "Ligar");
  const code = page.getByRole("dialog").getByLabel("Código", { exact: true });
  await eventually(() => code.evaluate((field) => field === document.activeElement), "the focus on the code");
  await page.keyboard.press("Escape");
  await waitForFocus(page, "Ligar");

  await sessionOf(person);
  await page.reload();
  const sessions = page.getByRole("table", { name: "Sessões" }).getByRole("row");
  await sessions.nth(2).waitFor();
  await press(page, "Encerrar as outras");
  await press(page, "Encerrar as outras");
  await page.getByText("As outras sessões foram encerradas").waitFor();
  await waitForFocus(page, "Encerrar as outras");
  await sessions.nth(2).waitFor({ state: "detached" });
  await sessions.filter({ hasText: "esta" }).waitFor();
});

test("After the link for a new password was sent, the page's title has the focus", async ({ browser }) => {
  await using watched = await openPage(browser, "/entrar/");
  const { page } = watched;
  await press(page, "Esqueci a senha");
  await page.getByLabel("E-mail").fill("ana@padariasol.example");
  await press(page, "Enviar o link");
  await page.getByText("Se ana@padariasol.example tem acesso").waitFor();
  await waitForFocus(page, "Esqueci a senha");
});

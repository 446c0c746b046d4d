// The page of a webhook, as a person uses it.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Creates a webhook for new contacts and won deals; returns its secret and id. */
export async function subscribe(page: Page, url: string): Promise<{ secret: string; id: string }> {
  await page.getByRole("link", { name: "Criar webhook" }).first().click();
  await page.getByLabel("Endereço que recebe (URL)").fill(url);
  const [all, contact] = [page.getByLabel("Todos os eventos"), page.getByLabel("Um contato foi criado")];
  await all.check();
  assert.ok(await contact.isChecked());
  await all.uncheck();
  await contact.check();
  await page.getByLabel("Um negócio foi ganho").check();
  await page.getByRole("button", { name: "Criar webhook" }).click();
  const secret = await copySecret(page);
  await page.getByRole("link", { name: "Abrir o webhook" }).click();
  await page.getByText("Nenhuma entrega ainda").waitFor();
  return { secret, id: new URL(page.url()).searchParams.get("id")! };
}

/** Copies and returns the secret, which is shown once, so that the page can be left. */
export async function copySecret(page: Page): Promise<string> {
  const secret = (await page.getByText(/^whsec_\S+$/).first().textContent())!;
  await page.getByRole("button", { name: "Copiar: " }).first().click();
  return secret;
}

/** The rows of the list. */
export function deliveriesOf(page: Page) {
  return page.getByRole("table", { name: "Entregas" }).getByRole("row").filter({
    has: page.getByRole("cell"),
  });
}

export function openedDelivery(page: Page) {
  return page.locator("section.delivery");
}

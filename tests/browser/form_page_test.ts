// Fills in the form from the site's page leads-from-a-form and sends it through the relay from the same page.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Locator, Page } from "playwright-core";
import { freePort } from "../../run/local/free_port.ts";
import { blocksOf, openPage } from "../docs/claims.ts";
import { openReader } from "../docs/reader.ts";
import { chromiumTest } from "../support/needing.ts";
import { withScenario } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { launchChromium } from "./support/chromium.ts";

test("A form sent by a double click creates one lead, with the campaign from the address", {
  javaScriptEnabled: true,
  visit: (page) => sendForm(page, (button) => button.dblclick()),
  leads: [["Ana", "ana@exemplo.com.br", { source: "google", campaign: "natal" }]],
});
test("A form can be sent without JavaScript", {
  javaScriptEnabled: false,
  visit: (page) => sendForm(page, (button) => button.click()),
  leads: [["Ana", "ana@exemplo.com.br", undefined]],
});
test("A correction that is sent after going back arrives as another lead", {
  javaScriptEnabled: true,
  visit: sendCorrection,
  leads: [
    ["Ana", "ana@exemplo.com.br", { source: "google", campaign: "natal" }],
    ["Ana Souza", "ana@exemplo.com.br", { source: "google", campaign: "natal" }],
  ],
});

interface Visit {
  javaScriptEnabled: boolean;
  visit(page: Page): Promise<void>;
  /** First name, e-mail and campaign of each lead that arrives. */
  leads: unknown[][];
}

function test(name: string, { javaScriptEnabled, visit, leads }: Visit): void {
  chromiumTest(name, () =>
    withScenario(async ({ api, workspace }) => {
      const page = await openPage("leads-from-a-form", { html: 1 });
      const port = String(freePort());
      await using reader = await openReader(baseUrl, workspace.key);
      await reader.write("form.html", page.blocks.html[0]!.replace("127.0.0.1:8787", `127.0.0.1:${port}`));
      // tests/docs/form_page_test.ts tests the relay and its command in full.
      const blockOf = (language: string) =>
        blocksOf(page.pt).find((block) => block.language === language)!.content;
      await reader.write("relay.mjs", blockOf("js"));
      await using relay = reader.start(blockOf("sh"), { PORT: port });
      await relay.until("Recebendo em");

      const address = pathToFileURL(join(reader.folder, "form.html"));
      address.search = "utm_source=google&utm_campaign=natal";
      await using browser = await launchChromium();
      const opened = await (await browser.newContext({ javaScriptEnabled, locale: "pt-BR" })).newPage();
      await opened.goto(address.href);
      await visit(opened);
      const { data } = (await api.get("/api-v1-deals")).body;
      const deals = await Promise.all(data.map(({ id }: { id: string }) => api.get(`/api-v1-deals/${id}`)));
      const arrived = deals.map(({ body: { lead } }) => [lead.first_name, lead.email, lead.utm]);
      assert.deepEqual(arrived.sort(([one], [other]) => one.localeCompare(other)), leads);
    }), ["node", "sh", "sed"]);
}

/** Fills in and sends the form, and waits for the thanks, on the form's page or on the page that `answered` returns. */
async function sendForm(
  page: Page,
  press: (button: Locator) => Promise<void>,
  answered: () => Promise<Page> = () => Promise.resolve(page),
): Promise<void> {
  // The honeypot field is off the screen.
  assert.ok((await page.getByLabel("Não preencha").boundingBox())!.x < 0);
  await page.getByLabel("Nome").fill("Ana");
  await page.getByLabel("E-mail").fill("ana@exemplo.com.br");
  await press(page.getByRole("button", { name: "Enviar" }));
  await (await answered()).getByText("Obrigado! Entraremos em contato.").waitFor();
}

/**
 * Sends the form twice from one document, with different names: as after Back, when the browser has kept the page.
 * Under Playwright browsers keep no page. So here the thanks open in another page, and the form's page stays.
 */
async function sendCorrection(page: Page): Promise<void> {
  await page.locator("form").evaluate((form) => form.setAttribute("target", "_blank"));
  const thanks = page.waitForEvent("popup");
  await sendForm(page, (button) => button.click(), () => thanks);
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await page.getByLabel("Nome").fill("Ana Souza");
  const again = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Enviar" }).click();
  await (await again).getByText("Obrigado! Entraremos em contato.").waitFor();
}

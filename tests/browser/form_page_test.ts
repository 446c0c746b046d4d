// Fills in the form of the site's page leads-from-a-form, as it is saved from there, and sends it through the page's relay.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Locator, type Page } from "playwright-core";
import { freePort } from "../../run/local/free_port.ts";
import { blocksOf, openPage } from "../docs/claims.ts";
import { openReader } from "../docs/reader.ts";
import { needing } from "../support/needing.ts";
import { withScenario } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";

test("A form that is sent by a double click becomes one lead, with the campaign of its address", {
  javaScriptEnabled: true,
  visit: (page) => sendForm(page, (button) => button.dblclick()),
  leads: [["Ana", "ana@exemplo.com.br", { source: "google", campaign: "natal" }]],
});
test("A form is sent without JavaScript too", {
  javaScriptEnabled: false,
  visit: (page) => sendForm(page, (button) => button.click()),
  leads: [["Ana", "ana@exemplo.com.br", undefined]],
});
test("A correction that is sent after the thanks, from the page as a browser kept it, arrives too", {
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
  Deno.test(needing(["chromium", "node", "sh", "sed"], {
    name,
    // Playwright keeps connections to Chromium open.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () =>
      withScenario(async ({ api, workspace }) => {
        const page = await openPage("leads-from-a-form", { html: 1 });
        const port = String(freePort());
        await using reader = await openReader(baseUrl, workspace.key);
        await reader.write("form.html", page.blocks.html[0]!.replace("127.0.0.1:8787", `127.0.0.1:${port}`));
        // tests/docs/form_page_test.ts takes the relay and its command, and tries them in full.
        const blockOf = (language: string) =>
          blocksOf(page.pt).find((block) => block.language === language)!.content;
        await reader.write("relay.mjs", blockOf("js"));
        await using relay = reader.start(blockOf("sh"), { PORT: port });
        await relay.until("Recebendo em");

        const address = pathToFileURL(join(reader.folder, "form.html"));
        address.search = "utm_source=google&utm_campaign=natal";
        await withPage(address.href, javaScriptEnabled, visit);
        const { data } = (await api.get("/api-v1-deals")).body;
        const deals = await Promise.all(
          data.map(({ id }: { id: string }) => api.get(`/api-v1-deals/${id}`)),
        );
        const arrived = deals.map(({ body: { lead } }) => [lead.first_name, lead.email, lead.utm]);
        assert.deepEqual(arrived.sort(([one], [other]) => one.localeCompare(other)), leads);
      }),
  }));
}

async function withPage(
  address: string,
  javaScriptEnabled: boolean,
  visit: (page: Page) => Promise<void>,
): Promise<void> {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext({ javaScriptEnabled, locale: "pt-BR" });
    const page = await context.newPage();
    await page.goto(address);
    await visit(page);
  } finally {
    await browser.close();
  }
}

/** Does what a visitor does, until `answered`, the page or another one, says thanks. */
async function sendForm(
  page: Page,
  press: (button: Locator) => Promise<void>,
  answered: () => Promise<Page> = () => Promise.resolve(page),
): Promise<void> {
  // The trap for bots is out of sight.
  assert.ok((await page.getByLabel("Não preencha").boundingBox())!.x < 0);
  await page.getByLabel("Nome").fill("Ana");
  await page.getByLabel("E-mail").fill("ana@exemplo.com.br");
  await press(page.getByRole("button", { name: "Enviar" }));
  await (await answered()).getByText("Obrigado! Entraremos em contato.").waitFor();
}

/**
 * Sends the form, and once more with another name from the same document, as after going back to it in a browser that kept
 * it: Playwright cannot go back so (it switches that cache off), so the thanks open in a page of their own.
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

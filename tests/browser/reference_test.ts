/** What people do with the API reference at `/docs/` of a local stack, in a real browser. */
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { makeWorkspace } from "../support/fixtures.ts";
import { chromiumTest } from "../support/needing.ts";
import { baseUrl, openDatabase } from "../support/stack.ts";
import { assertFits, type Violation, violationsOf } from "./support/audit.ts";
import { consoleUrl, type Look, openBrowser, openPage } from "./support/browser.ts";
import { DESK, READERS_PHONE } from "./support/screens.ts";

const LEAD = "#tag/leads/POST/api-v1-leads";

/** Rules of axe that Scalar's own elements break, with those elements. Our own elements must break no rule. */
const SCALAR_BREAKS: Readonly<Record<string, string>> = {
  "aria-allowed-role": "buttons that show more about a header have the role none",
  "aria-input-field-name": "the editable fields of a key's name and of a body",
  "aria-prohibited-attr": "buttons with the role none that have a label",
  "aria-required-attr": "editable fields that are comboboxes do not say whether they are open",
  "button-name": "buttons that copy a block of code",
  "landmark-no-duplicate-main": "the dialog from which a call is sent has a main of its own",
  "landmark-unique": "the page and the dialog each have a list of notices",
  "presentation-role-conflict": "the buttons with the role none can have the focus",
};

/** Opens a page of the reference and waits until the document is shown. */
async function openReference(browser: Browser, path: string, look: Look = {}) {
  const watched = await openPage(browser, path, look);
  await watched.page.getByRole("heading", { level: 1, name: "CRM API" }).or(
    watched.page.getByRole("heading", { name: /lead$/ }),
  ).first().waitFor();
  return watched;
}

/** Opens the dialog that sends a call to the shown operation. */
async function openTryIt(page: Page) {
  await page.getByRole("button", { name: /^Testar/ }).first().click();
  const dialog = page.getByRole("dialog", { name: "Cliente de API" });
  await dialog.getByRole("textbox", { name: "Valor", exact: true }).waitFor();
  return dialog;
}

async function changesLanguage(browser: Browser): Promise<void> {
  await using watched = await openReference(browser, `/docs/${LEAD}`);
  const { page } = watched;
  await page.getByRole("heading", { name: "Envia um lead" }).first().waitFor();
  await page.getByRole("link", { name: "English" }).click();
  // Waits for each address, because Scalar rewrites the hash while it scrolls to the operation.
  await page.waitForURL(`${consoleUrl}/docs/en/${LEAD}`);
  await page.getByRole("heading", { name: /a lead$/ }).first().waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
  await page.getByRole("link", { name: "Português" }).click();
  await page.waitForURL(`${consoleUrl}/docs/${LEAD}`);
  await page.getByRole("heading", { name: "Envia um lead" }).first().waitFor();
}

async function sendsLead(browser: Browser): Promise<void> {
  await using sql = openDatabase();
  const { id, key } = await makeWorkspace(sql);
  await using watched = await openReference(browser, `/docs/${LEAD}`);
  const { page, requests } = watched;
  const dialog = await openTryIt(page);
  await dialog.getByRole("textbox", { name: "Valor", exact: true }).fill(key);
  const [response] = await Promise.all([
    page.waitForResponse(`${baseUrl}/api-v1-leads`),
    // Another button with this name stands beside the response.
    dialog.getByRole("button", { name: /^Enviar requisição/ }).first().click(),
  ]);
  assert.equal(response.status(), 201);
  // If the example's Idempotency-Key were sent, every call would return the first lead again.
  assert.equal(await response.request().headerValue("Idempotency-Key"), null);
  await dialog.getByText("201").first().waitFor();
  const deals = await sql`
    select d.external_id from crm.deals d where d.workspace_id = ${id}`;
  assert.deepEqual(deals.map((deal) => ({ ...deal })), [{ external_id: "form-2026-0042" }]);
  assert.equal(requests.filter((request) => request.startsWith("POST ")).length, 1);
  // The key is not stored.
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  assert.ok(!kept.includes(key), "the key is kept in the browser");
}

async function showsPlainSamples(browser: Browser): Promise<void> {
  const samples = [
    ["companies/POST", "/api-v1-companies/upsert", "?match_by=external_id"],
    ["contacts/POST", "/api-v1-contacts/batch", ""],
    ["changes/GET", "/api-v1-changes", ""],
  ] as const;
  for (const [operation, path, query] of samples) {
    await using watched = await openReference(browser, `/docs/#tag/${operation}${path}`);
    const sample = await watched.page.locator("pre").filter({ hasText: path }).first().innerText();
    assert.equal(/\/functions\/v1([^\s']+)/.exec(sample)?.[1], path + query);
  }
}

async function isAccessible(browser: Browser): Promise<void> {
  const found: Violation[] = [];
  // One operation is enough, because all have the same elements.
  for (
    const look of [{ viewport: DESK, theme: "light" }, { viewport: READERS_PHONE, theme: "dark" }] as const
  ) {
    await using watched = await openReference(browser, `/docs/${LEAD}`, look);
    const { page } = watched;
    await assertFits(page, `The reference at ${look.viewport.width}`);
    found.push(...await violationsOf(page));
    await openTryIt(page);
    found.push(...await violationsOf(page));
  }
  const unexpected = found.filter(({ id, nodes }) =>
    !(id in SCALAR_BREAKS) || nodes.some((html) => html.includes('class="page-'))
  );
  assert.deepEqual(unexpected, []);
  assert.deepEqual([...new Set(found.map(({ id }) => id))].sort(), Object.keys(SCALAR_BREAKS).sort());
}

const SCENARIOS: Record<string, (browser: Browser) => Promise<void>> = {
  "The link to the other language opens the same operation": changesLanguage,
  "A call from the reference creates a lead, and the browser does not store the key": sendsLead,
  "The samples have only required parameters": showsPlainSamples,
  "axe finds only violations in Scalar's own elements, on a desktop and on a phone, with both themes":
    isAccessible,
};

chromiumTest("The reference in a browser", async (t) => {
  await using browser = await openBrowser("/docs/");
  for (const [name, run] of Object.entries(SCENARIOS)) await t.step(name, () => run(browser));
});

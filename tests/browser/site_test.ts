/**
 * The site in a real browser, built for a path below the origin as on GitHub Pages. The scenarios are steps of one
 * test, because they share the build and the browser.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { serveSite } from "../../site/serve.ts";
import { SLUGS } from "../../site/sidebar.ts";
import { openFolder } from "../support/folder.ts";
import { chromiumTest } from "../support/needing.ts";
import { deno } from "../support/run.ts";
import { assertAccessible, assertFits } from "./support/audit.ts";
import { launchChromium } from "./support/chromium.ts";
import { DESK, READERS_PHONE } from "./support/screens.ts";
import { findBrokenLinks } from "./support/site_links.ts";

const BASE = "/crm-api/";
const ORIGIN = "https://example.github.io";
/** Only some pages of operations are checked, because all have the same elements. */
const REFERENCE = [
  "reference/",
  "reference/leads/create/",
  "reference/deals/list/",
  "reference/deliveries/on_deal_won/",
];
const PAGES = [...SLUGS.map((slug) => slug === "index" ? "" : `${slug}/`), ...REFERENCE];
/**
 * axe checks each page in only one language, theme and screen size. This suffices: a page has the same elements in both
 * languages, and the next page, which has the same kinds of elements, is checked in the other theme and size.
 */
const LOOKS = [
  { screen: DESK, colorScheme: "light", addresses: [...PAGES, "404.html"], turn: 0 },
  { screen: READERS_PHONE, colorScheme: "dark", addresses: PAGES.map((page) => `en/${page}`), turn: 1 },
] as const;

interface Site {
  browser: Browser;
  url: string;
  folder: string;
}

const SCENARIOS: { name: string; run: (site: Site) => Promise<void> }[] = [];

const test = (name: string, run: (site: Site) => Promise<void>) => void SCENARIOS.push({ name, run });

test("No page, Markdown file or llms.txt has a broken link", async ({ folder }) =>
  assert.deepEqual(await findBrokenLinks(folder, ORIGIN + BASE), []));

test("Every page and operation exists as Markdown, and is listed in the llms.txt of its language", async ({ folder, url }) => {
  for (const language of ["", "en/"]) {
    const llms = await (await fetch(`${url}${language}llms.txt`)).text();
    const { paths } = JSON.parse(
      await Deno.readTextFile(join(folder, language, "reference", "openapi.json")),
    );
    const operations = Object.values(paths as Record<string, Record<string, { operationId: string }>>)
      .flatMap((methods) => Object.values(methods))
      .map(({ operationId }) => `reference/${operationId.replace(".", "/")}`);
    assert.ok(operations.length > 0);
    for (const name of [...SLUGS, ...operations]) {
      const file = `${language}${name}.md`;
      assert.match(await Deno.readTextFile(join(folder, file)), /^# /, file);
      assert.ok(llms.includes(`(${ORIGIN}${BASE}${file})`), file);
    }
  }
});

test("The search finds a guide and an operation in both languages", ({ browser, url }) =>
  open(browser, url, async (page) => {
    for (
      const [address, button, words, told, found] of [
        ["", "Pesquisar", "telefone", "resultados para telefone", "find-by-phone/"],
        ["en/", "Search", "phone number", "results for phone number", "en/find-by-phone/"],
        ["", "Pesquisar", "enviar lead", "resultados para enviar lead", "reference/leads/create/"],
        ["en/", "Search", "send a lead", "results for send a lead", "en/reference/leads/create/"],
      ] as const
    ) {
      await searchFor(page, url + address, { button, words, told });
      const result = page.getByRole("dialog").locator(`a[href^="${BASE}${found}"]`).first();
      await result.click();
      await page.waitForURL((reached) => reached.pathname === BASE + found);
    }
  }));

test("On a phone the home page links to English, and a guide has a menu with every page", ({ browser, url }) =>
  open(browser, url, async (page) => {
    await page.setViewportSize(READERS_PHONE);
    await page.goto(url);
    await page.getByRole("link", { name: "English" }).click();
    await page.waitForURL(`${url}en/`);
    await page.goto(`${url}en/first-call/`);
    await page.getByRole("button", { name: "Menu" }).click();
    assert.ok(await page.getByRole("link", { name: "API reference" }).isVisible());
  }));

test("The first Tab reaches a link that skips the menu", ({ browser, url }) =>
  open(browser, url, async (page) => {
    for (const [address, label] of [["", "Pular para o conteúdo"], ["en/errors/", "Skip to content"]]) {
      await page.goto(url + address);
      await page.keyboard.press("Tab");
      const focused = page.locator(":focus");
      assert.equal((await focused.textContent())?.trim(), label);
      assert.ok(await focused.isVisible());
      const target = await focused.getAttribute("href");
      await page.keyboard.press("Enter");
      assert.ok(await page.locator(`main ${target}, main${target}`).count() > 0);
    }
  }));

test("The header leads to the reference, whose sidebar leads to each operation with samples in four languages", ({ browser, url }) =>
  open(browser, url, async (page) => {
    for (
      const [from, header, group, operation, to, guides] of [
        ["limits/", "Referência", "Negócios", "Muda o negócio de etapa", "reference/", "Guias"],
        ["en/limits/", "Reference", "Deals", "Move the deal to another stage", "en/reference/", "Guides"],
      ] as const
    ) {
      await page.goto(url + from);
      await page.getByRole("banner").getByRole("link", { name: header }).click();
      await page.waitForURL(url + to);
      const sidebar = page.getByRole("navigation").first();
      await sidebar.getByText(group, { exact: true }).click();
      await sidebar.getByRole("link", { name: operation }).click();
      await page.waitForURL(`${url}${to}deals/move_stage/`);
      await page.getByText("crm.deals.moveStage").waitFor({ state: "hidden" });
      await page.getByText("TypeScript (SDK)").click();
      await page.getByText("moveStage").first().waitFor();
      for (const language of ["Python", "PHP"]) await page.getByText(language, { exact: true }).waitFor();
      await page.getByRole("banner").getByRole("link", { name: guides }).click();
      await page.waitForURL(`${url}${to.startsWith("en/") ? "en/" : ""}first-call/`);
    }
  }));

test("An unknown address gets 404 and a bilingual page", ({ browser, url }) =>
  open(browser, url, async (page) => {
    const response = await page.goto(`${url}en/no-such-page/`);
    assert.equal(response!.status(), 404);
    await page.getByRole("heading", { name: "Página não encontrada" }).waitFor();
    await page.getByRole("link", { name: "home page" }).click();
    await page.waitForURL(`${url}en/`);
  }, { mayMiss: true }));

test("axe finds nothing on any page, each checked in one language, theme and screen size, and every page fits both screens", async (site) =>
  void await Promise.all(LOOKS.map((look) => audit(site, look))));

chromiumTest("The site in a browser", async (t) => {
  await using temporary = await openFolder();
  const folder = join(temporary.path, "site");
  // Builds with `deno task site`, as the workflow does.
  await deno(["task", "site", folder], { env: { SITE_BASE_PATH: BASE, SITE_ORIGIN: ORIGIN } });
  await using server = serveSite(folder, BASE);
  await using browser = await launchChromium();
  const site = { browser, url: server.url, folder };
  for (const { name, run } of SCENARIOS) await t.step(name, () => run(site));
});

/**
 * Searches on a page. On a busy machine the search may miss what is typed while it starts. Then the page is opened
 * again, as a reader would do.
 */
async function searchFor(
  page: Page,
  address: string,
  { button, words, told }: { button: string; words: string; told: string },
): Promise<void> {
  for (let left = 3;; left--) {
    await page.goto(address);
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("dialog").getByRole("textbox").fill(words);
    try {
      return await page.getByRole("dialog").getByText(told).waitFor({ timeout: 25_000 });
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}

/** Checks that pages fit both screens, and checks every second page with axe. The menu is checked only once. */
async function audit(
  { browser, url }: Site,
  { screen, colorScheme, addresses, turn }: typeof LOOKS[number],
): Promise<void> {
  await open(browser, url, async (page) => {
    await page.emulateMedia({ colorScheme });
    for (const [n, address] of addresses.entries()) {
      await page.goto(url + address);
      for (const size of [DESK, READERS_PHONE]) {
        await page.setViewportSize(size);
        await assertFits(page, `/${address} at ${size.width} px`);
      }
      if (n % 2 !== turn) continue;
      await page.setViewportSize(screen);
      await assertAccessible(
        page,
        `/${address} at ${screen.width} px, ${colorScheme}`,
        n > turn ? "nav.sidebar" : undefined,
      );
    }
  });
}

/**
 * Opens a page in a new browser context. Closing it fails if the page called another host or had an error.
 * @param mayMiss whether the page's requests may get error statuses
 */
async function open(
  browser: Browser,
  url: string,
  look: (page: Page) => Promise<void>,
  { mayMiss = false } = {},
): Promise<void> {
  const context = await browser.newContext({ viewport: DESK, locale: "pt-BR" });
  // The timeout is long enough for a machine that is busy with other work.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const met: string[] = [];
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(url) && !/^(data|blob):/.test(asked)) met.push(`another host: ${asked}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400 && !mayMiss) met.push(`${response.status()} ${response.url()}`);
  });
  page.on("pageerror", (error) => met.push(String(error)));
  // Chromium reports violations of the content security policy as messages of the page's console.
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) met.push(message.text());
  });
  try {
    await look(page);
  } finally {
    await context.close();
  }
  assert.deepEqual(met, []);
}

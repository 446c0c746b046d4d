import type { Browser, Locator, Page } from "playwright-core";
import { join } from "node:path";
import { openDatabase } from "../../support/stack.ts";
import { TEXTS } from "../../../console/strings/texts.ts";
import { consoleUrl, openBrowser, openPage } from "./browser.ts";
import { PHONE } from "./screens.ts";
import { type BusyCompany, makeBusyCompany } from "./busy_company.ts";
import { settle } from "./audit.ts";
import { sessionOf } from "./company.ts";

const DESK = { width: 960, height: 520 };
const PHONE_SCREEN = { ...PHONE, height: 620 };

/** One picture of the console: the page to open and what to do on it before the picture is taken. */
interface Picture {
  name: string;
  phone?: true;
  /** Default: `DESK`, or `PHONE_SCREEN` for `phone`. */
  viewport?: { width: number; height: number };
  /** Height of the picture in pixels, if it is less than the screen's. */
  shown?: number;
  path: (company: BusyCompany) => string;
  prepare: (page: Page) => Promise<unknown>;
}

const PICTURES: Picture[] = [
  {
    name: "keys",
    path: () => "/chaves/",
    prepare: (page) => page.getByRole("row").filter({ hasText: "ERP" }).waitFor(),
  },
  {
    name: "new-key",
    phone: true,
    path: () => "/chaves/?nova=1",
    async prepare(page) {
      await page.getByLabel(TEXTS["keys.name"][0]).fill("Agência Norte");
      await page.getByRole("button", { name: TEXTS["scopes.preset_site"][0] }).click();
      await page.getByRole("button", { name: TEXTS["keys.create"][0] }).click();
      await page.getByText(/^svc_\w+$/).first().waitFor();
      // The form may leave its page scrolled.
      await page.evaluate(() => document.documentElement.scrollTo(0, 0));
    },
  },
  {
    name: "deliveries",
    viewport: { width: 1_100, height: 900 },
    shown: 520,
    path: ({ webhookId, deliveryId }) => `/webhooks/?id=${webhookId}&entrega=${deliveryId}`,
    async prepare(page) {
      await page.getByText(TEXTS["delivery.signature"][0]).waitFor();
      await scrollTo(page.locator("section.delivery"));
    },
  },
  {
    name: "stopped",
    phone: true,
    shown: 400,
    path: ({ stoppedId }) => `/webhooks/?id=${stoppedId}`,
    prepare: (page) => page.getByText(TEXTS["webhook.missed_text"][0]).waitFor(),
  },
];

/** Puts an element at the top of the screen. */
async function scrollTo(place: Locator): Promise<void> {
  await place.evaluate((element) =>
    globalThis.scrollTo({ top: element.getBoundingClientRect().top + scrollY - 24 })
  );
}

/** Writes `<name>.webp` into a folder, for each picture. */
export async function takePictures(folder: string): Promise<void> {
  await using sql = openDatabase();
  await using browser = await openBrowser();
  const company = await makeBusyCompany(sql, "Padaria Sol", "padariasol.example");
  for (const picture of PICTURES) await take(browser, company, picture, folder);
}

async function take(
  browser: Browser,
  company: BusyCompany,
  { name, path, prepare, phone, viewport = phone ? PHONE_SCREEN : DESK, shown = viewport.height }: Picture,
  folder: string,
): Promise<void> {
  const session = await sessionOf(company.person);
  await using watched = await openPage(browser, null, {
    session,
    touch: phone ?? false,
    viewport,
  });
  const { page, context } = watched;
  await context.addInitScript(() => localStorage.setItem("crm.locale", "pt"));
  await page.goto(consoleUrl + path(company));
  await prepare(page);
  await writePicture(page, join(folder, `${name}.webp`), { width: viewport.width, height: shown });
}

/** Writes the README's picture of the reference: an operation with its example, as the stack shows it at /docs/. */
export async function takeReferencePicture(file: string): Promise<void> {
  await using browser = await openBrowser("/docs/");
  await using watched = await openPage(browser, "/docs/#tag/leads/POST/api-v1-leads", {
    viewport: { width: 1_280, height: 720 },
  });
  await watched.page.getByRole("heading", { name: "Envia um lead" }).first().waitFor();
  await watched.page.getByRole("button", { name: /^Testar/ }).first().waitFor();
  await writePicture(watched.page, file, { width: 1_280, height: 720 });
}

/**
 * Writes the top of a page as WebP, which playwright's `screenshot` cannot write. A PNG would be five times as large.
 * @param size in CSS pixels
 */
async function writePicture(
  page: Page,
  file: string,
  size: { width: number; height: number },
): Promise<void> {
  await settle(page);
  const { x, y } = await page.evaluate(() => ({ x: scrollX, y: scrollY }));
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", {
    format: "webp",
    quality: 60,
    clip: { x, y, ...size, scale: 1 },
  });
  const bytes = Uint8Array.fromBase64(data);
  await Deno.writeFile(file, bytes);
  console.log(`${file}: ${Math.round(bytes.length / 1024)} KB`);
}

import type { Browser, Locator, Page } from "playwright-core";
import { join } from "node:path";
import { openDatabase } from "../../support/stack.ts";
import { en } from "../../../console/strings/en.ts";
import { pt } from "../../../console/strings/pt.ts";
import { consoleUrl, openBrowser, openPage } from "./browser.ts";
import { PHONE } from "./screens.ts";
import { type BusyCompany, makeBusyCompany } from "./busy_company.ts";
import { sessionOf } from "./company.ts";

const DESK = { width: 960, height: 520 };
const PHONE_SCREEN = { ...PHONE, height: 620 };

type Strings = Record<keyof typeof pt, string>;

/** One picture: what is opened, and what is done before it is taken. */
interface Picture {
  name: string;
  phone?: true;
  /** Of a desk's screen, where it is not the usual one. */
  viewport?: { width: number; height: number };
  /** The height that the picture has of the screen, where that is not all. */
  shown?: number;
  path: (company: BusyCompany) => string;
  prepare: (page: Page, t: Strings) => Promise<unknown>;
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
    async prepare(page, t) {
      await page.getByLabel(t["keys.name"]).fill("Agência Norte");
      await page.getByRole("button", { name: t["scopes.preset_site"] }).click();
      await page.getByRole("button", { name: t["keys.create"] }).click();
      await page.getByText(/^svc_\w+$/).first().waitFor();
    },
  },
  {
    name: "rotate",
    phone: true,
    path: ({ keyId }) => `/chaves/?id=${keyId}`,
    async prepare(page, t) {
      await page.getByRole("button", { name: t["keys.rotate"] }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "deliveries",
    viewport: { width: 1_100, height: 900 },
    shown: 520,
    path: ({ webhookId, deliveryId }) => `/webhooks/?id=${webhookId}&entrega=${deliveryId}`,
    async prepare(page, t) {
      await page.getByText(t["delivery.signature"]).waitFor();
      await scrollTo(page.locator("section.delivery"));
    },
  },
  {
    name: "stopped",
    phone: true,
    shown: 400,
    path: ({ stoppedId }) => `/webhooks/?id=${stoppedId}`,
    prepare: (page, t) => page.getByText(t["webhook.missed_text"]).waitFor(),
  },
  {
    name: "members",
    path: () => "/conta/",
    async prepare(page, t) {
      await page.getByText("Caio Dias").first().waitFor();
      await scrollTo(page.getByRole("heading", { name: t["members.title"] }));
    },
  },
];

/** Puts an element at the top of the screen. */
async function scrollTo(place: Locator): Promise<void> {
  await place.evaluate((element) =>
    globalThis.scrollTo({ top: element.getBoundingClientRect().top + scrollY - 24 })
  );
}

/** Writes `<name>.png` in Portuguese and `<name>.en.png` in English into a folder. */
export async function takePictures(folder: string): Promise<void> {
  await using sql = openDatabase();
  const browser = await openBrowser();
  try {
    const company = await makeBusyCompany(sql, "Padaria Sol", "padariasol.example");
    for (
      const { suffix, locale, strings } of [
        { suffix: "", locale: "pt-BR", strings: pt as Strings },
        { suffix: ".en", locale: "en", strings: en as Strings },
      ]
    ) {
      for (const picture of PICTURES) {
        await take(browser, company, picture, strings, locale, join(folder, `${picture.name}${suffix}.png`));
      }
    }
  } finally {
    await browser.close();
  }
}

async function take(
  browser: Browser,
  company: BusyCompany,
  { path, prepare, phone, viewport = phone ? PHONE_SCREEN : DESK, shown = viewport.height }: Picture,
  strings: Strings,
  locale: string,
  file: string,
): Promise<void> {
  const session = await sessionOf(company.person);
  await using watched = await openPage(browser, null, {
    session,
    locale,
    touch: phone ?? false,
    viewport,
  });
  const { page, context } = watched;
  await context.addInitScript(
    (chosen) => localStorage.setItem("crm.locale", chosen),
    locale === "en" ? "en" : "pt",
  );
  await page.goto(consoleUrl + path(company));
  await prepare(page, strings);
  await page.screenshot({
    path: file,
    animations: "disabled",
    caret: "hide",
    clip: { x: 0, y: 0, width: viewport.width, height: shown },
  });
  console.log(`${file}: ${Math.round((await Deno.stat(file)).size / 1024)} KB`);
}

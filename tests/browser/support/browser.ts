// One Chromium for all scenarios. Each opens pages in a context of its own, which sees no other's session.
import assert from "node:assert/strict";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { eventually } from "../../../bench/harness/waiting.ts";
import { readStackFile } from "../../../run/local/stack_file.ts";
import { DESK } from "./screens.ts";

const stack = await readStackFile(Deno.env.get("DATA_DIR") ?? ".local");

/** The console of the stack, without a slash at its end. */
export const consoleUrl = stack.console_url;
/** `<origin>/functions/v1`. */
export const functionsUrl = stack.base_url;

/** Where the console keeps the session of a browser. */
const SESSION = "crm.session";

export interface Look {
  viewport?: { width: number; height: number };
  theme?: "light" | "dark";
  locale?: string;
  /** A touch screen, where scroll bars take no place. */
  touch?: boolean;
  /** What Supabase Auth answered to the sign-in; absent: nobody is signed in. */
  session?: string;
}

/** A page with what it did that it must not do. */
export interface Watched extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** Every request, as `<method> <path>` of the stack or as a whole URL of another host. */
  requests: string[];
  /** Messages of errors in the page's console: also those that its policy causes. */
  errors: string[];
  /** What jumped on the page without a person's doing, since it was opened: empty if its CLS is 0. */
  layoutShifts(): Promise<string[]>;
}

/**
 * Starts Chromium, as root without its sandbox, and waits until the gateway has built the pages below a path.
 * @param path `/` for the console
 */
export async function openBrowser(path = "/"): Promise<Browser> {
  await eventually(
    async () => (await fetch(consoleUrl + path, { headers: { accept: "text/html" } })).status === 200,
    `the pages of ${path} to be built`,
    120,
  );
  return await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--js-flags=--expose-gc", "--enable-precise-memory-info"],
  });
}

/** Opens a page in a context of its own. It fails the scenario, when it is closed, if the page met another host or an error. */
export async function openPage(browser: Browser, path: string | null, look: Look = {}): Promise<Watched> {
  const { viewport = DESK, theme = "light", locale = "pt-BR", touch = false, session } = look;
  const context = await browser.newContext({
    viewport,
    colorScheme: theme,
    locale,
    isMobile: touch,
    hasTouch: touch,
    timezoneId: "America/Sao_Paulo",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  // Long enough for a machine that is busy with other work.
  context.setDefaultTimeout(60_000);
  if (session) {
    await context.addInitScript(
      ([name, value]) => {
        // Only at first: a session that was ended stays ended.
        if (!sessionStorage.getItem("signed-in-once")) localStorage.setItem(name!, value!);
        sessionStorage.setItem("signed-in-once", "1");
      },
      [SESSION, session],
    );
  }
  await context.addInitScript(watchLayout);
  const page = await context.newPage();
  const requests: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    requests.push(
      `${request.method()} ${url.startsWith(`${consoleUrl}/`) ? url.slice(consoleUrl.length) : url}`,
    );
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  if (path !== null) await page.goto(consoleUrl + path);
  return {
    page,
    context,
    requests,
    errors,
    layoutShifts: () => page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts),
    async [Symbol.asyncDispose]() {
      await context.close();
      assert.deepEqual(
        requests.filter((request) => !/^\S+ (\/|data:|blob:)/.test(request)),
        [],
        "another host",
      );
      // A status that a scenario provokes is one that Chromium reports as well.
      assert.deepEqual(errors.filter((text) => !text.startsWith("Failed to load resource")), []);
    },
  };
}

/** Runs in the page: keeps what the browser reports of layout that shifted. */
function watchLayout(): void {
  interface Shift extends PerformanceEntry {
    value: number;
    hadRecentInput: boolean;
    sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
  }
  const shifts: string[] = [];
  (globalThis as unknown as { shifts: string[] }).shifts = shifts;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
      // CLS is told with three decimals.
      if (hadRecentInput || value < 0.0005) continue;
      const moved = sources.map(({ node, previousRect, currentRect }) => {
        const html = node instanceof Element ? node.outerHTML : node?.textContent ?? "";
        return `from y ${previousRect.y} to ${currentRect.y}: ${html.slice(0, 100)}`;
      });
      shifts.push([value.toFixed(4), ...moved].join("\n"));
    }
  }).observe({ type: "layout-shift", buffered: true });
}

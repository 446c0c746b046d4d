// Opens pages of the stack, each in its own browser context, so that they share no session.
import assert from "node:assert/strict";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { eventually } from "../../../bench/harness/waiting.ts";
import { stack } from "../../support/stack.ts";
import { launchChromium, type OpenBrowser } from "./chromium.ts";
import { DESK } from "./screens.ts";

/** The address of the stack's console, without a slash at its end. */
export const consoleUrl = stack.console_url;

/** The key under which the console stores the session. */
const SESSION = "crm.session";

export interface Look {
  viewport?: { width: number; height: number };
  theme?: "light" | "dark";
  /** A touch screen, where scroll bars take no space. */
  touch?: boolean;
  /** The reply of Supabase Auth to the sign-in; absent if nobody is signed in. */
  session?: string;
  /** The only other origin that the page may open: that of an app. */
  app?: string;
}

/** A page, and what it did. */
export interface Watched extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** Every request, as `<method> <path>` of the stack or as a whole URL of another host. */
  requests: string[];
  /** Errors in the page's console, such as violations of its policy. */
  errors: string[];
  /** The layout shifts since the page was opened; empty if its CLS is 0. */
  layoutShifts(): Promise<string[]>;
}

/**
 * Starts Chromium after the gateway has built the pages below a path.
 * @param path `/` for the console
 */
export async function openBrowser(path = "/"): Promise<OpenBrowser> {
  await eventually(
    async () => (await fetch(consoleUrl + path, { headers: { accept: "text/html" } })).status === 200,
    `the pages of ${path} to be built`,
    120,
  );
  return await launchChromium();
}

/** Opens a page in a new context. Closing it fails the scenario if the page called another host or had an error. */
export async function openPage(browser: Browser, path: string | null, look: Look = {}): Promise<Watched> {
  const { viewport = DESK, theme = "light", touch = false, session, app } = look;
  const context = await browser.newContext({
    viewport,
    colorScheme: theme,
    locale: "pt-BR",
    isMobile: touch,
    hasTouch: touch,
    timezoneId: "America/Sao_Paulo",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  // The timeout is long enough for a machine that is busy with other work.
  context.setDefaultTimeout(60_000);
  if (session) {
    await context.addInitScript(
      ([name, value]) => {
        // Stores the session only once, so that a session that has ended is not restored.
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
        requests.filter((request) => {
          const [, url = ""] = request.split(" ");
          return !/^(\/|data:|blob:)/.test(url) && !(app && url.startsWith(`${app}/`));
        }),
        [],
        "another host",
      );
      // Leaves out error statuses, which Chromium reports too, because scenarios provoke some.
      assert.deepEqual(errors.filter((text) => !text.startsWith("Failed to load resource")), []);
    },
  };
}

/** Runs in the page and collects the layout shifts that the browser reports. */
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
      // A shift below 0.0005 counts as none, because CLS is reported with three decimals.
      if (hadRecentInput || value < 0.0005) continue;
      const moved = sources.map(({ node, previousRect, currentRect }) => {
        const html = node instanceof Element ? node.outerHTML : node?.textContent ?? "";
        return `from y ${previousRect.y} to ${currentRect.y}: ${html.slice(0, 100)}`;
      });
      shifts.push([value.toFixed(4), ...moved].join("\n"));
    }
  }).observe({ type: "layout-shift", buffered: true });
}

/** Holds the POST requests to a path until the returned function is called. */
export async function holdPosts(page: Page, path: RegExp): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    if (route.request().method() === "POST") await released;
    await route.continue();
  });
  return release;
}

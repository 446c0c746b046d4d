import { type Browser, chromium } from "playwright-core";

/** A browser that is closed when the scope ends (`await using`). */
export type OpenBrowser = Browser & AsyncDisposable;

/**
 * Starts Debian's separate headless build of Chromium, which takes half the processor time of the full browser. Its
 * sandbox is off, because it does not work for root.
 */
export async function launchChromium(): Promise<OpenBrowser> {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox", "--js-flags=--expose-gc", "--enable-precise-memory-info"],
  });
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() });
}

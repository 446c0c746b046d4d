// Rules that every page must keep.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { DESK, READERS_PHONE } from "./screens.ts";

const AXE = await Deno.readTextFile(new URL(import.meta.resolve("axe-core")));

/**
 * Asserts that axe finds no violation of WCAG 2.2 AA or of axe's best practices.
 *
 * @param without a selector for the elements to leave out, because they were checked on another page
 */
export async function assertAccessible(page: Page, where: string, without?: string): Promise<void> {
  const violations = await violationsOf(page, without);
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.join(" ")}`), [], where);
}

/** A rule that a page breaks, with the HTML of each element that breaks it. */
export interface Violation {
  id: string;
  nodes: string[];
}

/** Returns axe's findings once all animations have ended: axe misjudges the colours of an element that fades in. */
export async function violationsOf(page: Page, without?: string): Promise<Violation[]> {
  await settle(page);
  if (await page.evaluate(() => !("axe" in globalThis))) await page.evaluate(AXE);
  return await page.evaluate(async (without) => {
    const { axe } = globalThis as unknown as {
      axe: { run(context: object, options: { resultTypes: string[] }): Promise<{ violations: Found[] }> };
    };
    interface Found {
      id: string;
      nodes: { html: string }[];
    }
    // By default axe also describes every element that passes; here it describes only violations.
    const context = { include: ["html"], exclude: without ? [without] : [] };
    return (await axe.run(context, { resultTypes: ["violations"] })).violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html }) => html),
    }));
  }, without);
}

/** Waits until all animations have ended, except endless ones. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await nextFrame();
    await nextFrame();
    const ending = document.getAnimations().filter(({ effect }) =>
      Number.isFinite(effect?.getComputedTiming().endTime)
    );
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** Asserts that nothing scrolls horizontally. */
export async function assertFits(page: Page, where: string): Promise<void> {
  const [needed, there] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth] as const;
  });
  assert.ok(needed <= there, `${where}: ${needed} px in ${there}`);
}

/** Asserts that the page fits its screen, and that axe finds nothing. */
export async function assertGood(page: Page, where: string): Promise<void> {
  await assertFits(page, where);
  await assertAccessible(page, where);
}

/** Like assertGood, on a phone and on a desktop; afterwards the screen is as before. */
export async function assertGoodOnBoth(page: Page, where: string): Promise<void> {
  const before = page.viewportSize()!;
  for (const viewport of [READERS_PHONE, DESK]) {
    await page.setViewportSize(viewport);
    await assertGood(page, `${where} at ${viewport.width}`);
  }
  await page.setViewportSize(before);
}

/** Asserts that Tab reaches every visible control in document order, and that each shows that it has the focus. */
export async function assertReachable(page: Page, where: string): Promise<void> {
  const controls = await page.evaluate(() => {
    const all = [
      ...document.querySelectorAll<HTMLElement>(
        "a[href], button, input, select, textarea, summary, [tabindex]",
      ),
    ]
      .filter((element) =>
        element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true }) &&
        !(element as HTMLButtonElement).disabled
      );
    all.forEach((element, index) => element.dataset.order = String(index));
    // A page focuses its title, so move the focus to the start, from where Tab must reach the first control.
    const start = document.createElement("span");
    start.tabIndex = -1;
    document.body.prepend(start);
    start.focus();
    start.remove();
    return all.length;
  });
  const reached: number[] = [];
  for (let press = 0; reached.length < controls && press < 4 * controls; press++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      // The link of a row outlines the whole row, by its `::after`.
      const outlined = [null, "::after"].map((part) => getComputedStyle(element ?? document.body, part));
      return {
        order: Number(element?.dataset.order ?? -1),
        isDate: (element as HTMLInputElement | null)?.type === "date",
        isShown: outlined.some(({ outlineStyle, outlineWidth }) =>
          outlineStyle !== "none" && outlineWidth !== "0px"
        ),
        html: element?.outerHTML ?? "",
      };
    });
    // Tab also stops at the day, month, year and calendar of a date. Chromium marks these itself.
    if (focused.isDate && focused.order === reached.at(-1)) continue;
    const html = focused.html.slice(0, 160);
    assert.notEqual(focused.order, -1, `${where}: Tab ${press + 1} of ${controls} reached ${html}`);
    assert.ok(focused.isShown, `${where}: no focus is shown on ${html}`);
    reached.push(focused.order);
  }
  assert.deepEqual(reached, Array.from({ length: controls }, (_, index) => index), where);
}

/**
 * What people do with the console, in a real browser, against the shared stack of the run. One test with a step for each
 * scenario, because one browser serves all.
 */
import { needing } from "../support/needing.ts";
import { openDatabase } from "../support/stack.ts";
import { figures } from "./scenarios/figures.ts";
import { funnel } from "./scenarios/funnel.ts";
import { keys } from "./scenarios/keys.ts";
import { pages } from "./scenarios/pages.ts";
import { proposal } from "./scenarios/proposal.ts";
import { signIn } from "./scenarios/sign_in.ts";
import { webhookOperations } from "./scenarios/webhook_operations.ts";
import { webhooks } from "./scenarios/webhooks.ts";
import { openBrowser } from "./support/browser.ts";
import { makeWorld } from "./support/scenario.ts";

const SCENARIOS = [
  ...signIn,
  ...keys,
  ...webhooks,
  ...webhookOperations,
  ...funnel,
  ...proposal,
  ...pages,
  ...figures,
];

Deno.test(needing(["chromium"], {
  name: "The console in a browser",
  // Playwright keeps connections to Chromium open between steps.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await using sql = openDatabase(2);
    const browser = await openBrowser();
    try {
      const world = makeWorld(browser, sql);
      for (const { name, run } of SCENARIOS) await t.step(name, () => run(world).catch(throwBoth));
    } finally {
      await browser.close();
    }
  },
}));

/** The error of a scenario, and below it what its page met meanwhile. */
function throwBoth(error: unknown): never {
  if (!(error instanceof SuppressedError)) throw error;
  const { error: met, suppressed } = error;
  throw new Error(`${suppressed?.stack ?? suppressed}\n\nMeanwhile: ${met?.message ?? met}`);
}

/**
 * What people do with the console in a real browser. The scenarios are steps of one test, because they share a browser.
 */
import { chromiumTest } from "../support/needing.ts";
import { openDatabase } from "../support/stack.ts";
import { alerts } from "./scenarios/alerts.ts";
import { events } from "./scenarios/events.ts";
import { figures } from "./scenarios/figures.ts";
import { funnel } from "./scenarios/funnel.ts";
import { importing } from "./scenarios/import.ts";
import { keys } from "./scenarios/keys.ts";
import { pages } from "./scenarios/pages.ts";
import { palette } from "./scenarios/palette.ts";
import { proposal } from "./scenarios/proposal.ts";
import { signIn } from "./scenarios/sign_in.ts";
import { webhookOperations } from "./scenarios/webhook_operations.ts";
import { webhookRedelivery } from "./scenarios/webhook_redelivery.ts";
import { webhooks } from "./scenarios/webhooks.ts";
import { openBrowser } from "./support/browser.ts";
import { makeWorld } from "./support/scenario.ts";

const SCENARIOS = [
  ...signIn,
  ...keys,
  ...webhooks,
  ...webhookOperations,
  ...webhookRedelivery,
  ...alerts,
  ...events,
  ...palette,
  ...funnel,
  ...importing,
  ...proposal,
  ...pages,
  ...figures,
];

chromiumTest("The console in a browser", async (t) => {
  await using sql = openDatabase(2);
  await using browser = await openBrowser();
  const world = makeWorld(browser, sql);
  for (const { name, run } of SCENARIOS) await t.step(name, () => run(world).catch(throwBoth));
});

/** Throws a scenario's error together with the errors of its page. */
function throwBoth(error: unknown): never {
  if (!(error instanceof SuppressedError)) throw error;
  const { error: met, suppressed } = error;
  throw new Error(`${suppressed?.stack ?? suppressed}\n\nMeanwhile: ${met?.message ?? met}`);
}

import assert from "node:assert/strict";
import { eventually } from "../../../bench/harness/waiting.ts";
import { consoleUrl, openPage } from "../support/browser.ts";
import { sessionOf } from "../support/company.ts";
import { test } from "../support/scenario.ts";
import { speedUp } from "../support/speed.ts";

/** The number of refreshes in an hour, and the speed-up of the test's clock. */
const REFRESHES = 120;
const FASTER = 300;
/** Refreshes before the first measurement, because newly run code takes memory too, and between measurements. */
const FIRST = 24;
const STEP = 8;
/** The allowed growth of memory. A leak in every refresh would exceed it by far. */
const FLAT = 1.1;

test("The deliveries page leaks no memory in an hour of refreshes, simulated at 300 times the speed", async ({ browser, sql, busy }) => {
  const { id, person, webhookId } = await busy();
  await sql`update crm.workspaces set rate_limit_per_minute = 100000 where id = ${id}`;
  await using watched = await openPage(browser, null, { session: await sessionOf(person) });
  const { page, context } = watched;
  await context.addInitScript(speedUp, FASTER);
  await page.goto(`${consoleUrl}/webhooks/?id=${webhookId}`);
  const client = await context.newCDPSession(page);
  const count = () => watched.requests.filter((request) => request.includes("/app-v1-deliveries?")).length;
  const samples: { heap: number; nodes: number; listeners: number }[] = [];
  for (let refreshes = FIRST; refreshes <= REFRESHES; refreshes += STEP) {
    await eventually(() => count() >= refreshes, "refreshes", 60);
    await client.send("HeapProfiler.collectGarbage");
    const { jsEventListeners: listeners, nodes } = await client.send("Memory.getDOMCounters");
    samples.push({ heap: (await client.send("Runtime.getHeapUsage")).usedSize, nodes, listeners });
  }
  // Takes the least of three: a reply on display inflates one measurement, but a leak inflates all.
  const least = (some: typeof samples) => Math.min(...some.map(({ heap }) => heap));
  const [before, after] = [least(samples.slice(0, 3)), least(samples.slice(-3))];
  const [first, last] = [samples[0]!, samples.at(-1)!];
  console.log(
    `Memory of the page of deliveries after ${FIRST} and ${REFRESHES} refreshes: ` +
      `${(before / 2 ** 20).toFixed(2)} → ${(after / 2 ** 20).toFixed(2)} MB, ` +
      `${first.nodes} → ${last.nodes} nodes, ${first.listeners} → ${last.listeners} listeners`,
  );
  assert.ok(after <= before * FLAT, JSON.stringify(samples));
  assert.ok(
    last.nodes <= first.nodes * FLAT && last.listeners <= first.listeners * FLAT,
    JSON.stringify(samples),
  );
});

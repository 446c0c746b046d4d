/**
 * `deno task chaos`: the figures of docs/reliability.md, one after the other, on a Postgres and a receiver of their own.
 *
 *     deno task chaos -- --only 1            one figure
 *     deno task chaos -- --events 2000       events of figure 1; 10,000 where absent
 *     deno task chaos -- --minutes 5         of figure 7; 30 where absent
 *     deno task chaos -- --short             small sizes and short leases, as in CI
 *
 * Prints a table; the exit code is 0 only where every figure was reached. Nothing is written but in a temporary folder.
 */
import { parseArgs } from "node:util";
import type { Figure, Result, Sizes } from "./figure.ts";
import { clock } from "./figures/clock.ts";
import { deactivation } from "./figures/deactivation.ts";
import { hanging } from "./figures/hanging.ts";
import { kills } from "./figures/kills.ts";
import { latency } from "./figures/latency.ts";
import { outages } from "./figures/outages.ts";
import { staleHolder } from "./figures/stale_holder.ts";
import { throughput } from "./figures/throughput.ts";
import { openWorld, type World } from "./world.ts";

const FIGURES: Figure[] = [kills, outages, staleHolder, clock, hanging, latency, deactivation, throughput];

const { values } = parseArgs({
  args: Deno.args.filter((arg) => arg !== "--"),
  options: {
    only: { type: "string" },
    events: { type: "string" },
    minutes: { type: "string", default: "30" },
    short: { type: "boolean", default: false },
  },
});
const short = values.short === true;
const sizes: Sizes = {
  short,
  events: Number(values.events ?? (short ? 300 : 10_000)),
  minutes: Number(values.minutes),
};
const chosen = FIGURES.filter(({ number }) => values.only === undefined || String(number) === values.only);
if (chosen.length === 0 || !(sizes.events >= 100) || !(sizes.minutes >= 1)) {
  console.error(
    `--only takes one of ${FIGURES.map(({ number }) => number).join(", ")}; --events at least 100; ` +
      "--minutes at least 1",
  );
  Deno.exit(2);
}

const world = await openWorld();
// For the figures that call the dispatcher's own modules.
for (const [name, value] of Object.entries(world.env)) Deno.env.set(name, value);
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => {
    interrupted = true;
    void world.close().finally(() => Deno.exit(130));
  });
}
const results: [Figure, Result][] = [];
for (const figure of chosen) results.push([figure, await reach(figure, world)]);
await world.close();

console.log("\n| # | Asked | Measured | Reached |\n|---|---|---|---|");
for (const [{ number, asked }, { ok, measured }] of results) {
  console.log(`| ${number} | ${asked} | ${measured} | ${ok ? "yes" : "NO"} |`);
}
Deno.exit(results.every(([, { ok }]) => ok) ? 0 : 1);

async function reach(figure: Figure, world: World): Promise<Result> {
  console.log(`Figure ${figure.number}: ${figure.asked}`);
  const started = performance.now();
  try {
    return await figure.run(world, sizes);
  } catch (error) {
    return { ok: false, measured: error instanceof Error ? error.message : String(error) };
  } finally {
    // The figure fails for want of what is being closed; the process ends once all of it is.
    if (interrupted) await new Promise(() => {});
    await world.killDispatchers();
    // What one figure has left is not the next one's to deliver.
    await world.sql`update crm.webhook_subscriptions set is_active = false where is_active`;
    console.log(`  took ${((performance.now() - started) / 1000).toFixed(0)} s`);
  }
}

import { startCluster } from "../../bench/performance/growth/cluster.ts";
import { resolveProbes } from "../../bench/performance/growth/coverage.ts";
import { Door, isFit } from "../../bench/performance/growth/door.ts";
import { makeSmallest } from "../../bench/performance/growth/sizes.ts";

Deno.test("Every probe of the growth bench gets the reply that it measures, among a thousand records", async (t) => {
  await using cluster = await startCluster();
  const size = await makeSmallest(cluster, console.log);
  await using door = await Door.open(size);
  for (const probe of resolveProbes()) {
    if (!isFit(probe, size)) continue;
    const [args] = await door.argumentsOf(probe, 0, 1);
    // It throws if the reply is an error, or has another number of records.
    await t.step(`${probe.operation} ${args}`, async () => void await door.call(probe, args!));
  }
});

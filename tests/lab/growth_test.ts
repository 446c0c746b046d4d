import { isFit, openDoor } from "../../bench/performance/growth/door.ts";
import { makeProbes } from "../../bench/performance/growth/probes.ts";
import { makeSmallest, startCluster } from "../../bench/performance/growth/sizes.ts";

Deno.test("Every call of the growth bench is answered among a thousand records, each list's first page in full", async (t) => {
  await using cluster = await startCluster();
  const size = await makeSmallest(cluster, console.log);
  await using door = await openDoor(size);
  for (const probe of await makeProbes()) {
    // Skips probes with two filters, which need many records. tests/sql/list_walks_test.ts reads such lists.
    if (!isFit(probe, size)) continue;
    const [args] = await door.argumentsOf(probe, 0, 1);
    // Throws if the reply is an error, or if the page has too few records.
    await t.step(`${probe.operation} ${args}`, async () => void await door.call(probe, args!));
  }
});

import { passMidnight } from "../../support/midnight.ts";
import { startOwnDatabase } from "../../support/own_database.ts";
import { PARTITION_CHECKS } from "../../support/partition_checks.ts";

Deno.test("The partitions of events, deliveries and attempts are made and dropped by their jobs", async (t) => {
  await using database = await startOwnDatabase();
  for (const { name, run } of PARTITION_CHECKS) {
    await passMidnight();
    await t.step(name, () => run(database));
  }
});

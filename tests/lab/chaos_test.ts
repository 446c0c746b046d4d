import assert from "node:assert/strict";
import { runShort } from "../support/lab.ts";

/** Titles, by the number of the figure. */
const TITLES = {
  1: "Killed dispatchers lose no delivery, and repeat one only under its own id",
  2: "Deliveries continue after Postgres has crashed, and none is lost",
  4: "A dispatcher whose clock is an hour off keeps the schedule",
  5: "A receiver that hangs does not delay the others",
  6: "Half of the first attempts follow within 2 s of the poke",
  7: "A dispatcher's run stays within its limits of CPU and memory",
  9: "The feed has every event once and in order, even if its writers and its reader are killed",
  10: "Claims stay quick beside many deliveries that are held",
  11: "A day of events is dropped at once, without deleting rows and without delaying other work",
  13: "A host never has more than 64 deliveries in flight",
};

// Runs with the sizes of `--short`; docs/reliability.md has the figures of full runs.
Deno.test("Short runs reach the figures of docs/reliability.md", async (t) => {
  const { output } = await runShort("reliability");
  for (const [number, title] of Object.entries(TITLES)) {
    await t.step(
      title,
      () => assert.match(output, new RegExp(`^\\| ${number} \\| .* \\| yes \\|$`, "m"), output),
    );
  }
});

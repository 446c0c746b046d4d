import assert from "node:assert/strict";
import { isHeld } from "../../bench/harness/figures.ts";
import { life } from "../../bench/performance/subjects/life.ts";

/** Figures that hold on any machine, also in a short run, which changes too few rows for the other figures. */
const FIGURES = [
  "Answers not as expected",
  "Events without their delivery",
  "Deliveries that did not arrive",
  "Updates of webhook_deliveries that write no index ÷ all",
];

Deno.test("A mix of all kinds of requests gets no error, loses no webhook, and leaves tables as they should be", async () => {
  const measured = await life.measure({ short: true, minutes: 0.1, amongAll: false, note: () => {} });
  for (const name of FIGURES) {
    const figure = measured.find((figure) => figure.name === name);
    assert.ok(figure && isHeld(figure), JSON.stringify(figure));
  }
});

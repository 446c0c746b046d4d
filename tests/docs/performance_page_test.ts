import assert from "node:assert/strict";
import { SECURITY_PAGE, securityPage } from "../../bench/attacks/page.ts";
import { type Figure, isHeld, ratio } from "../../bench/harness/figures.ts";
import { readPage, readResults } from "../../bench/harness/results.ts";
import { COMPARISON, drawComparison } from "../../bench/performance/comparison.ts";
import type { Operation } from "../../bench/performance/load/requests.ts";
import { PERFORMANCE_PAGE, performancePage } from "../../bench/performance/page.ts";
import { shareOfBare, shareOfHand } from "../../bench/performance/subjects/throughput.ts";

const results = await readResults("latest");
const attacks = await readResults("attacks");

Deno.test("docs/performance.md shows the figures of the last whole run of the bench", async () => {
  const page = await readPage(PERFORMANCE_PAGE);
  assert.equal(performancePage(page, results), page);
});

Deno.test("docs/security.md shows the figures of the last whole run of the attacks", async () => {
  const page = await readPage(SECURITY_PAGE);
  assert.equal(securityPage(page, attacks), page);
});

Deno.test("Each figure of a run is marked as held exactly where its value reaches the target", () => {
  for (const { at, machine, deno, postgres, figures } of [results, attacks]) {
    for (const figure of figures) assert.equal(figure.held, isHeld(figure), figure.name);
    assert.ok(figures.length > 0 && [at, machine, deno, postgres].every(Boolean));
  }
});

Deno.test("The README's picture of four operations is that of the last whole run", async () => {
  assert.equal(await readPage(COMPARISON), drawComparison(results));
});

Deno.test("The picture of four operations shows the API's share, and bare's as the ratio of the two shares", () => {
  const figure = (name: string, value: number): Figure => ({
    ...ratio(name, value, "higher", 1),
    held: true,
    command: "deno task bench -- hand",
  });
  const shares = { read: [1.04, 0.4], list: [1.2, 0.8], create: [0.96, 0.4], lead: [1.1, 0.5] } as const;
  const compared = Object.entries(shares).flatMap(([operation, [ofHand, ofBare]]) => [
    figure(shareOfHand(operation as Operation), ofHand),
    figure(shareOfBare(operation as Operation), ofBare),
  ]);
  assert.match(
    drawComparison({ ...results, figures: compared }),
    new RegExp(
      ">Read a contact: this API 1\\.04, by hand 1, bare 2\\.6\\. List 50 contacts: this API 1\\.2, by hand 1, bare 1\\.5\\. " +
        "Create a contact: this API 0\\.96, by hand 1, bare 2\\.4\\. Take in a lead: this API 1\\.1, by hand 1, bare 2\\.2\\.<",
    ),
  );
  assert.throws(
    () => drawComparison({ ...results, figures: compared.slice(1) }),
    /lack the figure "Read a contact ÷/,
  );
});

import assert from "node:assert/strict";
import { type Figure, isHeld, ratio, tableOf } from "../../bench/harness/figures.ts";
import { readImage, readResults } from "../../bench/harness/results.ts";
import { drawComparison } from "../../bench/performance/comparison.ts";
import type { Operation } from "../../bench/performance/load/requests.ts";
import { plot } from "../../bench/performance/plot.ts";
import { shareOfHand } from "../../bench/performance/subjects/hand.ts";
import { shareOfBare } from "../../bench/performance/subjects/throughput.ts";
import { readPage } from "./page.ts";

const results = await readResults("latest");
const { at, machine, deno, postgres, figures } = results;

Deno.test("docs/performance.md shows every figure of the last whole run, and no other", async () => {
  const page = await readPage("performance.md");
  const shown = page.split("\n").filter((line) => line.includes("| `deno task bench"));
  assert.deepEqual(shown.sort(), tableOf(figures).slice(2).sort());
});

Deno.test("Each figure of the last run is marked as held exactly where its value reaches the target", () => {
  for (const figure of figures) assert.equal(figure.held, isHeld(figure), figure.name);
  assert.ok(figures.length > 0 && [at, machine, deno, postgres].every(Boolean));
});

Deno.test("The picture of every figure is that of the last whole run", async () => {
  assert.equal(await readImage("latest"), plot(results));
});

Deno.test("The picture of four operations is that of the last whole run, or absent where the run had no peer by hand", async () => {
  const hasPeer = figures.some(({ name }) => name === shareOfHand("read"));
  assert.equal(await readImage("compared"), hasPeer ? drawComparison(results) : null);
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
  const picture = drawComparison({ ...results, figures: compared });
  assert.match(
    picture,
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

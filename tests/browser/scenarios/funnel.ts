import assert from "node:assert/strict";
import { pause } from "../../../bench/harness/waiting.ts";
import { client } from "../../support/client.ts";
import { openPage } from "../support/browser.ts";
import { makeCompany, makePerson, sessionOf } from "../support/company.ts";
import type { Scenario } from "../support/scenario.ts";

/** Number of timed leads. More than one, because a busy machine may delay some. */
const TRIALS = 3;
const WITHIN_MS = 2_000;

export const funnel: Scenario[] = [
  {
    name: "A lead from the API appears on the funnel within 2 seconds",
    async run({ browser, sql }) {
      const company = await makeCompany(sql);
      const session = await sessionOf(await makePerson(sql, company, "vendedor"));
      const api = client(company.key);
      await api.post("/api-v1-leads", { first_name: "Primeiro" });
      await using watched = await openPage(browser, "/funil/", { session });
      const { page } = watched;
      await page.getByText("Primeiro").first().waitFor();
      const waits: number[] = [];
      for (let trial = 0; trial < TRIALS; trial++) {
        // Creates each lead at a different moment between two polls.
        await pause(500 * (trial + 1));
        const sent = performance.now();
        const { status } = await api.post("/api-v1-leads", { first_name: `Padaria ${trial}`, value: 1200.5 });
        assert.equal(status, 201);
        await page.getByRole("listitem").filter({ hasText: `Padaria ${trial}` }).waitFor();
        waits.push(performance.now() - sent);
      }
      // The fastest counts: a busy machine may need longer for some, but not for all.
      assert.ok(Math.min(...waits) <= WITHIN_MS, `${waits.map(Math.round)} ms`);
      assert.ok(waits.every((wait) => wait <= 2 * WITHIN_MS), `${waits.map(Math.round)} ms`);
    },
  },
];

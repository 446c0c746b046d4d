import assert from "node:assert/strict";
import { needing } from "../support/needing.ts";
import { withScenario } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { openPage } from "./claims.ts";

const page = await openPage("index", { sh: 1, json: 1 });

Deno.test(needing(["sh", "curl"], {
  name: "The call of the site's home page creates what it shows, and creates nothing when it is sent again",
  fn: () =>
    withScenario(async ({ workspace }) => {
      const call = async () => {
        const { stdout } = await new Deno.Command("sh", {
          args: ["-ec", page.blocks.sh[0]!],
          env: { CRM_URL: baseUrl, CRM_KEY: workspace.key },
          stdin: "null",
        }).output();
        return JSON.parse(new TextDecoder().decode(stdout));
      };
      const shown = JSON.parse(page.blocks.json[0]!);
      const { lead, ...rest } = await call();
      assert.deepEqual(Object.keys(lead), Object.keys(shown.lead));
      assert.equal(lead.status, shown.lead.status);
      assert.deepEqual({ lead: shown.lead, ...rest }, shown);
      const again = await call();
      assert.equal(again.idempotent, true);
      for (const id of ["deal_id", "contact_id", "company_id"]) assert.equal(again.lead[id], lead[id]);
    }),
}));

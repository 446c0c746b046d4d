import { search } from "../../run/deployment/doctor/checks/search.ts";
import { runChecks } from "../../run/deployment/doctor/examine.ts";
import { startOwnDatabase } from "../support/own_database.ts";
import { breakAndMend } from "./doctor.ts";

Deno.test("The doctor sees that the index of searches is behind, and its remedy mends it", async (t) => {
  await using database = await startOwnDatabase();
  const owner = database.sql;
  await owner`select crm.index_texts()`;
  const look = () =>
    runChecks({
      sql: owner,
      databaseUrl: new URL(database.url),
      functionsUrl: "",
      region: null,
      appOrigin: null,
      now: Date.now,
    }, [search]);
  const step = (name: string, breakage: Parameters<typeof breakAndMend>[2]) =>
    t.step(name, () => breakAndMend(look, owner, breakage));
  await step("a job that does not run", {
    breaks: () => owner`update crm.search_progress set reached_at = now() - interval '20 minutes'`,
    finding: /^search: The index of searches is 20 minutes behind/,
  });
  await step("a workspace that is behind alone", {
    breaks: () =>
      owner`
        insert into crm.search_backlog (workspace_id, position, event_id, reached_at)
        values (gen_random_uuid(), 0, gen_random_uuid(), now() - interval '11 minutes')`,
    finding: /^search: More has changed in 1 workspaces than the job index-texts could write in time$/,
  });
});

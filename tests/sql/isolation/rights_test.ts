// Least rights (docs/decisions/0011-least-rights.md): the whole catalogue, so that no function or table is forgotten.
import { RIGHTS_CHECKS } from "../../support/rights.ts";
import { sql } from "../../support/scenario.ts";
import { functionsDatabaseUrl } from "../../support/stack.ts";

for (const { name, run } of RIGHTS_CHECKS) Deno.test(name, () => run(sql, functionsDatabaseUrl));

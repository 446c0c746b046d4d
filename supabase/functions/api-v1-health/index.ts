import { serveOpen } from "../_shared/http/serve.ts";
import { shareResult } from "../_shared/runtime/share_result.ts";
import { checkHealth } from "./check.ts";
import { table } from "./table.ts";

// Anybody may call this endpoint, so each process sends the database at most one statement per second for it.
Deno.serve(serveOpen(table, { health: shareResult(checkHealth, 1_000) }));

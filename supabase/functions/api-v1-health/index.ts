import { serveOpen } from "../_shared/http/serve.ts";
import { shareResult } from "../_shared/runtime/share_result.ts";
import { checkHealth } from "./check.ts";
import { table } from "./table.ts";

// Anybody may call it, so that however often it is called the database gets one query a second.
Deno.serve(serveOpen(table, { health: shareResult(checkHealth, 1_000) }));

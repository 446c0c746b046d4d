// Written by deno task tables.
import { serveResource } from "../_shared/http/serve.ts";
import { sessionGate } from "../_shared/http/session_gate.ts";
import { table } from "./table.ts";

Deno.serve(serveResource(table, sessionGate));

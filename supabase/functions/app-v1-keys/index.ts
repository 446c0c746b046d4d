import { serveResource } from "../_shared/http/serve.ts";
import { sessionGate } from "../_shared/http/session_gate.ts";
import { keys } from "./routes.ts";

Deno.serve(serveResource(keys, sessionGate));

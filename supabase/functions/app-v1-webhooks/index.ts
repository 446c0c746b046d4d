import { serveResource } from "../_shared/http/serve.ts";
import { sessionGate } from "../_shared/http/session_gate.ts";
import { webhooks } from "./routes.ts";

Deno.serve(serveResource(webhooks, sessionGate));

import { serveResource } from "../_shared/http/serve.ts";
import { sessionGate } from "../_shared/http/session_gate.ts";
import { activity } from "./routes.ts";

Deno.serve(serveResource(activity, sessionGate));

import { serveResource } from "../_shared/http/serve.ts";
import { webhooks } from "./routes.ts";

Deno.serve(serveResource(webhooks));

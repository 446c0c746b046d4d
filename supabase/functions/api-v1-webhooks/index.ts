import { serveResource } from "../_shared/serve.ts";
import { webhooks } from "./routes.ts";

Deno.serve(serveResource(webhooks));

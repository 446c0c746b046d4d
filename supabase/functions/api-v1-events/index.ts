import { serveResource } from "../_shared/http/serve.ts";
import { events } from "./routes.ts";

Deno.serve(serveResource(events));

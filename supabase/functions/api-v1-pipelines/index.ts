import { serveResource } from "../_shared/http/serve.ts";
import { pipelines } from "./routes.ts";

Deno.serve(serveResource(pipelines));

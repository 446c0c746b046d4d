import { serveResource } from "../_shared/serve.ts";
import { pipelines } from "./routes.ts";

Deno.serve(serveResource(pipelines));

import { serveResource } from "../_shared/http/serve.ts";
import { workspace } from "./routes.ts";

Deno.serve(serveResource(workspace));

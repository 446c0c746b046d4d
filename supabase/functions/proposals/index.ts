import { serveResource } from "../_shared/http/serve.ts";
import { proposals } from "./routes.ts";

Deno.serve(serveResource(proposals));

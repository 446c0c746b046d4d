import { serveResource } from "../_shared/http/serve.ts";
import { changes } from "./routes.ts";

Deno.serve(serveResource(changes));

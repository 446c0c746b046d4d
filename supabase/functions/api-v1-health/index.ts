import { serveResource } from "../_shared/http/serve.ts";
import { health } from "./routes.ts";

Deno.serve(serveResource(health));

import { serveResource } from "../_shared/http/serve.ts";
import { leads } from "./routes.ts";

Deno.serve(serveResource(leads));

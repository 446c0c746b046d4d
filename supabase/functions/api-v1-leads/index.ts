import { serveResource } from "../_shared/serve.ts";
import { leads } from "./routes.ts";

Deno.serve(serveResource(leads));

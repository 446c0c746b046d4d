import { serveResource } from "../_shared/serve.ts";
import { companies } from "./routes.ts";

Deno.serve(serveResource(companies));

import { serveResource } from "../_shared/http/serve.ts";
import { companies } from "./routes.ts";

Deno.serve(serveResource(companies));

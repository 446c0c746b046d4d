import { serveResource } from "../_shared/http/serve.ts";
import { me } from "./routes.ts";

Deno.serve(serveResource(me));

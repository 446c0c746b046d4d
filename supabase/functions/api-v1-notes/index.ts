import { serveResource } from "../_shared/http/serve.ts";
import { notes } from "./routes.ts";

Deno.serve(serveResource(notes));

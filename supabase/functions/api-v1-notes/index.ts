import { serveResource } from "../_shared/serve.ts";
import { notes } from "./routes.ts";

Deno.serve(serveResource(notes));

import { serveResource } from "../_shared/serve.ts";
import { contacts } from "./routes.ts";

Deno.serve(serveResource(contacts));

import { serveResource } from "../_shared/http/serve.ts";
import { contacts } from "./routes.ts";

Deno.serve(serveResource(contacts));

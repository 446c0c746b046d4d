import { serveResource } from "../_shared/http/serve.ts";
import { activities } from "./routes.ts";

Deno.serve(serveResource(activities));

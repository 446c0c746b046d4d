import { serveResource } from "../_shared/serve.ts";
import { activities } from "./routes.ts";

Deno.serve(serveResource(activities));

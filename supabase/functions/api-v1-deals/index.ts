import { serveResource } from "../_shared/serve.ts";
import { deals } from "./routes.ts";

Deno.serve(serveResource(deals));

import { serveResource } from "../_shared/http/serve.ts";
import { deals } from "./routes.ts";

Deno.serve(serveResource(deals));

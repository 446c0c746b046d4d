// Written by deno task tables.
import { serveResource } from "../_shared/http/serve.ts";
import { table } from "./table.ts";

Deno.serve(serveResource(table));

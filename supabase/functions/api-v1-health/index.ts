import { serveHealth } from "./health.ts";

Deno.serve(serveHealth());

import { serveMcp } from "./handler.ts";

Deno.serve(serveMcp());

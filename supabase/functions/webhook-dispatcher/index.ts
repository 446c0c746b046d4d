import { handlePoke } from "./handler.ts";

Deno.serve(handlePoke);

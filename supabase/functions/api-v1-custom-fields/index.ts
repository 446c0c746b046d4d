import { serveNotLive } from "../_shared/not_live.ts";

Deno.serve(serveNotLive("api-v1-custom-fields"));

import { serveNotLive } from "../_shared/http/not_live.ts";

Deno.serve(serveNotLive("api-v1-owners"));

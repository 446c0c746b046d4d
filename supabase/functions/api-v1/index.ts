import { serveNotLive } from "../_shared/http/not_live.ts";
import { METADATA_PATH, metadataReply } from "../_shared/http/protected_resource.ts";

Deno.serve(serveNotLive("api-v1", (app) => app.get(METADATA_PATH, () => metadataReply("api-v1"))));

import { serveProposals } from "./handler.ts";

Deno.serve(serveProposals());

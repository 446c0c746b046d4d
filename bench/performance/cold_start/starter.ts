/** Serves one function, as Supabase does: the argument is its index.ts. Listens on a free port and prints it. */
import { pathToFileURL } from "node:url";

const deno = Deno as { serve: unknown };
const { serve } = Deno;
deno.serve = (handler: Deno.ServeHandler) =>
  serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) }, handler);
await import(pathToFileURL(Deno.args[0]!).href);

/**
 * Serves one function alone, as Supabase does, from its own index.ts: the first argument. Prints its port. Only where
 * it listens is another's choice.
 */
import { pathToFileURL } from "node:url";

const deno = Deno as { serve: unknown };
const { serve } = Deno;
deno.serve = (handler: Deno.ServeHandler) =>
  serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) }, handler);
await import(pathToFileURL(Deno.args[0]!).href);

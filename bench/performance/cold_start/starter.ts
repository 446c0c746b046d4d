/** Serves one function, whose index.ts is the argument. Listens on a free port, and prints the port. */
import { pathToFileURL } from "node:url";

const deno = Deno as { serve: unknown };
const { serve } = Deno;
deno.serve = (handler: Deno.ServeHandler) =>
  serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) }, handler);
await import(pathToFileURL(Deno.args[0]!).href);

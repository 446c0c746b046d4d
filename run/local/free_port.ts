/** Below the ports that systems give to connections, one of which could take a port before it is listened on. */
const [FIRST, COUNT] = [20_000, 12_000];

/** A port of 127.0.0.1 on which no process listens at the moment. */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

/** Below the ephemeral ports: an outgoing connection could take an ephemeral port before the server does. */
const [FIRST, COUNT] = [20_000, 12_000];

/** A port of 127.0.0.1 on which nothing listens. */
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

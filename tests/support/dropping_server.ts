/** Listens like a tunnel whose other end is gone: drops each connection after its first bytes. */
export function startDroppingServer(): { port: number; [Symbol.asyncDispose](): Promise<void> } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const dropping = (async () => {
    for await (const connection of listener) {
      await connection.read(new Uint8Array(512)).catch(() => {});
      connection.close();
    }
  })();
  return {
    port: listener.addr.port,
    async [Symbol.asyncDispose]() {
      listener.close();
      await dropping;
    },
  };
}

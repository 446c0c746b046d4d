/**
 * Collects what a child process prints. `ended` resolves with its status when all its output has been read.
 * @param streams the streams that are piped; by default both
 */
export function collectOutput(child: Deno.ChildProcess, streams = [child.stdout, child.stderr]) {
  let output = "";
  async function collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) output += decoder.decode(bytes, { stream: true });
  }
  const ended = Promise.all(streams.map(collect)).then(() => child.status);
  return { ended, output: () => output };
}

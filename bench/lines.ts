/** The lines of a stream of text, as they come. */
export async function* readLines(bytes: typeof Deno.stdin.readable): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
    // The plans are long: what has no line end in it is only put beside what came before.
    rest += text;
    if (!text.includes("\n")) continue;
    const lines = rest.split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  return undefined;
}

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

/** A script in a process of its own that answers each line of JSON on its standard input with a line. */
export interface LineProcess {
  pid: number;
  /** Sends an order and waits for its answer. */
  ask(order: unknown): Promise<string>;
  /** Ends its input, and waits for the end. */
  close(): Promise<void>;
}

/** @param args of the script, which comes first */
export function startLineProcess(args: string[], env: Record<string, string> = {}): LineProcess {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ...args],
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const orders = child.stdin.getWriter();
  const answers = readLines(child.stdout);
  return {
    pid: child.pid,
    async ask(order) {
      await orders.write(new TextEncoder().encode(JSON.stringify(order) + "\n"));
      const { value } = await answers.next();
      if (value === undefined) throw new Error(`${args[0]} has ended; why, is above`);
      return value;
    },
    async close() {
      await orders.close().catch(() => {});
      // Read to its end: an open pipe would keep this process from ending.
      await Promise.all([child.status, answers.next()]);
    },
  };
}

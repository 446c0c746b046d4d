/**
 * Runs a script of this repository in a new process.
 * @param args flags of `deno run`, then the script, then its arguments
 */
export function spawnScript(args: string[], options: Omit<Deno.CommandOptions, "args">): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), { ...options, args: scriptArguments(args) }).spawn();
}

/** The arguments of `deno`. They turn type checks off, because `deno task check` checks the whole tree once. */
export function scriptArguments(args: string[]): string[] {
  return ["run", "-A", "--no-check", ...args];
}

export function onInterrupt(close: () => Promise<unknown>): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => void close().finally(() => Deno.exit(130)));
  }
}

export async function* readLines(bytes: typeof Deno.stdin.readable): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
    // Split `rest` only when a line ends: a load plan is one long line of JSON that arrives in many chunks.
    rest += text;
    if (!text.includes("\n")) continue;
    const lines = rest.split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  return undefined;
}

/** Sends orders to a process that answers each line of JSON on its standard input with a line. @param name for errors */
export function openLineProcess(child: Deno.ChildProcess, name: string) {
  const orders = child.stdin.getWriter();
  const answers = readLines(child.stdout);
  return {
    async request(order: unknown): Promise<string> {
      await orders.write(new TextEncoder().encode(JSON.stringify(order) + "\n"));
      const { value } = await answers.next();
      if (value === undefined) throw new Error(`${name} has ended; see the error above`);
      return value;
    },
    async [Symbol.asyncDispose]() {
      await orders.close().catch(() => {});
      // Reads the answers to the end, because an open pipe keeps this process alive.
      await Promise.all([child.status, answers.next()]);
    },
  };
}

/**
 * Runs a script of this repository in a process of its own.
 * @param args flags of `deno run`, then the script, then its arguments
 */
export function spawnScript(args: string[], options: Omit<Deno.CommandOptions, "args">): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), { ...options, args: scriptArguments(args) }).spawn();
}

/** What follows `deno` on the command line. Types are checked by `deno task check`, once for the whole tree. */
export function scriptArguments(args: string[]): string[] {
  return ["run", "-A", "--no-check", ...args];
}

/** Calls `close` when this program is interrupted, and ends it. */
export function onInterrupt(close: () => Promise<unknown>): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => void close().finally(() => Deno.exit(130)));
  }
}

/** The lines of a stream of text, as they come. */
export async function* readLines(bytes: typeof Deno.stdin.readable): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
    // The plans of a load are long: what has no line end in it is only put beside what came before.
    rest += text;
    if (!text.includes("\n")) continue;
    const lines = rest.split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  return undefined;
}

/** A script in a process of its own that answers each line of JSON on its standard input with a line. */
export interface LineProcess extends AsyncDisposable {
  pid: number;
  /** Sends an order and waits for its answer. */
  ask(order: unknown): Promise<string>;
}

/** @param args of the script, which comes first */
export function startLineProcess(args: string[], env: Record<string, string> = {}): LineProcess {
  const child = spawnScript(args, { env, stdin: "piped", stdout: "piped", stderr: "inherit" });
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
    async [Symbol.asyncDispose]() {
      await orders.close().catch(() => {});
      // Read to its end: an open pipe would keep this process from ending.
      await Promise.all([child.status, answers.next()]);
    },
  };
}

import { join } from "node:path";

/** A function, and a request that it is to answer first. */
export interface Start {
  /** Its index.ts. */
  file: string;
  method: string;
  /** As the function sees it: its own name comes first. */
  path: string;
  headers?: Record<string, string>;
  expect: number;
}

/** Milliseconds from the start of a process that serves the function to the end of its first reply. */
export async function timeFirstReply(start: Start, env: Record<string, string>): Promise<number> {
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--cached-only", join(import.meta.dirname!, "starter.ts"), start.file],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    const { value } = await reader.read();
    const port = parseInt(value ?? "");
    if (!(port > 0)) throw new Error(`${start.file} does not start; why, is above`);
    await request(start, port);
    return performance.now() - started;
  } finally {
    child.kill("SIGKILL");
    await Promise.all([child.status, reader.cancel()]);
  }
}

async function request({ file, method, path, headers = {}, expect }: Start, port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
  const text = await response.text();
  if (response.status !== expect) throw new Error(`${file}, ${method} ${path}: ${response.status} ${text}`);
}

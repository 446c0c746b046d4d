import { join } from "node:path";
import { spawnScript } from "../../harness/processes.ts";

export interface Start {
  file: string;
  method: string;
  /** The path as the function receives it, beginning with the function's name. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  expect: number;
}

/**
 * With this flag, Deno reads dynamically imported files only when they are needed, as in a deployed bundle. Deno 2.3
 * and older do not have the flag.
 */
const LAZY = /^2\.[0-3]\./.test(Deno.version.deno) ? [] : ["--unstable-lazy-dynamic-imports"];

/** Measures the milliseconds from the start of the function's process to the end of its first reply. */
export async function timeFirstReply(
  { file, method, path, headers = {}, body, expect }: Start,
  env: Record<string, string>,
): Promise<number> {
  const started = performance.now();
  const child = spawnScript([...LAZY, "--cached-only", join(import.meta.dirname!, "starter.ts"), file], {
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    const port = parseInt((await reader.read()).value ?? "");
    if (!(port > 0)) throw new Error(`${file} does not start; see the error above`);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    if (response.status !== expect) throw new Error(`${file}, ${method} ${path}: ${response.status} ${text}`);
    return performance.now() - started;
  } finally {
    child.kill("SIGKILL");
    await Promise.all([child.status, reader.cancel()]);
  }
}

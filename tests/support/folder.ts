import { makeDataDir } from "./own_stack.ts";

/** Creates a temporary folder, which other users may enter; it is removed when the scope ends (`await using`). */
export async function openFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await makeDataDir();
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Creates a temporary folder, which other users may enter; it is removed when the scope ends (`await using`). */
export async function openFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir();
  // Under root, Postgres runs as another user.
  await Deno.chmod(path, 0o711);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

import { join } from "node:path";
import { firstLine, StackError } from "./stack_error.ts";

/** Time limit for taking the lock. Taking a free lock takes about a millisecond. */
const LOCK_TIMEOUT_MS = 500;

/**
 * Creates the data folder and locks it for this process. The lock belongs to the open file, so the system releases it
 * even after `kill -9`.
 * @throws StackError if the folder cannot be used, or another stack is using it.
 */
export async function openDataDir(dataDir: string): Promise<{ close(): void }> {
  let lockFile: Deno.FsFile;
  try {
    await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
    // Under root, Postgres runs as another user, who must be able to enter the folder, but not to list it.
    if (Deno.uid() === 0) await Deno.chmod(dataDir, 0o711);
    lockFile = await Deno.open(join(dataDir, "lock"), { create: true, read: true, write: true, mode: 0o600 });
  } catch (error) {
    throw describeUnusable(dataDir, error);
  }
  if (!await tryLock(lockFile)) {
    const owner = (await Deno.readTextFile(join(dataDir, "lock"))).trim();
    throw new StackError(
      `Another stack (process ${owner}) is using ${dataDir}: stop it, or set DATA_DIR to another folder`,
    );
  }
  await lockFile.truncate();
  await lockFile.write(new TextEncoder().encode(`${Deno.pid}\n`));
  return lockFile;
}

// FsFile.tryLock would return at once, but Deno 2.1 has only FsFile.lock, which waits.
async function tryLock(file: Deno.FsFile): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, LOCK_TIMEOUT_MS, false);
  });
  try {
    return await Promise.race([file.lock(true).then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function describeUnusable(dataDir: string, error: unknown): StackError {
  if (error instanceof Deno.errors.AlreadyExists || error instanceof Deno.errors.NotADirectory) {
    return new StackError(
      `DATA_DIR ${dataDir} is not a folder: set DATA_DIR to a folder, or to a path that does not exist`,
    );
  }
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return new StackError(`No permission to write in ${dataDir}: set DATA_DIR to a folder of your own`);
  }
  return new StackError(
    `The data folder ${dataDir} cannot be used (${firstLine(error)}): set DATA_DIR to another folder`,
  );
}

/**
 * Copies the content of a folder to another, with the owners and permissions that Postgres requires.
 * @param without matches the names to leave out, at any depth
 */
export async function copyFolder(from: string, to: string, without = /^$/): Promise<void> {
  const { mode, uid, gid } = await Deno.stat(from);
  await Deno.mkdir(to, { recursive: true });
  await Deno.chmod(to, mode! & 0o777);
  if (Deno.uid() === 0) await Deno.chown(to, uid, gid);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (without.test(name)) continue;
    if (isDirectory) {
      await copyFolder(source, target, without);
      continue;
    }
    await Deno.copyFile(source, target);
    const file = await Deno.stat(source);
    if (Deno.uid() === 0) await Deno.chown(target, file.uid, file.gid);
  }
}

/** Writes a file that only its owner can read. Replaces the file in one step, so that no process reads half of it. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const partial = `${path}.partial`;
  await Deno.writeTextFile(partial, text, { mode: 0o600 });
  await Deno.rename(partial, path);
}

import { join } from "node:path";
import process from "node:process";
import { writePrivateFile } from "./data_dir.ts";
import { StackError } from "./stack_error.ts";

/** DATA_DIR/stack.json: how to connect to the stack that is running on that folder. */
export interface StackFile {
  /** The URL of the functions: `<origin>/functions/v1`. */
  base_url: string;
  /** The database's URL for the role `postgres`. */
  database_url: string;
  demo_key: string;
  /** The console's address on this stack, without a slash at its end. */
  console_url: string;
  /** How the demo member signs in to the console; null if another service created the database's schema auth. */
  demo_email: string | null;
  demo_password: string | null;
  /** Process id of the stack. If no such process runs, a killed stack left this file. */
  pid: number;
}

/** Writes the file when the stack is ready. */
export async function writeStackFile(dataDir: string, stack: Omit<StackFile, "pid">): Promise<void> {
  await writePrivateFile(
    join(dataDir, "stack.json"),
    JSON.stringify({ ...stack, pid: Deno.pid }, null, 2) + "\n",
  );
}

/** Removes the file. It must exist only while a stack is ready. */
export async function removeStackFile(dataDir: string): Promise<void> {
  await Deno.remove(join(dataDir, "stack.json")).catch(() => {});
}

/**
 * Reads the file of the stack that runs on this data folder.
 * @throws StackError if none is running, or another user started it.
 */
export async function readStackFile(dataDir: string): Promise<StackFile> {
  const path = join(dataDir, "stack.json");
  const text = await Deno.readTextFile(path).catch((error) => {
    if (!(error instanceof Deno.errors.PermissionDenied)) return null;
    throw new StackError(`No permission to read ${path}: run this as the user who started the stack`);
  });
  const stack: StackFile | null = text === null ? null : JSON.parse(text);
  if (stack === null || !isAlive(stack.pid)) {
    throw new StackError(
      `No stack is running on ${dataDir}: start one with \`deno task start\`, or set DATA_DIR`,
    );
  }
  return stack;
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0, which Deno.kill does not support, only tests whether the process exists.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
    return (error as { code?: string }).code === "EPERM";
  }
}

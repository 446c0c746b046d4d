import { join } from "node:path";
import process from "node:process";
import { writePrivateFile } from "./data_dir.ts";
import { StackError } from "./stack_error.ts";

/** DATA_DIR/stack.json: how to reach the stack that is running there. */
export interface StackFile {
  /** Where the functions are: `<origin>/functions/v1`. */
  base_url: string;
  /** Connection of role `postgres`. */
  database_url: string;
  demo_key: string;
  /** Process of the stack, by which a file left by a killed one is recognised. */
  pid: number;
}

/** Says that the stack is ready; readers see the whole file or none. */
export async function writeStackFile(dataDir: string, stack: Omit<StackFile, "pid">): Promise<void> {
  await writePrivateFile(
    join(dataDir, "stack.json"),
    JSON.stringify({ ...stack, pid: Deno.pid }, null, 2) + "\n",
  );
}

/** Says that no stack is ready. */
export async function removeStackFile(dataDir: string): Promise<void> {
  await Deno.remove(join(dataDir, "stack.json")).catch(() => {});
}

/**
 * How to reach the stack that runs on this data folder.
 * @throws StackError where none is running.
 */
export async function readStackFile(dataDir: string): Promise<StackFile> {
  const text = await Deno.readTextFile(join(dataDir, "stack.json")).catch(() => null);
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
    // Signal 0 only asks; Deno.kill has no such signal.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not ours to signal, yet there.
    return (error as { code?: string }).code === "EPERM";
  }
}

/**
 * `deno task pictures`: in Chromium, takes pictures of the console for its guide, and of the API reference for the
 * README. It starts a stack with a company that has used the console for some weeks.
 */
import { join } from "node:path";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { makeDataDir } from "../support/own_stack.ts";
import { startMailboxes } from "../support/receiver.ts";

const OUT = join(import.meta.dirname!, "../../docs/console");
const REFERENCE = join(import.meta.dirname!, "../../docs/reference.webp");

const mailboxes = await startMailboxes();
const dataDir = await makeDataDir();
const stack = await startStackProcess(dataDir, mailboxes.env);
try {
  for (const [name, value] of Object.entries({ ...mailboxes.env, DATA_DIR: dataDir })) {
    Deno.env.set(name, value);
  }
  // Imported here, because the module reads these variables when it is loaded.
  const { takePictures, takeReferencePicture } = await import("./support/take_pictures.ts");
  await Deno.mkdir(OUT, { recursive: true });
  await takePictures(OUT);
  await takeReferencePicture(REFERENCE);
} finally {
  await stack.stop();
  await mailboxes.close();
  await Deno.remove(dataDir, { recursive: true });
}

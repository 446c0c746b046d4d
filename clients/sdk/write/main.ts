/** `deno task sdk`: writes the types and the operations of the SDK, from the tables of endpoints. */
import { formatted, writtenFiles } from "./files.ts";

for (const [path, text] of Object.entries(writtenFiles())) {
  await Deno.writeTextFile(path, await formatted(text));
}

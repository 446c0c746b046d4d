/** `deno task records`: writes the plain SQL of every record, from its `record.ts`, into the migrations. */
import { writtenFiles } from "./files.ts";

for (const { file, current, expected } of await writtenFiles()) {
  if (current === expected) continue;
  await Deno.writeTextFile(file, expected);
  console.log(`Wrote ${file.split("/").at(-1)}`);
}

/** `deno task records`: writes the plain SQL of every record, from its `record.ts`, into the migrations. */
import { writtenFiles } from "./files.ts";

for (const { file, is, shouldBe } of await writtenFiles()) {
  if (is === shouldBe) continue;
  await Deno.writeTextFile(file, shouldBe);
  console.log(`Wrote ${file.split("/").at(-1)}`);
}

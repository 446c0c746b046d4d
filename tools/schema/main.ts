/**
 * `deno task schema`: writes the rights of verbs into the last migration. `--check` only compares: exit code 1 where the
 * migration is not what the task would write. `--dump` prints the whole schema as pg_dump does, and writes nothing.
 */
import { rightsFile, schemaDump } from "./files.ts";

if (Deno.args.includes("--dump")) {
  console.log(await schemaDump());
  Deno.exit();
}
const { file, text } = await rightsFile();
if (!Deno.args.includes("--check")) await Deno.writeTextFile(file, text);
else if (await Deno.readTextFile(file) !== text) {
  console.error(`${file} is not what the migrations need: run deno task schema`);
  Deno.exit(1);
}

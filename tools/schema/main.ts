/**
 * `deno task schema`: writes docs/schema.md from the migrations, and the rights of verbs into the last of them. `--check`
 * only compares: exit code 1 where a file is not what the task would write. `--dump` prints the whole schema as pg_dump
 * does, and writes nothing.
 */
import { schemaDump, schemaFiles } from "./files.ts";

if (Deno.args.includes("--dump")) {
  console.log(await schemaDump());
  Deno.exit();
}
const files = await schemaFiles();
if (Deno.args.includes("--check")) {
  const stale: string[] = [];
  for (const { file, text } of files) if (await Deno.readTextFile(file) !== text) stale.push(file);
  for (const file of stale) console.error(`${file} is not as the migrations are: run deno task schema`);
  Deno.exit(stale.length === 0 ? 0 : 1);
}
for (const { file, text } of files) await Deno.writeTextFile(file, text);

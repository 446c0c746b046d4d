/** `deno task schema`: writes supabase/schema.sql and docs/schema.md from the migrations. */
import { schemaFiles } from "./files.ts";

for (const { file, text } of await schemaFiles()) await Deno.writeTextFile(file, text);

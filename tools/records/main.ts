/** `deno task records`: writes the plain SQL of every record, from its `record.ts`, into supabase/schemas. */
import { writtenFiles } from "./files.ts";

for (const { path, text } of await writtenFiles()) await Deno.writeTextFile(path, text);

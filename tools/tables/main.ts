/** `deno task tables`: writes config.toml, and each resource's index.ts and table.ts (its endpoints as plain data). */
import { writtenFiles } from "./files.ts";

for (const { path, text } of await writtenFiles()) await Deno.writeTextFile(path, text);

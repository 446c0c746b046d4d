/** `deno task tools`: writes the tools of the function `mcp`, and the module that loads their tables of endpoints. */
import { writtenFiles } from "./files.ts";

for (const { path, text } of writtenFiles()) await Deno.writeTextFile(path, text);

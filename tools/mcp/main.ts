/** `deno task tools`: writes the tools of the function `mcp`, and how it loads their resources. */
import { writtenFiles } from "./files.ts";

for (const { path, text } of writtenFiles()) await Deno.writeTextFile(path, text);

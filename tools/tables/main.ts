/** `deno task tables`: writes the plain data of each resource's endpoints, which its function loads when it starts. */
import { writtenFiles } from "./files.ts";

for (const { path, text } of await writtenFiles()) await Deno.writeTextFile(path, text);

/** `deno task docs`: writes the sections of the site's pages that are generated from the code. */
import { pages } from "./all.ts";

for (const { file, write } of pages) {
  const page = await Deno.readTextFile(file);
  const written = write(page);
  if (written === page) continue;
  await Deno.writeTextFile(file, written);
  console.log(`Written: ${file}`);
}

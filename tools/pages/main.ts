/**
 * `deno task docs`: writes the sections of docs/ that are generated from the code and from results. With `--check` it
 * writes nothing, and fails if a page is not up to date.
 */
import { join, relative, resolve } from "node:path";
import { pages } from "./all.ts";

const ROOT = join(import.meta.dirname!, "../..");
const check = Deno.args.includes("--check");

const stale: string[] = [];
for (const { file, write } of pages) {
  const path = resolve(ROOT, file);
  const page = await Deno.readTextFile(path);
  const written = await write(page);
  if (written === page) continue;
  stale.push(relative(ROOT, path));
  if (!check) await Deno.writeTextFile(path, written);
}
if (stale.length > 0) console.log(`${check ? "Not up to date" : "Written"}: ${stale.join(", ")}`);
Deno.exit(check && stale.length > 0 ? 1 : 0);

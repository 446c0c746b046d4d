/** `deno task check`: type-checks every tracked TypeScript file, with the packages that the nearest deno.json names. */
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname!, "..");
/** Folders that tests check, together with the code that is generated for them. */
const LATER = ["tests/clients/consumers/", "clients/n8n/", "site/programs/"];
/** Folders whose deno.json names no packages, or the same packages as the root's deno.json. */
const WITHOUT_PACKAGES = ["supabase/functions", "clients/sdk"];

const tracked = await run("git", ["ls-files", "*.ts", "*.tsx", "*deno.json"], ROOT);
const paths = tracked.split("\n").filter(Boolean);
const packages = new Set(
  paths.filter((path) => path.endsWith("deno.json")).map(dirname).filter((folder) =>
    !WITHOUT_PACKAGES.includes(folder)
  ),
);
const sources = paths.filter((path) =>
  !path.endsWith("deno.json") && !LATER.some((folder) => path.startsWith(folder))
);
for (const [folder, files] of Map.groupBy(sources, packageOf)) {
  await run(
    Deno.execPath(),
    ["check", "--quiet", ...files.map((file) => join(ROOT, file))],
    join(ROOT, folder),
  );
}

function packageOf(path: string): string {
  const folder = dirname(path);
  return packages.has(folder) ? folder : packageOf(folder);
}

async function run(program: string, args: string[], cwd: string): Promise<string> {
  const { success, stdout } = await new Deno.Command(program, { args, cwd, stderr: "inherit" }).output();
  if (!success) Deno.exit(1);
  return new TextDecoder().decode(stdout);
}

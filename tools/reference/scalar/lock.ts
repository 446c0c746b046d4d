/**
 * Writes deno.lock after the version of Scalar in deno.json has changed. The lock names only Scalar's own package,
 * whose bundle contains everything else. So `deno install --frozen` downloads 1 package instead of 269.
 */
import { join } from "node:path";

const FOLDER = import.meta.dirname!;
const LOCK = join(FOLDER, "deno.lock");

interface Lock {
  version: string;
  specifiers: Record<string, string>;
  npm: Record<string, { integrity: string }>;
  workspace: unknown;
}

await Deno.remove(LOCK).catch(() => {});
const { success } = await new Deno.Command(Deno.execPath(), { args: ["install", "--quiet"], cwd: FOLDER })
  .output();
if (!success) throw new Error("deno install failed");
const { version, specifiers, npm, workspace }: Lock = JSON.parse(await Deno.readTextFile(LOCK));
const entries = Object.keys(specifiers).map((specifier) => {
  const name = specifier.slice("npm:".length);
  const entry = Object.keys(npm).find((key) => key === name || key.startsWith(`${name}_`))!;
  return { specifier, name, integrity: npm[entry]!.integrity };
});
const lock: Lock = {
  version,
  specifiers: Object.fromEntries(
    entries.map(({ specifier, name }) => [specifier, name.slice(name.lastIndexOf("@") + 1)]),
  ),
  npm: Object.fromEntries(entries.map(({ name, integrity }) => [name, { integrity }])),
  workspace,
};
await Deno.writeTextFile(LOCK, JSON.stringify(lock, null, 2) + "\n");
await Deno.remove(join(FOLDER, "node_modules"), { recursive: true });

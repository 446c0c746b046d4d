import { join } from "node:path";
import { FUNCTIONS, resourceModules } from "../resources.ts";
import { routeEntries } from "./route_entries.ts";

/** The files that `deno task tables` writes, with what they should have. */
export async function writtenFiles(): Promise<{ path: string; text: string }[]> {
  const files: { path: string; text: string }[] = [];
  for (const { folder, exported, resource } of resourceModules) {
    const { name, gate } = resource;
    const text = `// Written by deno task tables.
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: ${JSON.stringify(name)},
  gate: ${JSON.stringify(gate)},
  routes: ${JSON.stringify(await routeEntries(resource)).replace(/"(\w+)":/g, "$1: ")},
  load: async () => (await import("./routes.ts")).${exported},
};
`;
    files.push({ path: join(FUNCTIONS, folder, "table.ts"), text: await formatted(text) });
  }
  return files;
}

async function formatted(text: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", "ts", "-"],
    cwd: FUNCTIONS,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { success, stdout } = await child.output();
  if (!success) throw new Error("deno fmt has failed; see the error above");
  return new TextDecoder().decode(stdout);
}

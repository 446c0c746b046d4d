import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { FUNCTIONS } from "../resources.ts";
import { toolEndpoints, toolTable } from "./table.ts";

/** The files that `deno task tools` writes, with what they should have. */
export async function writtenFiles(): Promise<{ path: string; text: string }[]> {
  return [
    { path: join(FUNCTIONS, "mcp/tools.json"), text: JSON.stringify(toolTable(), null, 2) + "\n" },
    { path: join(FUNCTIONS, "mcp/resources.ts"), text: await resourcesText() },
  ];
}

/** The imports are written out, because the bundler of Supabase includes only those whose path is a literal. */
async function resourcesText(): Promise<string> {
  const names = [...new Set(toolEndpoints.map(({ resource }) => resource.name))].sort();
  const lines = await Promise.all(
    names.map(async (name) =>
      `  "${name}": async () => (await import("../${name}/routes.ts")).${await exportedName(name)},`
    ),
  );
  return `// Written by deno task tools.
import type { Resource } from "../_shared/contract/endpoint.ts";

/** Loads the table of endpoints of a resource, by the name of its function. A call loads only its own. */
export const RESOURCES: Readonly<Record<string, () => Promise<Resource>>> = {
${lines.join("\n")}
};
`;
}

async function exportedName(name: string): Promise<string> {
  const module = await import(pathToFileURL(join(FUNCTIONS, name, "routes.ts")).href);
  const found = Object.entries(module).find(([, value]) => (value as { name?: string }).name === name);
  if (found === undefined) throw new Error(`${name}/routes.ts exports no resource with its name`);
  return found[0];
}

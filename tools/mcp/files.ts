import { join } from "node:path";
import { compactJson } from "../json.ts";
import { FUNCTIONS } from "../resources.ts";
import type { WrittenFile } from "../schema/folder.ts";
import { toolEndpoints, toolTable } from "./table.ts";

/** Most arguments of tools fit into a line of this width. A changed argument is then one line of a diff. */
const TOOLS_WIDTH = 240;

/** The files that `deno task tools` writes, with their texts. */
export function writtenFiles(): WrittenFile[] {
  return [
    { path: join(FUNCTIONS, "mcp/tools.json"), text: compactJson(toolTable(), TOOLS_WIDTH) },
    { path: join(FUNCTIONS, "mcp/resources.ts"), text: resourcesText() },
  ];
}

/** Each import has a literal path, because Supabase's bundler includes no others. */
function resourcesText(): string {
  const names = [...new Set(toolEndpoints.map(({ resource }) => resource.name))].sort();
  const lines = names.map((name) => `  "${name}": async () => (await import("../${name}/table.ts")).table,`);
  return `// Written by deno task tools.
import type { RouteTable } from "../_shared/contract/route_table.ts";

/** Loads the table of endpoints of a resource, by the name of its function. A call loads only its own. */
export const RESOURCES: Readonly<Record<string, () => Promise<RouteTable>>> = {
${lines.join("\n")}
};
`;
}

import { join } from "node:path";
import { FUNCTIONS, resourceModules } from "../resources.ts";
import { routeEntries } from "./route_entries.ts";

const HEADER = "// Written by deno task tables.";

/** The files that `deno task tables` writes, with what they should have. */
export async function writtenFiles(): Promise<{ path: string; text: string }[]> {
  const files: { path: string; text: string }[] = [];
  for (const { folder, exported, resource } of resourceModules) {
    const { name, gate } = resource;
    const routes = (await routeEntries(resource)).map((entry) => `    ${sourceOf(entry)},`);
    const table = `${HEADER}
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "${name}",
  gate: "${gate}",
  routes: [
${routes.join("\n")}
  ],
  load: async () => (await import("./routes.ts")).${exported},
};
`;
    files.push({ path: join(FUNCTIONS, folder, "table.ts"), text: table });
    // A resource without a gate has answers of its own, so its index.ts is written by hand.
    if (gate !== "none") {
      files.push({ path: join(FUNCTIONS, folder, "index.ts"), text: indexText(gate === "session") });
    }
  }
  return files;
}

function indexText(isSession: boolean): string {
  const importGate = isSession ? `import { sessionGate } from "../_shared/http/session_gate.ts";\n` : "";
  return `${HEADER}
import { serveResource } from "../_shared/http/serve.ts";
${importGate}import { table } from "./table.ts";

Deno.serve(serveResource(table${isSession ? ", sessionGate" : ""}));
`;
}

/** A value as TypeScript, on one line: a route is one line of the diff. */
function sourceOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sourceOf).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const properties = Object.entries(value).map(([name, property]) => `${name}: ${sourceOf(property)}`);
  return properties.length === 0 ? "{}" : `{ ${properties.join(", ")} }`;
}

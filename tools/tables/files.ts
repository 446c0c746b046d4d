import { join } from "node:path";
import { declaredResources, FUNCTIONS } from "../resources.ts";
import type { WrittenFile } from "../schema/folder.ts";
import { routeEntries } from "./route_entries.ts";

const HEADER = "// Written by deno task tables.";
const CONFIG = join(FUNCTIONS, "../config.toml");
const BLOCKS = "# Written by deno task tables: a block for each function.\n";

/** The files that `deno task tables` writes, with their texts. */
export async function writtenFiles(): Promise<WrittenFile[]> {
  const files: WrittenFile[] = [];
  for (const { folder, exported, value: resource } of declaredResources) {
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
    // The index.ts of a resource without a gate is written by hand.
    if (gate !== "none") {
      files.push({ path: join(FUNCTIONS, folder, "index.ts"), text: indexText(gate === "session") });
    }
  }
  files.push({ path: CONFIG, text: await configText() });
  return files;
}

/** The configuration of the Supabase CLI, with a block for each function. */
async function configText(): Promise<string> {
  const [before] = (await Deno.readTextFile(CONFIG)).split(BLOCKS);
  const entries = await Array.fromAsync(Deno.readDir(FUNCTIONS));
  const names = entries.filter(({ isDirectory, name }) => isDirectory && name !== "_shared").map(({ name }) =>
    name
  );
  const blocks = names.sort().map((name) =>
    `\n[functions.${name}]\nverify_jwt = false\nimport_map = "./functions/deno.json"\n`
  );
  return `${before}${BLOCKS}${blocks.join("")}`;
}

function indexText(isSession: boolean): string {
  const importGate = isSession ? `import { sessionGate } from "../_shared/http/session_gate.ts";\n` : "";
  return `${HEADER}
import { serveResource } from "../_shared/http/serve.ts";
${importGate}import { table } from "./table.ts";

Deno.serve(serveResource(table${isSession ? ", sessionGate" : ""}));
`;
}

/** Writes a value as TypeScript on one line, so that a changed route is one line of the diff. */
function sourceOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sourceOf).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const properties = Object.entries(value).map(([name, property]) => `${name}: ${sourceOf(property)}`);
  return properties.length === 0 ? "{}" : `{ ${properties.join(", ")} }`;
}

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Resource, type Route } from "../supabase/functions/_shared/contract/endpoint.ts";

/** The folder of the functions. */
export const FUNCTIONS = join(import.meta.dirname!, "../supabase/functions");

/** Every resource that is declared, found as the deployment finds it: a folder with routes. */
export const resources: Resource[] = await loadResources();

/** Every endpoint with its resource: what cross-cutting tests loop over. */
export const endpoints: { resource: Resource; route: Route; title: string }[] = resources.flatMap((
  resource,
) =>
  resource.routes.map((route) => ({
    resource,
    route,
    title: `${route.method} /${resource.name}${route.path === "/" ? "" : route.path}`,
  }))
);

async function loadResources(): Promise<Resource[]> {
  const found: Resource[] = [];
  for await (const { name } of Deno.readDir(FUNCTIONS)) {
    const routes = join(FUNCTIONS, name, "routes.ts");
    if (await Deno.stat(routes).then(() => false, () => true)) continue;
    const module = await import(pathToFileURL(routes).href);
    found.push(...Object.values(module).filter((value) => value instanceof Resource));
  }
  return found.sort((a, b) => a.name.localeCompare(b.name));
}

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type Endpoint,
  type KeyEndpoint,
  Resource,
  type Route,
} from "../supabase/functions/_shared/contract/endpoint.ts";
import { GATES } from "../supabase/functions/_shared/http/gates.ts";

/** The folder of the functions. */
export const FUNCTIONS = join(import.meta.dirname!, "../supabase/functions");
/** Order by gate: the resources behind an API key come first, in the documents too. */
const ORDER = Object.keys(GATES);

/** Every declared resource, found in the folders of functions that have a `routes.ts`. */
export const resources: Resource[] = await loadResources();

/** An endpoint with its resource and a readable title, e.g. `GET /api-v1-deals/:id`. */
export interface ListedEndpoint<E extends Endpoint = Endpoint> {
  resource: Resource;
  route: Route & { endpoint: E };
  title: string;
}

/** Every endpoint of every resource. */
export const endpoints: ListedEndpoint[] = resources.flatMap((resource) =>
  resource.routes.map((route) => ({
    resource,
    route,
    title: `${route.method} /${resource.name}${route.path === "/" ? "" : route.path}`,
  }))
);

/** The endpoints that require an API key. */
export const keyEndpoints = endpoints.filter((listed): listed is ListedEndpoint<KeyEndpoint> =>
  listed.route.endpoint.gate === "key"
);

async function loadResources(): Promise<Resource[]> {
  const found: Resource[] = [];
  for await (const { name } of Deno.readDir(FUNCTIONS)) {
    const routes = join(FUNCTIONS, name, "routes.ts");
    if (await Deno.stat(routes).then(() => false, () => true)) continue;
    const module = await import(pathToFileURL(routes).href);
    found.push(...Object.values(module).filter((value) => value instanceof Resource));
  }
  return found.sort((a, b) => ORDER.indexOf(a.gate) - ORDER.indexOf(b.gate) || a.name.localeCompare(b.name));
}

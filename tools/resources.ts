import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { GateName } from "../supabase/functions/_shared/contract/declaration.ts";
import {
  type Endpoint,
  type KeyEndpoint,
  Resource,
  type Route,
  type SessionEndpoint,
} from "../supabase/functions/_shared/contract/endpoint.ts";

/** The folder of the functions. */
export const FUNCTIONS = join(import.meta.dirname!, "../supabase/functions");
/** Order by gate: the resources behind an API key come first, in the documents too. */
const ORDER: GateName[] = ["key", "link", "none", "session"];

/** A resource and where it is declared. */
interface ResourceModule {
  /** The folder of its function. */
  folder: string;
  /** The name by which its `routes.ts` exports it. */
  exported: string;
  resource: Resource;
}

/** Every declared resource, found in the folders of functions that have a `routes.ts`. */
export const resourceModules: ResourceModule[] = await loadResources();

export const resources: Resource[] = resourceModules.map(({ resource }) => resource);

/** The resources of the API. */
export const apiResources: Resource[] = resources.filter(({ gate }) => gate !== "session");

/** The resources of the application, for people who are signed in. */
export const appResources: Resource[] = resources.filter(({ gate }) => gate === "session");

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

/** The endpoints of the API. */
export const apiEndpoints = endpoints.filter(({ resource }) => resource.gate !== "session");

/** The endpoints that require an API key. */
export const keyEndpoints = endpoints.filter((listed): listed is ListedEndpoint<KeyEndpoint> =>
  listed.route.endpoint.gate === "key"
);

/** The endpoints that require the session of a member. */
export const sessionEndpoints = endpoints.filter((listed): listed is ListedEndpoint<SessionEndpoint> =>
  listed.route.endpoint.gate === "session"
);

async function loadResources(): Promise<ResourceModule[]> {
  const found: ResourceModule[] = [];
  for await (const { name: folder } of Deno.readDir(FUNCTIONS)) {
    const routes = join(FUNCTIONS, folder, "routes.ts");
    if (await Deno.stat(routes).then(() => false, () => true)) continue;
    const module = await import(pathToFileURL(routes).href);
    for (const [exported, resource] of Object.entries(module)) {
      if (resource instanceof Resource) found.push({ folder, exported, resource });
    }
  }
  return found.sort(({ resource: a }, { resource: b }) =>
    ORDER.indexOf(a.gate) - ORDER.indexOf(b.gate) || a.name.localeCompare(b.name)
  );
}

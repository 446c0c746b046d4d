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

export const FUNCTIONS = join(import.meta.dirname!, "../supabase/functions");
/** The order of resources by gate, also in the documents. */
const ORDER: GateName[] = ["key", "link", "none", "session"];

/** A declaration and where it is. */
interface Declared<T> {
  /** The folder of its function. */
  folder: string;
  /** The name by which its module exports it. */
  exported: string;
  value: T;
}

/** Every declared resource, found in the folders of functions that have a `routes.ts`. */
export const declaredResources = (await declaredIn("routes.ts", Resource)).sort((
  { value: a },
  { value: b },
) => ORDER.indexOf(a.gate) - ORDER.indexOf(b.gate) || a.name.localeCompare(b.name));

export const resources: Resource[] = declaredResources.map(({ value }) => value);

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

export const endpoints: ListedEndpoint[] = resources.flatMap((resource) =>
  resource.routes.map((route) => ({
    resource,
    route,
    title: `${route.method} /${resource.name}${route.path === "/" ? "" : route.path}`,
  }))
);

export const apiEndpoints = endpoints.filter(({ resource }) => resource.gate !== "session");

/** The endpoints that require an API key. */
export const keyEndpoints = endpoints.filter((listed): listed is ListedEndpoint<KeyEndpoint> =>
  listed.route.endpoint.gate === "key"
);

/** The endpoints that require the session of a member. */
export const sessionEndpoints = endpoints.filter((listed): listed is ListedEndpoint<SessionEndpoint> =>
  listed.route.endpoint.gate === "session"
);

/** Every instance of a class that the functions' modules of this name (`routes.ts`, `record.ts`) export. */
export async function declaredIn<T>(
  file: string,
  type: abstract new (...args: never[]) => T,
): Promise<Declared<T>[]> {
  const found: Declared<T>[] = [];
  for await (const { name: folder } of Deno.readDir(FUNCTIONS)) {
    const path = join(FUNCTIONS, folder, file);
    if (await Deno.stat(path).then(() => false, () => true)) continue;
    const module = await import(pathToFileURL(path).href);
    for (const [exported, value] of Object.entries(module)) {
      if (value instanceof type) found.push({ folder, exported, value });
    }
  }
  return found;
}

import type { z } from "zod";
import { resources } from "../../tools/resources.ts";

export {
  apiEndpoints,
  apiResources,
  endpoints,
  keyEndpoints,
  resources,
  sessionEndpoints,
} from "../../tools/resources.ts";

/** Returns the schema of an endpoint's body. */
export function bodyOf(address: string, method: "POST" | "PATCH", path: "/" | "/:id"): z.ZodType {
  const routes = resources.find(({ name }) => `/${name}` === address)?.routes;
  const body = routes?.find((route) => route.path === path && route.method === method)?.endpoint.body;
  if (body === undefined) throw new Error(`${method} ${address}${path} declares no body`);
  return body;
}

import type { z } from "zod";
import type { Endpoint } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { resources } from "../../tools/resources.ts";

export {
  apiEndpoints,
  apiResources,
  endpoints,
  keyEndpoints,
  resources,
  sessionEndpoints,
} from "../../tools/resources.ts";

export function endpointOf(address: string, method: string, path: string): Endpoint {
  const routes = resources.find(({ name }) => `/${name}` === address)?.routes ?? [];
  const route = routes.find((route) => route.path === path && route.method === method);
  if (route === undefined) throw new Error(`There is no ${method} ${address}${path}`);
  return route.endpoint;
}

export function bodyOf(address: string, method: "POST" | "PATCH", path: "/" | "/:id"): z.ZodType {
  return endpointOf(address, method, path).body!;
}

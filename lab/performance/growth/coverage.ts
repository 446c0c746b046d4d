import { keyEndpoints } from "../../../contract/resources.ts";
import type { KeyEndpoint } from "../../../supabase/functions/_shared/contract/endpoint.ts";
import { type Probe, PROBES } from "./probes.ts";

/** Resources of which every workspace has few records. */
const CONSTANT_RESOURCES = ["api-v1-pipelines", "api-v1-webhooks"];

/** A probe with the endpoint that it calls. */
export interface EndpointProbe extends Probe {
  endpoint: KeyEndpoint;
  /** The endpoint with the filters that are used, as the figure names it. */
  operation: string;
}

/**
 * Returns every probe with its endpoint.
 * @throws Error if an endpoint or one of its filters has no probe, because its growth would stay unknown
 */
export function resolveProbes(): EndpointProbe[] {
  const missing: string[] = [];
  const resolved: EndpointProbe[] = [];
  for (const { resource, route, title } of keyEndpoints) {
    if (CONSTANT_RESOURCES.includes(resource.name)) continue;
    const key = `${route.method} ${route.path}`;
    const probes = PROBES.filter((probe) => probe.resource === resource.name && probe.route === key);
    if (probes.length === 0) missing.push(title);
    const used = probes.flatMap(({ args }) => Object.keys(args));
    const filters = Object.keys(route.endpoint.query.shape).filter((name) => name !== "limit");
    missing.push(...filters.filter((name) => !used.includes(name)).map((name) => `${title}?${name}`));
    for (const probe of probes) {
      const names = key === "GET /" ? Object.keys(probe.args) : [];
      const query = names.length === 0 ? "" : `?${names.join("&")}`;
      resolved.push({ ...probe, endpoint: route.endpoint, operation: title + query });
    }
  }
  if (missing.length > 0) {
    throw new Error(`No probe in lab/performance/growth/probes.ts for ${missing.join(", ")}`);
  }
  // Reads first, because writes change the pages.
  return resolved.sort((a, b) => Number(isWrite(a)) - Number(isWrite(b)));
}

export function isWrite({ route }: Probe): boolean {
  return !route.startsWith("GET");
}

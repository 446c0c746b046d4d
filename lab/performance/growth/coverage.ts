import { keyEndpoints } from "../../../contract/resources.ts";
import type { KeyEndpoint } from "../../../supabase/functions/_shared/contract/endpoint.ts";
import { type Probe, PROBES } from "./probes.ts";

/** Few records in any workspace, whatever it sells. */
const STILL = ["api-v1-pipelines", "api-v1-webhooks"];

/** A probe with the endpoint that it calls. */
export interface EndpointProbe extends Probe {
  endpoint: KeyEndpoint;
  /** The endpoint with the filters that are used: what a figure is of. */
  operation: string;
}

/**
 * Every probe with its endpoint.
 * @throws where an endpoint or one of its filters has no probe: what is not measured would pass for flat
 */
export function resolveProbes(): EndpointProbe[] {
  const missing: string[] = [];
  const resolved: EndpointProbe[] = [];
  for (const { resource, route, title } of keyEndpoints) {
    if (STILL.includes(resource.name)) continue;
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
  // Reads first: after a write they would find another page.
  return resolved.sort((a, b) => Number(isWrite(a)) - Number(isWrite(b)));
}

export function isWrite({ route }: Probe): boolean {
  return !route.startsWith("GET");
}

import { records } from "../../../tools/records/records.ts";
import { keyEndpoints } from "../../../tools/resources.ts";
import { isEquality } from "../../../supabase/functions/_shared/contract/record_fields.ts";
import type { KeyEndpoint } from "../../../supabase/functions/_shared/contract/endpoint.ts";
import type { Probe } from "./probe_parts.ts";
import { PROBES } from "./probes.ts";

/** Resources of which every workspace has few records. */
const CONSTANT_RESOURCES = [
  "api-v1-me",
  "api-v1-operations",
  "api-v1-pipelines",
  "api-v1-webhooks",
  "api-v1-workspace",
];
/** Where they show many records of another kind. */
const GROWING_PATH = /^\/:id\/deliveries/;

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
    if (CONSTANT_RESOURCES.includes(resource.name) && !GROWING_PATH.test(route.path)) continue;
    const key = `${route.method} ${route.path}`;
    const probes = PROBES.filter((probe) => probe.resource === resource.name && probe.route === key);
    if (probes.length === 0) missing.push(title);
    const used = probes.flatMap(({ args }) => Object.keys(args));
    const filters = Object.keys(route.endpoint.query.shape).filter((name) => name !== "limit");
    const unused = filters.filter((name) => !used.includes(name));
    const ofText = unused.filter((name) => isTextFilter(route.endpoint, name));
    probes.push(...ofText.map((name) => probeOfNothing(resource.name, name)));
    missing.push(...unused.filter((name) => !ofText.includes(name)).map((name) => `${title}?${name}`));
    for (const probe of probes) {
      const names = Object.keys(probe.args).filter((name) => name in route.endpoint.query.shape);
      const query = names.length === 0 ? "" : `?${names.join("&")}`;
      resolved.push({ ...probe, endpoint: route.endpoint, operation: title + query });
    }
  }
  if (missing.length > 0) {
    throw new Error(`No probe in bench/performance/growth/probes.ts for ${missing.join(", ")}`);
  }
  // Reads first, because writes change the pages; last what archives, merges and erases records to which others refer.
  const order = (probe: Probe) => Number(isWrite(probe)) + Number(probe.once ?? false);
  return resolved.sort((a, b) => order(a) - order(b));
}

/** Whether a filter is an equality with a text, on a list that needs no other filter. */
function isTextFilter({ query }: KeyEndpoint, name: string): boolean {
  const record = records.find((record) =>
    Object.keys(record.query.shape).join() === Object.keys(query.shape).join()
  );
  const filters = Object.values(record?.filters ?? {});
  return record?.fields[name]?.sql === "text" && isEquality(record.filters[name]!) &&
    !filters.some(({ required }) => required);
}

/** Without an index, a value that no record has would make the list read all of them. */
function probeOfNothing(resource: string, filter: string): Probe {
  return { resource, route: "GET /", args: { [filter]: "'a value of no record'" }, finds: 0 };
}

export function isWrite({ route }: Probe): boolean {
  return !route.startsWith("GET");
}

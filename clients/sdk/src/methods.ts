import { type BatchOptions, sendBatch } from "./batch.ts";
import type { AnyOptions, Http, ReadAgainOptions, ReadOptions } from "./http.ts";
import { List, type PageOf } from "./list.ts";
import { type OperationId, OPERATIONS } from "./operations.ts";
import type { BatchResult } from "./types.ts";

/** Reads a record by its id. `Expansion`: the names that the option `expand` takes. */
export interface Get<Found, Expansion extends string = never> {
  (id: string, options?: ReadOptions<Expansion>): Promise<Found>;
  /** Reads the record again; returns null if it has not changed. */
  (id: string, options: ReadAgainOptions<Expansion>): Promise<Found | null>;
}

/** Writes any number of records, up to 100 in a call. Unless `atomic`, a failed item does not stop the others. */
export type Batch<Body extends { items: unknown[] }> = (
  items: Iterable<Body["items"][number]> | AsyncIterable<Body["items"][number]>,
  options?: BatchOptions,
) => Promise<BatchResult>;

/** Creates the methods that {@link Resources} declares. */
export function methodsOf(http: Http): object {
  const methods: Record<string, object> = {};
  for (const id of Object.keys(OPERATIONS) as OperationId[]) {
    const [name, action] = methodName(id).split(".") as [string, string?];
    const method = methodOf(http, id);
    const others = methods[name] ?? {};
    methods[name] = action === undefined
      ? Object.assign(method, others)
      : Object.assign(others, { [action]: method });
  }
  return methods;
}

/** Returns the name of an operation's method: `deals.moveStage`, `me`, `me.requests`. */
export function methodName(id: OperationId): string {
  return OPERATIONS[id].name ?? id.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Creates a method. Its arguments are the ids in the path, then what the operation takes of query and body (each whole
 * or a single field), then the options.
 */
function methodOf(http: Http, id: OperationId) {
  const { path, takes = [], list } = OPERATIONS[id];
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (id.endsWith(".batch")) {
    return (items: Iterable<unknown>, options: BatchOptions = {}) =>
      sendBatch(items, options, (body, options) => http.call(id, { body, options }));
  }
  return (...given: unknown[]) => {
    const parts: { query?: object; body?: object } = {};
    for (const [index, name] of takes.entries()) {
      const [part, member] = name.split(".") as ["query" | "body", string?];
      const value = given[parameters.length + index];
      parts[part] = member ? { ...parts[part], [member]: value } : value as object;
    }
    const input = {
      ...parts,
      path: Object.fromEntries(parameters.map((name, index) => [name, given[index] as string])),
      options: given[parameters.length + takes.length] as AnyOptions | undefined,
    };
    if (!list) return http.call(id, input);
    // A list without a query has no pages.
    const query = takes.length === 0 ? undefined : parts.query ?? {};
    return new List<unknown>(
      (at) => http.call<PageOf<unknown>>(id, { ...input, ...(query && { query: { ...query, ...at } }) }),
      query,
    );
  };
}

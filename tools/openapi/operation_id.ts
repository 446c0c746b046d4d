import type { Resource, Route } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { z } from "zod";
import { type Doc, doc } from "../../supabase/functions/_shared/contract/doc.ts";

const BY_METHOD = { GET: "get", POST: "create", PATCH: "update", DELETE: "delete" } as const;

/** Collections of a resource beside its records. The operations of a collection have a tag of their own. */
export const COLLECTIONS: Readonly<Record<string, Doc>> = {
  "custom-fields": doc(
    "Os campos livres que a empresa define",
    "The custom fields that the workspace defines",
  ),
};

/** The path of an endpoint in the documents: `/api-v1-deals/{id}`. */
export function pathOf({ name }: Resource, { path }: Route): string {
  return `/${name}${path.replace(/:(\w+)/g, "{$1}").replace(/\/$/, "")}`;
}

/** The tag of an operation: the name of its resource without the version, e.g. `contacts`, or of its collection. */
export function tagOf(resource: Resource, path = "/"): string {
  const collection = path.split("/")[1]!;
  if (collection in COLLECTIONS) return tagOfCollection(collection);
  return resource.name.replace(/^(api|app)-v1-/, "");
}

export const tagOfCollection = (collection: string) => collection.replaceAll("-", "_");

/**
 * The id of an operation, by which generators name functions. It consists of the resource and the action, as in
 * `contacts.list`, `deals.win`, `deals.move_stage` or `webhooks.redeliver`. An action on several records below a record
 * names these records, as in `webhooks.redeliver_deliveries`. What is added to a record or removed from it is named, as
 * in `deals.add_contact` and `deals.remove_contact`. So is a record of another kind than the resource, as in
 * `funnel.get_deal`. The id is derived from the method and the path, so a new endpoint changes no other id.
 */
export function operationId(resource: Resource, { method, path, endpoint }: Route): string {
  return `${tagOf(resource, path)}.${verbOf()}`.replaceAll("-", "_");

  function verbOf(): string {
    const last = path.split("/").at(-1)!;
    if (last === "" || last in COLLECTIONS) {
      return method === "GET" && isList(endpoint.reply) ? "list" : BY_METHOD[method];
    }
    // `/deals/:id`: a record of another kind than the resource.
    const other = /^\/([a-z]+)s\/:id$/.exec(path)?.[1];
    if (other !== undefined) return `${BY_METHOD[method]}_${other}`;
    // `:id` or `:token` names the record itself; `:contact_id` names a record below it.
    if (last === ":id" || last === ":token") return BY_METHOD[method];
    const below = /^:(\w+)_id$/.exec(last)?.[1];
    if (method === "DELETE" && below !== undefined) return `remove_${below}`;
    if (method === "POST" && endpoint.status === 201 && path.startsWith("/:id/")) {
      return `add_${last.replace(/s$/, "")}`;
    }
    // An action on several records below a record.
    const several = /^\/:id\/(\w+)\/[a-z-]+$/.exec(path)?.[1];
    return below ?? (several === undefined ? last : `${last}_${several}`);
  }
}

function isList(reply: z.ZodType | null): boolean {
  return reply instanceof z.ZodObject && reply.shape["data"] instanceof z.ZodArray;
}

import type { Resource, Route } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { z } from "zod";

const BY_METHOD = { GET: "get", POST: "create", PATCH: "update", DELETE: "delete" } as const;

/** The name of the resource without the version, e.g. `contacts`; it is the tag of its operations. */
export function tagOf(resource: Resource): string {
  return resource.name.replace(/^(api|app)-v1-/, "");
}

/**
 * The id of an operation, by which generators name functions: the resource and what is done with it, as in
 * `contacts.list`, `contacts.get`, `deals.win`, `deals.move_stage`, `webhooks.deliveries`, `webhooks.delivery`,
 * `webhooks.redeliver`, and for what is added to a record and taken from it `deals.add_contact` and
 * `deals.remove_contact`. It follows from the method and the path, so a new endpoint changes the id of no other.
 */
export function operationId(resource: Resource, { method, path, endpoint }: Route): string {
  return `${tagOf(resource)}.${verbOf()}`.replaceAll("-", "_");

  function verbOf(): string {
    const last = path.split("/").at(-1)!;
    if (last === "") return method === "GET" && isList(endpoint.reply) ? "list" : BY_METHOD[method];
    // The id of the record, or the token of a proposal, and the id of a record below it.
    if (last === ":id" || last === ":token") return BY_METHOD[method];
    const below = /^:(\w+)_id$/.exec(last)?.[1];
    if (method === "DELETE" && below !== undefined) return `remove_${below}`;
    if (method === "POST" && endpoint.status === 201 && path.startsWith("/:id/")) {
      return `add_${last.replace(/s$/, "")}`;
    }
    return below ?? last;
  }
}

function isList(reply: z.ZodType | null): boolean {
  return reply instanceof z.ZodObject && reply.shape["data"] instanceof z.ZodArray;
}

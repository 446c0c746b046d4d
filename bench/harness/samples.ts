import type { Sql } from "postgres";
import type { Endpoint } from "../../supabase/functions/_shared/contract/endpoint.ts";

/** One record of each kind in a workspace. */
export interface Samples {
  deal_id: string;
  stage_id: string;
  contact_id: string;
  company_id: string;
  /** The id of a record, by the name of its function. */
  records: Record<string, string>;
}

/**
 * Creates the samples through the API.
 * @param create sends a POST that must succeed, and returns its body
 * @param stages of the default pipeline
 * @param target where the sample of a subscription sends test events: never to an address that is not the caller's
 */
export async function makeSamples(
  // deno-lint-ignore no-explicit-any -- only the ids are read
  create: (path: string, body: unknown) => Promise<any>,
  stages: readonly { id: string }[],
  target: string,
): Promise<Samples> {
  const { lead } = await create("/api-v1-leads", { first_name: "Ana", company_name: "Padaria Sol" });
  const { deal_id, contact_id, company_id } = lead;
  const activity = await create("/api-v1-activities", { deal_id });
  const note = await create("/api-v1-notes", { deal_id, body: "Olá" });
  const subscription = await create("/api-v1-webhooks", {
    event_types: ["deal.stale"],
    target_url: target,
  });
  return {
    deal_id,
    contact_id,
    company_id,
    stage_id: stages.at(-1)!.id,
    records: {
      "api-v1-deals": deal_id,
      "api-v1-contacts": contact_id,
      "api-v1-companies": company_id,
      "api-v1-activities": activity.id,
      "api-v1-notes": note.id,
      "api-v1-webhooks": subscription.id,
    },
  };
}

/** Stores an erasure that has ended, which no call of a few records makes, and returns its id. */
export async function makeOperation(sql: Sql, workspaceId: string): Promise<string> {
  const [{ id }] = await sql<[{ id: string }]>`
    insert into crm.operations (workspace_id, kind, object_id, arguments, state, ended_at)
    values (${workspaceId}, 'contact_erasure', ${workspaceId},
      jsonb_build_object('id', ${workspaceId}::text), 'done', now()) returning id`;
  return id;
}

/** Replaces the ids of an example's body by those of the samples, and external_id, which is unique, by another one. */
export function withSampleIds(example: Record<string, unknown>, samples: Samples): Record<string, unknown> {
  const { records: _, ...known } = samples;
  const ids: Record<string, string> = { ...known, external_id: crypto.randomUUID() };
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, ids[name] ?? replace(part)]),
    );
  };
  return replace(example) as Record<string, unknown>;
}

/** The query without which an operation is an error: the deal of a list of notes, the field of an upsert. */
export function neededQuery(
  { query }: Pick<Endpoint, "query">,
  { deal_id }: Pick<Samples, "deal_id">,
): string {
  const needed = { deal_id, match_by: "external_id" };
  const sent = Object.entries(needed).filter(([name]) => query.shape[name]?.isOptional() === false);
  return sent.length === 0 ? "" : `?${new URLSearchParams(sent)}`;
}

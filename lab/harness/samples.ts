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

/** Replaces the ids of an example's body by those of the samples. */
export function withSampleIds(example: Record<string, unknown>, samples: Samples): Record<string, unknown> {
  const { records: _, ...ids } = samples;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, ids[name as keyof typeof ids] ?? value]),
  );
}

import assert from "node:assert/strict";
import { client } from "./client.ts";

/** One record of each kind in a workspace. */
export interface Samples {
  deal_id: string;
  stage_id: string;
  contact_id: string;
  company_id: string;
  /** Id of a record by the name of its function. */
  records: Record<string, string>;
}

/** Makes them through the API itself. */
export async function makeSamples(key: string, stages: readonly { id: string }[]): Promise<Samples> {
  const api = client(key);
  async function create(path: string, body: unknown) {
    const reply = await api.post(path, body);
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  }
  const { lead } = await create("/api-v1-leads", { first_name: "Ana", company_name: "Padaria Sol" });
  const { deal_id, contact_id, company_id } = lead;
  const activity = await create("/api-v1-activities", { deal_id });
  const note = await create("/api-v1-notes", { deal_id, body: "Olá" });
  const subscription = await create("/api-v1-webhooks", {
    event_types: ["lead.received"],
    target_url: "https://example.com/hooks",
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

/** An example's body with the ids of records that are there in the place of the made-up ones. */
export function withSampleIds(example: Record<string, unknown>, samples: Samples): Record<string, unknown> {
  const { records: _, ...ids } = samples;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, ids[name as keyof typeof ids] ?? value]),
  );
}

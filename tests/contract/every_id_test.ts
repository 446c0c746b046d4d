// For every operation and every id that it accepts: another workspace's id is answered as an unknown one.
import type { z } from "zod";
import { makeAppSamples } from "../../bench/harness/samples.ts";
import { call } from "../support/client.ts";
import { addressOf } from "../support/gates.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { type InputSchema, inputSchema } from "../support/input_schema.ts";
import { assertAlike, UNKNOWN_ID } from "../support/record_fixtures.ts";
import { endpoints } from "../support/resources.ts";
import { makeSamples } from "../support/samples.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";

/** The other fields that a body needs, by the name of the function. */
const REQUIRED: Record<string, Record<string, string>> = {
  "api-v1-leads": { first_name: "Ana" },
  "api-v1-contacts": { name: "Ana" },
  "api-v1-companies": { name: "Padaria Sol" },
  "api-v1-deals": { title: "Venda" },
  "api-v1-notes": { body: "Olá" },
};

for (const { resource, route, title } of endpoints) {
  const { endpoint } = route;
  const bodyIds = endpoint.body === undefined ? [] : idFields(endpoint.body);
  const queryIds = idFields(endpoint.query);
  const pathIds = [...route.path.matchAll(/:(?:delivery_)?id\b/g)].map(([name]) => name);
  const fields = [...pathIds, ...bodyIds, ...queryIds];
  if (fields.length === 0) continue;

  test(`${title} answers another workspace's ${fields.join(", ")} as an unknown id, byte for byte`, async ({ sql, workspace: mine }) => {
    const other = await makeWorkspace(sql);
    const own = await makeSamples(mine.key, mine.stages);
    const theirs = await makeSamples(other.key, other.stages);
    Object.assign(own.records, await makeAppSamples(sql, mine.id));
    Object.assign(
      theirs.records,
      await makeAppSamples(sql, other.id, `${crypto.randomUUID()}@outra.example`),
    );
    const credentials = endpoint.gate === "session" ? await signIn(sql, mine.id, "admin") : { key: mine.key };
    const [reason] = await sql<[{ id: string }]>`
      insert into crm.loss_reasons (workspace_id, name) values (${other.id}, 'Preço') returning id`;
    const { records, ...ids } = theirs;
    // The subscription of the application's samples is the one that has a delivery.
    if (pathIds.includes(":delivery_id")) {
      for (const { records } of [own, theirs]) records[resource.name] = records["app-v1-webhooks"]!;
    }
    const foreign: Record<string, string> = {
      ...ids,
      ":id": records[resource.name] ?? UNKNOWN_ID,
      ":delivery_id": records["app-v1-deliveries"]!,
      pipeline_id: other.pipelineId,
      owner_id: other.memberId,
      object_id: ids.contact_id,
      loss_reason_id: reason.id,
      merge_id: records[resource.name]!,
      subscription_id: records["app-v1-webhooks"]!,
    };

    const send = (field: string, id: string) => {
      const path = addressOf(resource.name, route.path, {
        id: field === ":id" ? id : own.records[resource.name] ?? "",
        delivery_id: field === ":delivery_id" ? id : own.records["app-v1-deliveries"]!,
      });
      const query = queryIds.includes(field) ? `?${field}=${id}` : "";
      const body = {
        ...REQUIRED[resource.name],
        ...needed(bodyIds, own),
        ...(bodyIds.includes(field) && { [field]: id }),
      };
      return call(route.method, `${path}${query}`, {
        ...credentials,
        ...(endpoint.body && { body }),
      });
    };
    for (const field of fields) {
      if (foreign[field] === undefined) throw new Error(`Add a ${field} of the other workspace here`);
      // A lead with an unknown owner is created with another owner, so its ids differ.
      if (resource.name === "api-v1-leads" && field === "owner_id") continue;
      assertAlike(await send(field, foreign[field]), await send(field, UNKNOWN_ID));
    }
  });
}

/** A note and an activity need a deal, or they would be refused because it is missing. */
function needed(bodyIds: string[], own: { deal_id: string; stage_id: string }): Record<string, string> {
  return {
    ...(bodyIds.includes("deal_id") && { deal_id: own.deal_id }),
    ...(bodyIds.includes("stage_id") && { stage_id: own.stage_id }),
  };
}

/** The fields that are UUIDs are all references. A cursor is not a reference. */
function idFields(schema: z.ZodType): string[] {
  const isId = ({ format, anyOf }: InputSchema): boolean => format === "uuid" || (anyOf ?? []).some(isId);
  const { properties = {} } = inputSchema(schema);
  return Object.keys(properties).filter((name) => name !== "cursor" && isId(properties[name]!));
}

// For every operation and every id that it accepts: another workspace's id gets the same reply as an unknown id.
import type { z } from "zod";
import { assertError, call } from "../support/client.ts";
import { addressOf } from "../support/gates.ts";
import type { JsonSchema } from "../../tools/openapi/json_schema.ts";
import { inputSchema } from "../support/input_schema.ts";
import { assertAlike, UNKNOWN_ID } from "../support/record_fixtures.ts";
import { endpoints } from "../support/resources.ts";
import { sql } from "../support/scenario.ts";
import { idsByField, twoWorkspaces } from "../support/two_workspaces.ts";

/** Valid values of fields without which a body would be refused. */
const NEEDED: Record<string, unknown> = {
  ids: [UNKNOWN_ID],
  ...{ first_name: "Ana", name: "Ana", title: "Venda", body: "Olá" },
  ...{ since: "2026-01-01", overlap_seconds: 3600 },
};

/** Ids without which a body would be refused, such as the deal of a note. */
const NEEDED_IDS = ["deal_id", "contact_id", "stage_id", "merge_id", "from_owner_id", "to_owner_id"];

/** Fields with a UUID that refers to no record: a client is Supabase Auth's, and belongs to no workspace. */
const NO_RECORD = ["cursor", "client_id"];

for (const { resource, route, title } of endpoints) {
  const { endpoint } = route;
  const bodyIds = endpoint.body === undefined ? [] : idFields(endpoint.body);
  const queryIds = idFields(endpoint.query);
  const { properties = {} } = endpoint.body === undefined ? {} : inputSchema(endpoint.body);
  const needed = Object.entries(NEEDED).filter(([name]) => name in properties);
  const neededIds = NEEDED_IDS.filter((name) => bodyIds.includes(name));
  const pathIds = [...route.path.matchAll(/:(?:delivery_|contact_)?id\b/g)].map(([name]) => name);
  const fields = [...pathIds, ...bodyIds, ...queryIds];
  if (fields.length === 0) continue;

  Deno.test(`${title} answers another workspace's ${fields.join(", ")} with the same bytes as an unknown id`, async () => {
    const { mine, theirs } = await twoWorkspaces(sql);
    const credentials = endpoint.gate === "session" ? { session: mine.session } : { key: mine.key };
    const own = idsByField(mine, resource.name, route.path);
    const foreign = idsByField(theirs, resource.name, route.path);

    const send = (field: string, id: string) => {
      const path = addressOf(resource.name, route.path, {
        id: field === ":id" ? id : own["id"]!,
        delivery_id: field === ":delivery_id" ? id : own["delivery_id"]!,
        contact_id: field === ":contact_id" ? id : own["contact_id"]!,
      });
      const query = queryIds.includes(field) ? `?${field}=${id}` : "";
      const body = {
        ...Object.fromEntries(needed),
        ...Object.fromEntries(neededIds.map((name) => [name, own[name]])),
        ...(bodyIds.includes(field) && { [field]: id }),
      };
      return call(route.method, `${path}${query}`, { ...credentials, ...(endpoint.body && { body }) });
    };
    for (const field of fields) {
      const id = foreign[field.replace(":", "")];
      if (id === undefined) throw new Error(`Add a ${field} to tests/support/two_workspaces.ts`);
      // A lead with an unknown owner is created with another owner, so its ids differ.
      if (resource.name === "api-v1-leads" && field === "owner_id") continue;
      const unknown = await send(field, UNKNOWN_ID);
      assertAlike(await send(field, id || UNKNOWN_ID), unknown);
      if (!field.startsWith(":")) continue;
      assertError(unknown, "not_found");
      assertError(await send(field, "no-uuid"), "not_found");
    }
  });
}

/** The fields that refer to records. */
function idFields(schema: z.ZodType): string[] {
  const isId = ({ format, anyOf }: JsonSchema): boolean => format === "uuid" || (anyOf ?? []).some(isId);
  const { properties = {} } = inputSchema(schema);
  return Object.keys(properties).filter((name) => !NO_RECORD.includes(name) && isId(properties[name]!));
}

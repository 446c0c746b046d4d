// What the tests of a deal's actions share.
import type { Sql } from "postgres";
import { client } from "./client.ts";
import { makeWorkspace, type TestWorkspace } from "./fixtures.ts";
import { eventsOf } from "./record_fixtures.ts";

const DEALS = "/api-v1-deals";

/** Creates a workspace with one open deal, and functions that call its endpoints. */
export async function makeOpenDeal(sql: Sql, fields: object = {}) {
  const workspace = await makeWorkspace(sql);
  const api = client(workspace.key);
  const deal = (await api.post(DEALS, { title: "Venda", value: 10, ...fields })).body;
  return {
    workspace,
    deal,
    act: (action: string, body?: unknown) => api.post(`${DEALS}/${deal.id}/${action}`, body),
    patch: (body: object) => api.patch(`${DEALS}/${deal.id}`, body),
    read: async () => {
      const { contact: _, company: __, last_activity: ___, lead: ____, ...fields } =
        (await api.get(`${DEALS}/${deal.id}`)).body;
      return fields;
    },
  };
}

/** Reads the events after the deal's creation, without deal.updated, which changes/events_of_changes_test.ts checks. */
export const eventsSince = (sql: Sql, { id }: TestWorkspace) =>
  eventsOf(sql, id, "deal.created", "deal.updated");

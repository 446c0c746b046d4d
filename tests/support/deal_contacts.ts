import type { Sql } from "postgres";
import type { Reply } from "./client.ts";
import { type Body, nextMillisecond } from "./record_fixtures.ts";
import { type Scenario, test as testScenario } from "./scenario.ts";

const CONTACTS = "/api-v1-contacts";
const DEALS = "/api-v1-deals";

/** Creates a deal; returns the deal, the address of its contacts, and a function that creates a contact. */
export async function dealWith({ api, newDeal }: Pick<Scenario, "api" | "newDeal">) {
  const deal = await newDeal();
  const path = `${DEALS}/${deal.id}/contacts`;
  const newContact = async (name: string): Promise<string> => {
    await nextMillisecond();
    return (await api.post(CONTACTS, { name })).body.id;
  };
  return { deal, path, newContact };
}

/** Registers a test that gets a deal as `dealWith` returns it. */
export const test = (
  title: string,
  run: (scenario: Scenario & Awaited<ReturnType<typeof dealWith>>) => Promise<void>,
) => testScenario(title, async (scenario) => run({ ...scenario, ...await dealWith(scenario) }));

/** The name, the role and `is_main` of each contact of a deal. */
export const shown = ({ body }: Reply) =>
  body.data.map(({ name, role, is_main }: Body) => [name, role, is_main]);

/** The events about the contacts of deals, oldest first, with their facts. */
export async function contactEvents(sql: Sql, workspaceId: string): Promise<Body[]> {
  const events = await sql<{ event: string; facts: Body }[]>`
    select event::text, facts from crm.events
    where workspace_id = ${workspaceId} and event::text like 'deal.contact%' order by id`;
  return events.map(({ event, facts }) => ({
    [event.slice("deal.contact_".length)]: Object.values(facts)[0],
  }));
}

import type { ISql, Sql } from "postgres";
import type { TestWorkspace } from "./fixtures.ts";

/** Creates contacts in one transaction, as the application does; returns their ids. */
export async function makeContacts(
  sql: ISql,
  { id, memberId }: TestWorkspace,
  count: number,
  name = "Contato",
  notes: string | null = null,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    insert into crm.contacts (workspace_id, name, notes, owner_id)
    select ${id}, ${name}::text || ' ' || n, ${notes}, ${memberId} from generate_series(1, ${count}::integer) n
    returning id`;
  return rows.map(({ id }) => id);
}

/** Inserts events without the objects that they are about, 10 ms apart, the last 10 ms ago. */
export async function makeEvents(
  sql: Sql,
  workspaceId: string,
  count: number,
  { event = "deal.stale", facts = {}, isTest = false, ageS = 0 }: {
    event?: string;
    facts?: Record<string, string>;
    isTest?: boolean;
    /** Seconds by which they happened earlier. */
    ageS?: number;
  } = {},
): Promise<void> {
  await sql`
    insert into crm.events (workspace_id, id, event, object_id, facts, is_test, occurred_at)
    select ${workspaceId}, crm.uuid_v7(at), ${event}::crm.event_type, gen_random_uuid(), ${
    sql.json(facts)
  }, ${isTest}, at
    from generate_series(1, ${count}::integer) n
    cross join lateral (select now() - ${ageS} * interval '1 s' - n * interval '10 ms' as at) t`;
}

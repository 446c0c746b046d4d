import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { client, type Reply } from "./client.ts";
import { makeKey, type TestWorkspace } from "./fixtures.ts";
import { eventually } from "./mailbox.ts";
import { openDatabase } from "./stack.ts";

type Api = ReturnType<typeof client>;

/** An id that no record has. */
export const UNKNOWN_ID = "00000000-0000-7000-8000-000000000000";

/** A record, or the body that creates one. */
export type Body = Record<string, unknown>;

/** Creates an active seller of the workspace. */
export async function makeMember(sql: Sql, { id }: TestWorkspace): Promise<string> {
  const [row] = await sql<[{ id: string }]>`
    insert into crm.members (workspace_id, name, email, role)
    values (${id}, 'Vendedor', ${`${crypto.randomUUID()}@x.com`}, 'vendedor') returning id`;
  return row.id;
}

/** Inserts a company of the workspace, as the application does. */
export async function makeCompany(sql: Sql, { id, memberId }: TestWorkspace): Promise<string> {
  const [row] = await sql<[{ id: string }]>`
    insert into crm.companies (workspace_id, name, owner_id) values (${id}, 'Padaria', ${memberId}) returning id`;
  return row.id;
}

/** Inserts a contact of the workspace, as the application does. */
export async function makeContact(sql: Sql, { id, memberId }: TestWorkspace): Promise<string> {
  const [row] = await sql<[{ id: string }]>`
    insert into crm.contacts (workspace_id, name, owner_id) values (${id}, 'Ana', ${memberId}) returning id`;
  return row.id;
}

/** Inserts a loss reason of the workspace; the API does not write them. */
export async function makeLossReason(sql: Sql, { id }: TestWorkspace, isActive = true): Promise<string> {
  const [row] = await sql<[{ id: string }]>`
    insert into crm.loss_reasons (workspace_id, name, is_active) values (${id}, 'Preço', ${isActive}) returning id`;
  return row.id;
}

/** Inserts another active pipeline of the workspace, with two active stages. */
export async function makePipeline(
  sql: Sql,
  { id }: TestWorkspace,
): Promise<{ id: string; stages: string[] }> {
  const [pipeline] = await sql<[{ id: string }]>`
    insert into crm.pipelines (workspace_id, name) values (${id}, 'Outro') returning id`;
  const stages = await sql<{ id: string }[]>`
    insert into crm.stages (workspace_id, pipeline_id, name, position, type)
    values (${id}, ${pipeline.id}, 'Um', 1, 'venda'), (${id}, ${pipeline.id}, 'Dois', 2, 'venda') returning id`;
  return { id: pipeline.id, stages: stages.map(({ id }) => id) };
}

/** Reads the event types of a workspace, oldest first, without the given ones. */
export async function eventsOf(sql: Sql, workspaceId: string, ...without: string[]): Promise<string[]> {
  const events = await sql<{ event: string }[]>`
    select event::text from crm.events where workspace_id = ${workspaceId} order by id`;
  return events.map(({ event }) => event).filter((event) => !without.includes(event));
}

/** Waits for the next millisecond, because ids of the same millisecond have no order. */
export const nextMillisecond = () => new Promise((resolve) => setTimeout(resolve, 3));

/** Creates a record whose id sorts after all earlier ones, and reads it. */
export async function create(key: string, path: string, body: Body): Promise<Body & { id: string }> {
  await nextMillisecond();
  const created = await client(key).post(path, body);
  assert.equal(created.status, 201, created.text);
  return (await client(key).get(`${path}/${created.body.id}`)).body;
}

/** Asserts that a record has these values, nulls in its other fields, and no tags. */
export function assertShown(record: Body, expected: Body): void {
  const given = (body: Body) =>
    Object.fromEntries(
      Object.entries(body).filter(([name, value]) =>
        value !== null && !(name === "tags" && (value as []).length === 0)
      ),
    );
  assert.deepEqual(given(record), given(expected));
}

export const ids = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id);

/** Reads a list to its end by its cursors. */
export async function readPages(api: Api, path: string): Promise<Reply[]> {
  const pages: Reply[] = [];
  for (let cursor = "";;) {
    const page = await api.get(path + cursor);
    assert.equal(page.status, 200, page.text);
    pages.push(page);
    const { has_more, next_cursor } = page.body.meta;
    assert.equal(has_more, next_cursor !== null);
    if (!has_more) return pages;
    assert.ok(pages.length < 100, "the list has an end");
    cursor = `${path.includes("?") ? "&" : "?"}cursor=${next_cursor}`;
  }
}

/** Asserts that two replies are the same: nobody may learn whether an id exists in another workspace. */
export function assertAlike(one: Reply, other: Reply): void {
  const seen = ({ status, text, headers }: Reply) => ({
    status,
    text,
    headers: [...headers].filter(([name]) => !["x-request-id", "ratelimit", "date"].includes(name)),
  });
  assert.deepEqual(seen(one), seen(other));
}

/**
 * Sends calls that change one record, and holds the record's lock until all have begun. Each call has its own key:
 * calls with the same key would wait for each other at the key's rate limit.
 */
export async function atOnce(
  workspaceId: string,
  table: string,
  id: string,
  calls: ((api: Api) => Promise<Reply>)[],
): Promise<Reply[]> {
  await using sql = openDatabase(2);
  const keys = await Promise.all(calls.map(() => makeKey(sql, workspaceId)));
  const replies: Promise<Reply>[] = [];
  await sql.begin(async (held) => {
    await held`select from crm.${sql(table)} where id = ${id} for update`;
    replies.push(...calls.map((call, index) => call(client(keys[index]!.key))));
    await eventually(async () => {
      const [row] = await sql<[{ n: number }]>`
        select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%api.call%'`;
      return row.n >= calls.length;
    }, `${calls.length} calls to wait for the record`);
  });
  return await Promise.all(replies);
}

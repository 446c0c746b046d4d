import assert from "node:assert/strict";
import { countBlocks } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { passMidnight } from "../support/midnight.ts";
import { openDatabase } from "../support/stack.ts";
import { asCrmApi } from "../support/transactions.ts";

const EVENTS = 60_000;
const DAYS = 20;
/** Limit for a page of 50 events whose objects do not exist. All events and their index have 1,900 blocks. */
const MAX_BLOCKS = 450;

Deno.test("a call of the feed or the change log reads a bounded part of the events, and no unneeded day partition", async (t) => {
  await using sql = openDatabase();
  const { id: workspace } = await makeWorkspace(sql);
  const object = await seed(sql, workspace);

  /** Calls the verb as api.call does; returns the number of blocks, and the days whose partitions were read. */
  async function read(args: Record<string, unknown>, verb = "event_list") {
    return await asCrmApi(sql, workspace, async (sql) => {
      const text = JSON.stringify({ limit: 50, ...args });
      // The first call also reads the catalogue.
      const [{ reply }] = await sql<
        [{ reply: { data: { id: string }[]; meta: { next_cursor: string; has_more: boolean } } }]
      >`
        select api.${sql(verb)}(${text}::text::jsonb) as reply`;
      const scans = () =>
        sql<{ name: string; scans: number }[]>`
        select relname as name, idx_scan::integer as scans from pg_stat_xact_user_tables
        where schemaname = 'crm' and relname ~ '^events_20'`;
      const before = new Map((await scans()).map(({ name, scans }) => [name, scans]));
      const blocks = await countBlocks(sql, `select api.${verb}($1::text::jsonb)`, [text]);
      const days = (await scans()).filter(({ name, scans }) => scans > (before.get(name) ?? 0));
      return {
        ...reply,
        blocks,
        days: days.map(({ name }) => name.slice("events_".length).replaceAll("_", "-")).sort(),
      };
    });
  }

  const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const late = await read({ since: dayAgo(0.01) });
  assert.equal(late.meta.has_more, false);
  const middle = await read({ since: dayAgo(10) });
  const page = await read({ until: dayAgo(10) }, "change_list");
  const log = (args: Record<string, unknown>) => ({ args, verb: "change_list" });
  const cases: Record<
    string,
    { args: Record<string, unknown>; verb?: string; finds: number; oldest?: string }
  > = {
    "from the beginning": { args: {}, finds: 50 },
    "from a cursor of ten days ago": {
      args: { cursor: middle.meta.next_cursor },
      finds: 50,
      oldest: dayAgo(12.1),
    },
    "since ten days ago": { args: { since: dayAgo(10) }, finds: 50, oldest: dayAgo(12.1) },
    "an event that never happened": { args: { event_types: ["deal.won"] }, finds: 0 },
    "of one object": { args: { object_id: object }, finds: 50 },
    "the newest changes": { ...log({}), finds: 50 },
    "the changes before a cursor": { ...log({ cursor: page.meta.next_cursor }), finds: 50 },
    "the changes of a day": {
      ...log({ since: dayAgo(10), until: dayAgo(9) }),
      finds: 50,
      oldest: dayAgo(10.1),
    },
    "the changes of one object": { ...log({ object_id: object }), finds: 50 },
    "changes of no object": { ...log({ object_type: "deal" }), finds: 0 },
    "nothing new": { args: { cursor: late.meta.next_cursor }, finds: 0, oldest: dayAgo(2.1) },
  };
  for (const [title, { args, verb, finds, oldest }] of Object.entries(cases)) {
    await t.step(title, async () => {
      const { data, blocks, days } = await read(args, verb);
      assert.equal(data.length, finds);
      assert.ok(blocks <= MAX_BLOCKS, `${blocks} blocks`);
      if (oldest !== undefined) assert.ok(days[0]! >= oldest.slice(0, 10), `${days[0]} is before ${oldest}`);
    });
  }
});

/** Makes partitions and events for twenty days; returns the id of an object that every hundredth event is about. */
async function seed(sql: ReturnType<typeof openDatabase>, workspace: string): Promise<string> {
  await passMidnight(120);
  await sql`
    select crm.make_partition('crm.events', d.day)
    from (
      select (now() at time zone 'UTC')::date - n as day from generate_series(0, ${DAYS}::integer + 1) n
    ) d
    where d.day not in (select p.day from crm.partitions_of('crm.events') p)`;
  const object = crypto.randomUUID();
  await sql`
    insert into crm.events (workspace_id, id, event, object_id, facts, occurred_at, position)
    select
      ${workspace}, crm.uuid_v7(at), 'contact.created',
      case when n % 100 = 0 then ${object}::uuid else gen_random_uuid() end, '{}', at, 1 + n / 500
    from generate_series(1, ${EVENTS}::integer) n
    cross join lateral (
      select now() - ${DAYS} * interval '1 day' * (1 - n::float / ${EVENTS}) - interval '1 second' as at
    ) t`;
  await sql`vacuum analyze crm.events`;
  return object;
}

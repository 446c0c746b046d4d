// Counts the blocks that lists and the search read in large tables of contacts, companies and events.
import assert from "node:assert/strict";
import { callVerb, countBlocks } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { sql, test } from "../support/scenario.ts";
import { openWithoutTriggers } from "../support/stack.ts";

const [SMALL, LARGE, OTHERS] = [1_000, 50_000, 200_000];
/** A page of the large workspace may read at most this many times the blocks of the same page of the small one. */
const RATIO = 1.5;
/** The most blocks for the 61 rows that changed last: they are scattered, and each is looked up twice by id. */
const SCATTERED = 2 * 61 * 5;

/** Creates a workspace with contacts, ten of which work at its company. */
async function makeContacts(rows: number) {
  const { id, memberId } = await makeWorkspace(sql);
  await using admin = await openWithoutTriggers();
  const [company] = await admin<[{ id: string }]>`
    insert into crm.companies (workspace_id, name, owner_id) values (${id}, 'X', ${memberId}) returning id`;
  await admin`
    insert into crm.contacts (workspace_id, id, name, email, phone, company_id, owner_id, created_at, updated_at)
    select
      ${id}, crm.uuid_v7(at), 'Contato ' || n, n || '@x.com', n::text,
      case when n % ${rows / 10} = 0 then ${company.id}::uuid end, ${memberId}, at,
      -- The order of the last change is not that of creation.
      at + (n::bigint * 7919 % ${rows}) * interval '1 second'
    from generate_series(1, ${rows}::integer) n
    cross join lateral (select now() - make_interval(secs => n) - interval '30 days' as at) t`;
  const [middle] = await sql`
    select id, created_at, email from crm.contacts where workspace_id = ${id} order by id desc offset ${
    rows / 2
  } limit 1`;
  const [recent] = await sql`
    select updated_at from crm.contacts where workspace_id = ${id} order by updated_at desc offset 60 limit 1`;
  const filters: Record<string, string> = {
    cursor: middle!["id"],
    since: middle!["created_at"].toISOString(),
    updated_since: recent!["updated_at"].toISOString(),
    company_id: company.id,
    email: middle!["email"],
  };
  return { id, filters };
}

Deno.test("in a table of 251,000 contacts a page among 50,000 costs about as much as one among 1,000, whatever the filter", async (t) => {
  const [small, large] = [await makeContacts(SMALL), await makeContacts(LARGE)];
  await makeContacts(OTHERS);
  await sql`analyze crm.contacts`;
  await sql`analyze crm.companies`;
  const pages = ["", "cursor", "email", "company_id", "since", "since cursor", "updated_since"]
    .concat("company_id cursor", "email company_id");
  for (const page of pages) {
    await t.step(page === "" ? "the first page" : page, async () => {
      const read = async ({ id, filters }: typeof small) => {
        const chosen = page.split(" ").filter(Boolean).map((name) => [name, filters[name]]);
        const args = { limit: 50, ...Object.fromEntries(chosen) };
        return (await callVerb(sql, id, "api.contact_list", args)).blocks;
      };
      const [few, many] = [await read(small), await read(large)];
      const most = page === "updated_since" ? SCATTERED : few * RATIO;
      assert.ok(many <= most, `${many} blocks, ${few} for the small workspace`);
    });
  }
});

Deno.test("a sorted page of 50 among 50,000 contacts reads at most twice the blocks of its rows", async (t) => {
  const { id } = await makeContacts(LARGE);
  await sql`analyze crm.contacts`;
  for (const sort of ["updated_at", "-updated_at", "created_at"]) {
    await t.step(sort, async () => {
      const first = await callVerb(sql, id, "api.contact_list", { limit: 50, sort });
      // Sorted by the last change, each row is in a different block.
      assert.ok(first.blocks <= 2 * 51, `${first.blocks} blocks`);
      const { next_cursor: cursor } = first.reply.meta;
      const next = await callVerb(sql, id, "api.contact_list", { limit: 50, sort, cursor });
      assert.equal(next.reply.data.length, 50);
      assert.ok(next.blocks <= 2 * 51, `${next.blocks} blocks`);
    });
  }
});

Deno.test("every index except those named here begins with workspace_id, so that no list reads another workspace's rows", async () => {
  const loose = await sql`
    select i.indexrelid::regclass::text as name from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where c.relnamespace = 'crm'::regnamespace and not c.relispartition and a.attname <> 'workspace_id'
      and exists (select from pg_attribute w where w.attrelid = c.oid and w.attname = 'workspace_id')`;
  // These indexes serve lookups without a known workspace, unique ids, the daily purges, a subscription's deliveries,
  // and the dispatcher's scans of all workspaces.
  const expected = `
    api_keys_grants api_keys_id_key idempotency_keys_age key_calls_age key_secrets_age key_secrets_hash_key
    list_cursors_age members_user proposal_links_token_hash_key webhook_deliveries_ended_badly
    webhook_deliveries_of_subscription webhook_queue_leased webhook_queue_leased_of_host webhook_queue_not_ready
    webhook_queue_ready webhook_queue_waiting webhook_subscriptions_id_key webhook_subscriptions_notices
    webhook_unsettled_of_shard`;
  const names = expected.trim().split(/\s+/).map((name) => `crm.${name}`);
  assert.deepEqual(loose.map(({ name }) => name).sort(), names);
});

test("a list by an external_id and another filter reads the index of external_id, and no other of 60,000 companies", async ({ sql, workspace: { id, memberId } }) => {
  await using admin = await openWithoutTriggers();
  await admin`
    insert into crm.companies (workspace_id, id, name, owner_id, external_id)
    select
      ${id}, crm.uuid_v7(timestamptz '2025-01-01' + n * interval '1 second'), 'Empresa ' || n, ${memberId},
      case when n % 100 = 0 then 'erp-' || n end
    from generate_series(1, 60000) n`;
  await admin`vacuum analyze crm.companies`;
  for (const filter of [{ owner_id: memberId }, { archived: "any" }]) {
    const args = { limit: 50, external_id: "erp-100", ...filter };
    const { reply, blocks } = await callVerb(sql, id, "api.company_list", args);
    assert.equal(reply.data.length, 1);
    // Enough to find one company by two indexes. All companies and their index by id have over 1,000 blocks.
    assert.ok(blocks <= 40, `${blocks} blocks`);
  }
});

test("A search finds unindexed changes at the end of the feed without reading the day's 60,000 earlier events", async ({ workspace: { id } }) => {
  await using admin = await openWithoutTriggers();
  await admin`
    insert into crm.events (workspace_id, id, event, object_id, facts, occurred_at, position)
    select ${id}, crm.uuid_v7(made), 'contact.created', crm.uuid_v7(made), '{}', made, 1
    from generate_series(1, 60000) n
    cross join lateral (select now() - n * interval '1 second' as made) m`;
  await admin`vacuum analyze crm.events`;
  const blocks = await admin.begin(async (sql) => {
    await sql`select set_config('app.workspace_id', ${id}, true)`;
    const query = "select crm.pending_texts('contact', 4000)";
    // The first call also reads the catalogue.
    await sql.unsafe(query);
    return await countBlocks(sql, query);
  });
  // Enough to descend the indexes of a few days' partitions. The index of these events by id alone has 400 blocks.
  assert.ok(blocks <= 120, `${blocks} blocks`);
});

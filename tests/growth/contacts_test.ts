import assert from "node:assert/strict";
import { countBlocksAgain } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openDatabase, openWithoutTriggers } from "../support/stack.ts";

const SMALL = 1_000;
const LARGE = 100_000;
const OTHERS = 900_000;
/** A page of the large workspace may touch at most this many times the blocks of the same page of the small one… */
const RATIO = 1.5;
/** …or, for the rows that changed last, this many blocks: they are scattered; each of 61 is looked up twice by id. */
const SCATTERED = 2 * 61 * 5;

async function seed(workspaces: { id: string; memberId: string; rows: number }[]): Promise<void> {
  await using admin = await openWithoutTriggers();
  for (const { id, memberId, rows } of workspaces) {
    await admin`
      with company as (
        insert into crm.companies (workspace_id, name, owner_id) values (${id}, 'X', ${memberId}) returning id
      )
      insert into crm.contacts (workspace_id, id, name, email, phone, company_id, owner_id, created_at, updated_at)
      select
        ${id}, crm.uuid_v7(at), 'Contato ' || n, n || '@x.com', n::text,
        case when n % ${rows / 10} = 0 then (select id from company) end, ${memberId}, at,
        -- The order of the last change is not that of creation.
        at + (n::bigint * 7919 % ${rows}) * interval '1 second'
      from generate_series(1, ${rows}::integer) n
      cross join lateral (select now() - make_interval(secs => n) - interval '30 days' as at) t`;
  }
  await admin`analyze crm.contacts`;
  await admin`analyze crm.companies`;
}

Deno.test("in a table of 1,000,000 contacts a page among 100,000 costs as much as one among 1,000, whatever the filter", async (t) => {
  await using sql = openDatabase();
  const [small, large, others] = [
    await makeWorkspace(sql),
    await makeWorkspace(sql),
    await makeWorkspace(sql),
  ];
  await seed([
    { ...small, rows: SMALL },
    { ...large, rows: LARGE },
    { ...others, rows: OTHERS },
  ]);

  /** Counts the blocks that a page of the list reads, called as api.call does. Unlike a time, a count has no noise. */
  async function buffers(workspaceId: string, args: Record<string, unknown>): Promise<number> {
    return await sql.begin(async (sql) => {
      await sql`set local role crm_api`;
      await sql`select set_config('app.workspace_id', ${workspaceId}, true)`;
      return await countBlocksAgain(sql, "select api.contact_list($1::text::jsonb)", [
        JSON.stringify({ limit: 50, ...args }),
      ]);
    });
  }

  async function middle(workspaceId: string, rows: number): Promise<Record<string, string>> {
    const [row] = await sql`
      select id, created_at, updated_at, company_id, email from crm.contacts
      where workspace_id = ${workspaceId} order by id desc offset ${rows / 2} limit 1`;
    const [company] = await sql`select id from crm.companies where workspace_id = ${workspaceId}`;
    const recent = await sql`
      select updated_at from crm.contacts where workspace_id = ${workspaceId} order by updated_at desc offset 60 limit 1`;
    return {
      cursor: row!["id"],
      since: row!["created_at"].toISOString(),
      updated_since: recent[0]!["updated_at"].toISOString(),
      company_id: company!["id"],
      email: row!["email"],
    };
  }

  const pages: [title: string, names: string[]][] = [
    ["the first page", []],
    ["a page in the middle", ["cursor"]],
    ["email", ["email"]],
    ["company_id", ["company_id"]],
    ["since", ["since"]],
    ["since and cursor", ["since", "cursor"]],
    ["updated_since", ["updated_since"]],
    ["company_id and cursor", ["company_id", "cursor"]],
    ["email and company_id", ["email", "company_id"]],
  ];
  const [ofSmall, ofLarge] = [await middle(small.id, SMALL), await middle(large.id, LARGE)];
  for (const [title, names] of pages) {
    await t.step(title, async () => {
      const pick = (values: Record<string, string>) =>
        Object.fromEntries(names.map((name) => [name, values[name]]));
      const few = await buffers(small.id, pick(ofSmall));
      const many = await buffers(large.id, pick(ofLarge));
      console.log(`${title}: ${few} blocks among 1,000, ${many} among 100,000`);
      const most = names.includes("updated_since") ? SCATTERED : few * RATIO;
      assert.ok(many <= most, `${many} blocks, ${few} for the small workspace`);
    });
  }
  await t.step(
    "every index begins with workspace_id, so that no list reads another workspace's rows",
    async () => {
      const loose = await sql`
      select i.indexrelid::regclass::text as name from pg_index i
      join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where c.relnamespace = 'crm'::regnamespace and a.attname <> 'workspace_id'
        and exists (select from pg_attribute w where w.attrelid = c.oid and w.attname = 'workspace_id')`;
      // Lookups before the workspace is known, the daily purges, the ids that encrypted secrets belong to, and the
      // dispatcher's scans of all workspaces.
      assert.deepEqual(loose.map(({ name }) => name).sort(), [
        "crm.api_keys_id_key",
        "crm.idempotency_keys_age",
        "crm.key_calls_age",
        "crm.key_secrets_age",
        "crm.key_secrets_hash_key",
        "crm.members_user",
        "crm.proposal_links_token_hash_key",
        "crm.webhook_queue_leased",
        "crm.webhook_queue_leased_of_host",
        "crm.webhook_queue_not_ready",
        "crm.webhook_queue_ready",
        "crm.webhook_queue_waiting",
        "crm.webhook_subscriptions_id_key",
        "crm.webhook_unsettled_of_shard",
      ]);
    },
  );
});
